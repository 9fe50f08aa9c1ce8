import fc from 'fast-check'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { convertOwn } from '#core/own/convertOwn.ts'
import type { RowMemory } from '#core/own/ownRows.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const oddNumbers = ['', '-0', '+1', '.5', '5.', '1e3', 'NaN', '-inf', ' 7 ', '0.30000000000000004', '12345678901234567']
const numbers = fc.oneof(
  { weight: 6, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  { weight: 6, arbitrary: fc.integer().map((value) => String(value / 1000)) },
  { weight: 3, arbitrary: fc.constantFrom(...oddNumbers) },
  { weight: 1, arbitrary: fc.constantFrom('x', '1,5', '0x10', '--1', '1.2.3') },
)
const writtenTimes: readonly ((ms: number) => string)[] = [
  (ms) => new Date(ms).toISOString(),
  (ms) => new Date(ms).toISOString().slice(0, 19),
  (ms) => new Date(ms).toISOString().slice(0, 16).replace('T', ' '),
  (ms) => new Date(ms).toISOString().replace('.000Z', '+00:00'),
  (ms) => String(ms),
  (ms) => String(ms / 1000),
  (ms) => `${ms}000`,
]
const START = Date.UTC(2026, 5, 30, 20)
const rows = fc.array(
  fc.record({
    step: fc.integer({ min: 0, max: 40 }),
    symbol: fc.constantFrom('BTC', 'ETH', '龙', 'perpetual-BTC-USDT:USDT', ''),
    value: numbers,
    other: numbers,
    odd: fc.option(fc.constantFrom('noon', '2026-02-30', '20260703', '1'), { freq: 60 }),
    ending: fc.constantFrom('\n', '\n', '\r\n', '\r', '\n\n'),
  }),
  { minLength: 1, maxLength: 30 },
)
const files = fc.record({
  rows,
  writeTime: fc.constantFrom(...writtenTimes),
  separator: fc.constantFrom(',', ';', '\t'),
  isEvents: fc.boolean(),
  hasLastEnding: fc.boolean(),
})

/** Writes the rows as text; quotes around cells have them read as texts, one by one. */
function textOf({ rows: all, writeTime, separator, hasLastEnding }: Omit<FileOf, 'isEvents'>, quote: string): string {
  const line = (cells: string[]) => cells.map((cell) => quote + cell + quote).join(separator)
  const lines = all.map(({ step, symbol, value, other, odd, ending }, at) => {
    const cells = [odd ?? writeTime(START + step * 900_000), symbol, value, other]
    return line(cells) + (hasLastEnding || at < all.length - 1 ? ending : '')
  })
  return `${line(['time', 'symbol', 'value', 'other'])}\n${lines.join('')}`
}
type FileOf = typeof files extends fc.Arbitrary<infer File> ? File : never

let count = 0
async function converted(root: string, text: string, isEvents: boolean, memory?: RowMemory) {
  const folder = join(root, String(count++))
  mkdirSync(folder)
  const path = join(root, 'rows.csv')
  writeFileSync(path, text)
  const choices = { isEvents, knownAfter: '0d', units: {} }
  try {
    const { record, parts } = await convertOwn({
      ...{ files: [{ path, name: 'rows.csv' }], paths: [path], choices, folder },
      ...(memory && { memory }),
    })
    return { record: { ...record, files: [] }, parts }
  } catch (thrown) {
    const { detail } = thrown as { detail?: string }
    if (detail === undefined) throw thrown
    return detail
  }
}

test('plain rows become the same file, or are refused in the same words, as if their cells were quoted', async () => {
  const root = temporaryFolder()
  await fc.assert(
    fc.asyncProperty(files, async ({ isEvents, ...file }) => {
      // A comma in a plain cell would be another cell.
      fc.pre(file.separator !== ',' || file.rows.every(({ value, other }) => !`${value}${other}`.includes(',')))
      const plain = await converted(root, textOf(file, ''), isEvents)
      expect(plain).toEqual(await converted(root, textOf(file, '"'), isEvents))
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['regular', false],
  ['events', true],
])('%s rows that need more memory than there is become the same file', async (_, isEvents) => {
  const root = temporaryFolder()
  const perOwner = 30_000
  const line = (symbol: string, at: number) => `${START + ((at * 7919) % perOwner) * 60_000},${symbol},${at % 1000}`
  const lines = Array.from({ length: perOwner }, (_each, at) => [line('A', at), line('B', at), line('A', at + 1)])
  const others = Array.from({ length: 200 }, (_each, at) => line(`S${at}`, at))
  const text = `time,symbol,v\n${lines.flat().join('\n')}\n${others.join('\n')}\n`
  const whole = await converted(root, text, isEvents)
  expect(whole).toMatchObject({ record: { rows: expect.any(Number) }, parts: [{}, {}] })
  const memory = { collectedBytes: 400_000, sortedBytes: 100_000 }
  expect(await converted(root, text, isEvents, memory)).toEqual(whole)
})
