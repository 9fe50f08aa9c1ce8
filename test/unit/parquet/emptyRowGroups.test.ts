import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkTable, validateParquet } from '#core/downloads/verifyFile.ts'
import { readParquetPanel } from '#core/lab/parquetPanel.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers, readTexts } from '#core/parquet/readColumn.ts'
import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import { inspectFile } from '#core/raw/inspectFile.ts'
import { dataPage, i32, struct } from '../../fakes/hostileParquet.ts'
import {
  doubleBytes,
  encodings,
  longBytes,
  parquetBytes,
  textBytes,
  type WrittenChunk,
  type WrittenColumn,
} from '../../fakes/parquetBytes.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const DAY_MS = Date.UTC(2026, 7, 1)
const symbols = ['A', 'B', 'C']

interface Variant {
  /** Rows of each row group. */
  groups: readonly number[]
  hasDictionary: boolean
  version: 1 | 2
}

const variants: Variant[] = [[0], [0, 3], [3, 0], [3, 0, 3]].flatMap((groups) =>
  [true, false].flatMap((hasDictionary) => ([1, 2] as const).map((version) => ({ groups, hasDictionary, version }))),
)

function pageOf(version: 1 | 2, rows: number, body: Uint8Array, encoding: number): Uint8Array {
  if (version === 1) return dataPage({ rows, body, encoding })
  const page = struct({ 1: i32(rows), 2: i32(0), 3: i32(rows), 4: i32(encoding), 5: i32(0), 6: i32(0) })
  const header = struct({ 1: i32(3), 2: i32(body.length), 3: i32(body.length), 8: page })
  return new Uint8Array(Buffer.concat([header.bytes, body]))
}

function dictionaryOf(values: number, body: Uint8Array): Uint8Array {
  const header = struct({
    1: i32(2),
    2: i32(body.length),
    3: i32(body.length),
    7: struct({ 1: i32(values), 2: i32(encodings.PLAIN) }),
  })
  return new Uint8Array(Buffer.concat([header.bytes, body]))
}

/** Returns a chunk as pyarrow writes it: without rows it has an empty dictionary at most, and states no place of pages. */
function chunkOf({ hasDictionary, version }: Variant, rows: number, body: Uint8Array): WrittenChunk {
  const dictionary = hasDictionary ? { dictionary: dictionaryOf(rows, body) } : {}
  if (rows === 0) return { rows, pages: new Uint8Array(), hasNoPlace: true, ...dictionary }
  if (!hasDictionary) return { rows, pages: pageOf(version, rows, body, encodings.PLAIN) }
  // Three indexes of two bits: 0, 1, 2.
  const indexes = Uint8Array.of(2, 3, 0b100100, 0)
  return { rows, pages: pageOf(version, rows, indexes, encodings.RLE_DICTIONARY), ...dictionary }
}

function writeVariant(
  variant: Variant,
  columns: (row: number, rows: number) => Record<string, [WrittenColumn['type'], Uint8Array]>,
) {
  let firstRow = 0
  const written = new Map<string, WrittenColumn & { chunks: WrittenChunk[] }>()
  for (const rows of variant.groups) {
    for (const [name, [type, body]] of Object.entries(columns(firstRow, rows))) {
      const column = written.get(name) ?? {
        name,
        type,
        ...(type === 'BYTE_ARRAY' && { element: { 6: i32(0) } }),
        chunks: [],
      }
      column.chunks.push(chunkOf(variant, rows, body))
      written.set(name, column)
    }
    firstRow += rows
  }
  const path = join(temporaryFolder(), '2026-08-01.parquet')
  writeFileSync(path, parquetBytes([...written.values()]))
  return path
}

const numbersFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at)

const metricFile = (variant: Variant) =>
  writeVariant(variant, (row, rows) => ({
    time: ['INT64', longBytes(...numbersFrom(row, rows).map((each) => DAY_MS + each * 60_000))],
    close: ['DOUBLE', doubleBytes(...numbersFrom(row, rows))],
    symbol: ['BYTE_ARRAY', textBytes(...symbols.slice(0, rows))],
  }))

describe.each(variants)(
  'a file with row groups of $groups rows, dictionary $hasDictionary, pages of version $version',
  (variant) => {
    const rows = variant.groups.reduce((sum, each) => sum + each, 0)

    it.each([false, true])('is valid, its values compared with its statistics: %s', (deep) => {
      const { facts } = validateParquet(metricFile(variant), { deep })
      expect(facts).toMatchObject({ rows, firstTimeMs: rows === 0 ? null : DAY_MS, duplicateTimes: 0 })
    })

    it('has all its rows', () => {
      using file = new ParquetFile(metricFile(variant), { remember: false })
      const values = new Float64Array(rows)
      readNumbers(file, 'close', { from: 0, to: rows }, { values, at: 0 })
      expect([...values]).toEqual(numbersFrom(0, rows))
      const dictionary = new TextDictionary()
      const codes = new Int32Array(rows)
      readTexts(file, 'symbol', { from: 0, to: rows }, dictionary, { values: codes, at: 0 })
      expect([...codes].map((code) => dictionary.texts[code])).toEqual(
        numbersFrom(0, rows).map((row) => symbols[row % 3]),
      )
    })

    it('is a panel', () => {
      const path = metricFile(variant)
      checkTable({ path, columns: ['close', 'symbol'] })
      const batches: number[] = []
      const receiver = {
        onBatch: ({ times }: { times: Float64Array }) => void batches.push(times.length),
        batchRows: 100,
      }
      readParquetPanel({ path, known: undefined }, ['close'], receiver)
      expect(batches.reduce((sum, each) => sum + each, 0)).toBe(rows)
    })

    it('is a file of raw events, unless it has no rows', () => {
      const path = writeVariant(variant, (row, count) => {
        const times = numbersFrom(row, count).map((each) => (DAY_MS + each) * 1000)
        return {
          exchange_timestamp: ['INT64', longBytes(...times)],
          local_timestamp: ['INT64', longBytes(...times)],
          price: ['DOUBLE', doubleBytes(...numbersFrom(row, count))],
          amount: ['DOUBLE', doubleBytes(...numbersFrom(row, count))],
          side: ['BYTE_ARRAY', textBytes(...['buy', 'sell', 'buy'].slice(0, count))],
        }
      })
      const { contentIssues } = inspectFile(path, { venues: [] })
      const messages = contentIssues.map(({ message }) => message).join('\n')
      expect(messages).not.toMatch(/truncated|damaged|cannot be read/)
      expect(messages.includes('It has no rows.')).toBe(rows === 0)
    })
  },
)
