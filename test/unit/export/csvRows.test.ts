import { afterEach, describe, expect, it, vi } from 'vitest'
import { CsvEncoder, timeFormatter } from '#core/export/csvEncoder.ts'
import { createCsvRows } from '#core/export/csvRows.ts'
import { type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { csvCellOf } from '#shared/units/csvCell.ts'
import { checkNumbers, drawNumbers, numberKinds } from '../../fakes/numberKinds.ts'
import { seededRandom } from '../../fuzz/target.ts'

const texts = { time: null, text: csvCellOf('guarded') }
const rowsOf = () => createCsvRows(texts, timeFormatter('UTC'))!
const textOf = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()
const encode = (encoder: CsvEncoder, frame: Frame) => textOf(encoder.rows(frame))

/**
 * Number of numbers to check; `PERPSCOPE_CSV_NUMBERS=20000000` checks more of them, and `PERPSCOPE_CSV_SEED` draws
 * different ones.
 */
const NUMBERS = Number(process.env.PERPSCOPE_CSV_NUMBERS ?? 150_000)
const SEED = Number(process.env.PERPSCOPE_CSV_SEED ?? 11)
const AT_ONCE = 100_000
const START_MS = Date.UTC(2026, 7, 1)

/** Creates rows with numbers, missing values, various texts and instants with microseconds. */
function mixedRows(rows: number): Frame {
  const random = seededRandom(4)
  const row = Array.from({ length: rows }, (_, at) => at)
  const words = ['plain', 'a,b', '"quoted"', '=1+1', '龙', 'two\nlines', '', ' blank ']
  return {
    rows,
    columns: [
      timeColumn(
        'time',
        row.map((at) => START_MS + at * 60_000),
      ),
      numberColumn(
        'price',
        row.map(() => Math.round(random() * 1e6) / 10),
      ),
      numberColumn(
        'gaps',
        row.map((at) => (at % 3 === 0 ? null : random())),
      ),
      textColumn(
        'text',
        row.map((at) => (at % 5 === 0 ? null : words[at % words.length])),
      ),
      timeColumn(
        'event',
        row.map((at) => (at % 7 === 0 ? null : START_MS + at + (at % 2) * 0.25)),
      ),
    ],
  }
}

/** Returns an encoder as in a thread that does not allow WebAssembly. */
async function encoderWithoutWasm(options: ConstructorParameters<typeof CsvEncoder>[1]): Promise<CsvEncoder> {
  vi.resetModules()
  vi.stubGlobal('WebAssembly', undefined)
  const { CsvEncoder: Encoder } = await import('#core/export/csvEncoder.ts')
  return new Encoder([], options)
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

describe('rows of a CSV in WebAssembly', () => {
  it.each(Object.keys(numberKinds))(
    'writes %s as String does',
    (kind) => {
      const random = seededRandom(SEED)
      const rows = rowsOf()
      for (let left = NUMBERS / Object.keys(numberKinds).length; left > 0; left -= AT_ONCE)
        expect(checkNumbers(rows, drawNumbers(kind, random, Math.min(left, AT_ONCE)))).toBeNull()
    },
    5000 + NUMBERS / 200,
  )

  it('writes numbers whose digits are hard to tell', () => {
    const hard = [
      0,
      -0,
      NaN,
      Infinity,
      -Infinity,
      5e-324,
      1.7976931348623157e308,
      2.2250738585072014e-308,
      9007199254740993,
    ]
    const known = [1e21, 1e-7, 123456789012345680000, 0.000001, 1e23, 8.41e21, 9.5367431640625e-7, 4503599627370495.5]
    const near = [...hard, ...known, 5e-7, 2 ** -44, 1e15 + 0.3, 99999999.5, 1e16 - 2, 0.1 + 0.2]
    for (const values of [near, near.map((value) => -value)])
      expect(checkNumbers(rowsOf(), Float64Array.from(values))).toBeNull()
  })

  it.each(['UTC', 'Asia/Kolkata'])('is equal to what is written without it, in %s', async (zone) => {
    const frame = mixedRows(3000)
    const options = { zone, text: 'guarded' } as const
    const fast = encode(new CsvEncoder([], options), frame)
    expect(fast.split(/\n(?=2026-)/)).toHaveLength(3000)
    expect(encode(await encoderWithoutWasm(options), frame)).toBe(fast)
  })

  it('writes instants from the year 0 to 9999 itself and others as the host does', () => {
    const random = seededRandom(9)
    const times = Array.from({ length: 5000 }, () => (random() * 2 - 1) * 2.6e14 + Math.round(random() * 1000) / 1000)
    const edges = [-62162035200000, -62162035200001, 253402300799999, 253402300800000, 0, -1, -0.25, 951_782_400_000]
    const all = [...times, ...edges]
    const lines = textOf(rowsOf().encode({ rows: all.length, columns: [timeColumn('time', all)] })).split('\n')
    expect(lines.slice(0, -1)).toEqual(all.map(timeFormatter('UTC')))
  })

  it('writes rows of any width and texts of any length', () => {
    const long = 'x'.repeat(3 << 20)
    const wide = Array.from({ length: 50_000 }, (_, at) => numberColumn(`c${at}`, [at / 8, -at]))
    const frame = { rows: 2, columns: [textColumn('text', [long, '龙'.repeat(1 << 20)]), ...wide] }
    const lines = textOf(rowsOf().encode(frame)).split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0] === [long, ...wide.map((_, at) => at / 8)].join(',')).toBe(true)
    expect(lines[1].startsWith(`${'龙'.repeat(1 << 20)},-0,-1,-2,`)).toBe(true)
  })
})
