import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer, schemaFromColumnData, type ColumnSource } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { validateParquet, type ValidateOptions } from '#core/downloads/verifyFile.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { timeTableParquet } from '#core/parquet/timeTable.ts'
import { filePath } from '#core/store/partitions.ts'
import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import type { AppError } from '#shared/contract/errors.ts'
import { dataPage, hostileFile } from '../../fakes/hostileParquet.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const startMs = Date.UTC(2026, 8, 1)
const hourMs = 3_600_000

function writeTemporary(bytes: Uint8Array): string {
  const path = join(temporaryFolder(), 'file.parquet')
  writeFileSync(path, bytes)
  return path
}

const fileOf = (columnData: ColumnSource[]) =>
  writeTemporary(new Uint8Array(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' })))

const timesAt = (...hours: (number | null)[]): ColumnSource => ({
  name: 'time',
  type: 'INT64',
  data: hours.map((hour) => (hour === null ? null : BigInt(startMs + hour * hourMs))),
})

const factsOf = (columnData: ColumnSource[], options?: ValidateOptions) =>
  validateParquet(fileOf(columnData), options).facts

describe('the times of a file', () => {
  test.each([
    ['on a grid', [0, 1, 2, 3], { firstTimeMs: 0, lastTimeMs: 3, stepMs: 1, duplicateTimes: 0 }],
    ['with a gap', [0, 1, 3], { firstTimeMs: 0, lastTimeMs: 3, stepMs: null, duplicateTimes: 0 }],
    ['in another order', [2, 0, 3, 1], { firstTimeMs: 0, lastTimeMs: 3, stepMs: null, duplicateTimes: 0 }],
    ['with repeated ones', [0, 1, 1, 2, 2, 2], { firstTimeMs: 0, lastTimeMs: 2, stepMs: null, duplicateTimes: 3 }],
    ['with missing ones', [null, 1, null, 2], { firstTimeMs: 1, lastTimeMs: 2, stepMs: null, duplicateTimes: 0 }],
    ['of one row', [5], { firstTimeMs: 5, lastTimeMs: 5, stepMs: null, duplicateTimes: 0 }],
  ])('%s', (_, hours, { firstTimeMs, lastTimeMs, stepMs, duplicateTimes }) => {
    expect(factsOf([timesAt(...hours)])).toMatchObject({
      rows: hours.length,
      firstTimeMs: startMs + firstTimeMs * hourMs,
      lastTimeMs: startMs + lastTimeMs * hourMs,
      stepMs: stepMs && stepMs * hourMs,
      duplicateTimes,
    })
  })

  test('of no row are none', () => {
    const none = { rows: 0, firstTimeMs: null, lastTimeMs: null, stepMs: null, duplicateTimes: 0 }
    expect(factsOf([{ name: 'time', type: 'INT64', data: new BigInt64Array(0) }])).toMatchObject(none)
  })

  test.each([
    ['MICROS', true, 'timestamp[us, UTC]', 1000n],
    ['MICROS', false, 'timestamp[us]', 1000n],
    ['MILLIS', true, 'timestamp[ms, UTC]', 1n],
    ['NANOS', true, 'timestamp[ns, UTC]', 1_000_000n],
  ] as const)('are read in milliseconds from %s (of UTC: %s)', (unit, isAdjustedToUTC, type, perMs) => {
    const element: SchemaElement = {
      ...{ name: 'exchange_timestamp', type: 'INT64' as const, repetition_type: 'REQUIRED' as const },
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit },
    }
    const data = [startMs, startMs + 1].map((ms) => BigInt(ms) * perMs)
    const schema = [{ name: 'root', num_children: 1 }, element]
    const { facts } = validateParquet(
      writeTemporary(
        new Uint8Array(parquetWriteBuffer({ schema, columnData: [{ name: 'exchange_timestamp', data }] })),
      ),
    )
    expect(facts).toMatchObject({ firstTimeMs: startMs, lastTimeMs: startMs + 1, stepMs: 1 })
    expect(facts.columns).toEqual([{ name: 'exchange_timestamp', type, nulls: 0, min: startMs, max: startMs + 1 }])
  })

  test.each([
    ['missing in its only row', [timesAt(null)], 'No row of the file has a time.'],
    ['missing in all rows', [timesAt(null, null)], 'No row of the file has a time.'],
    ['in no column', [{ name: 'value', type: 'DOUBLE', data: [1] }], 'it has no time column'],
    ['a text', [{ name: 'time', type: 'STRING', data: ['noon'] }], 'its column time is text, not times'],
  ] as [string, ColumnSource[], string][])('%s: refused', (_, columns, why) => {
    expect(() => factsOf(columns)).toThrow(
      expect.objectContaining({ code: 'corrupt-file', detail: expect.stringContaining(why) as string }) as Error,
    )
  })
})

describe('the period of a file', () => {
  const rowsWithin = { startMs, endMs: startMs + 24 * hourMs }

  test.each([
    ['its first moment', [0]],
    ['its last hour, among others outside', [-1, 23, 24]],
  ])('is met by a row at %s', (_, hours) => {
    expect(factsOf([timesAt(...hours)], { rowsWithin }).rows).toBe(hours.length)
  })

  test.each([
    ['before it', [-2, -1]],
    ['at its end', [24, 25]],
  ])('is missed by rows %s', (_, hours) => {
    expect(() => factsOf([timesAt(...hours)], { rowsWithin })).toThrow('none of its rows is in its period')
  })

  test('sets a limit to its rows', () => {
    expect(factsOf([timesAt(0, 1)], { mostRows: 2 }).rows).toBe(2)
    expect(() => factsOf([timesAt(0, 1)], { mostRows: 1 })).toThrow('it claims 2 rows, but it can have at most 1')
  })

  test('may have no row', () => {
    const empty: ColumnSource = { name: 'time', type: 'INT64', data: new BigInt64Array(0) }
    expect(factsOf([empty], { rowsWithin }).rows).toBe(0)
  })
})

describe('the columns of a file', () => {
  const rangeOf = (type: 'DOUBLE' | 'INT64' | 'BOOLEAN' | 'STRING', data: unknown[]) =>
    factsOf([timesAt(...data.keys()), { name: 'value', type, data } as ColumnSource]).columns[1]

  test.each([
    ['doubles with nulls', 'DOUBLE', [2.5, null, -1, null], { type: 'double', nulls: 2, min: -1, max: 2.5 }],
    ['whole numbers', 'INT64', [7n, -3n], { type: 'int64', nulls: 0, min: -3, max: 7 }],
    ['flags', 'BOOLEAN', [false, true], { type: 'boolean', nulls: 0, min: 0, max: 1 }],
    ['texts with nulls', 'STRING', ['b', null, 'a'], { type: 'text', nulls: 1, min: null, max: null }],
    ['nothing but nulls', 'DOUBLE', [null, null], { type: 'double', nulls: 2, min: null, max: null }],
    ['a value that is infinitely large', 'DOUBLE', [5, Infinity, 6], { nulls: 0, min: 5, max: 6 }],
    ['a value that is infinitely small', 'DOUBLE', [5, -Infinity, 6], { nulls: 0, min: 5, max: 6 }],
    ['equal values', 'DOUBLE', [4, 4], { nulls: 0, min: 4, max: 4 }],
  ] as const)('of %s have their nulls and their finite bounds', (_, type, data, expected) => {
    expect(rangeOf(type, [...data])).toMatchObject({ name: 'value', ...expected })
  })

  test('are not read, apart from the headers of their pages, unless every value is asked for', () => {
    const value: ColumnSource = { name: 'value', type: 'DOUBLE', data: [0.1, 0.2, 0.3] }
    const path = fileOf([timesAt(0, 1, 2), value])
    const bytes = readFileSync(path)
    {
      using file = new ParquetFile(path, { remember: false })
      const { data_page_offset: at, total_compressed_size: size } = file.rowGroups[0].chunks[1]
      const VALUE_BYTES = 24
      writeFileSync(path, bytes.fill(0x40, at + size - VALUE_BYTES, at + size))
      expect(validateParquet(path).facts.columns[1]).toMatchObject({ min: 0.1, max: 0.3 })
      expect(() => validateParquet(path, { deep: true })).toThrow('column value')
      writeFileSync(path, bytes.fill(0xff, at, at + size))
      expect(() => validateParquet(path)).toThrow('column value')
    }
  })

  test('that would lie before the first page are reported as truncated', () => {
    const pages = dataPage({ rows: 1, body: new Uint8Array(8) })
    const path = writeTemporary(
      hostileFile([
        { pages, rows: 1 },
        { name: 'value', pages, rows: 1, claims: { dataPageOffset: 2 } },
      ]),
    )
    expect(() => validateParquet(path)).toThrow('it is truncated')
  })
})

describe('the types of a metric file', () => {
  const day = { kind: 'metrics', dataset: 'ohlcv', exchange: 'v', symbol: 'S', interval: '1h', timestamp: 'exchange' }

  function validate(column: ColumnSource, logicalType?: SchemaElement['logical_type']): string | null {
    const path = join(temporaryFolder(), filePath(day as SeriesKey, '2026-09-01'))
    mkdirSync(dirname(path), { recursive: true })
    const columnData = [timesAt(0, 1), column]
    const schema = schemaFromColumnData({ columnData })
    if (logicalType) schema[2].logical_type = logicalType
    const untyped = columnData.map(({ name, data }) => ({ name, data }))
    writeFileSync(path, new Uint8Array(parquetWriteBuffer({ schema, columnData: untyped })))
    try {
      validateParquet(path)
      return null
    } catch (thrown) {
      return (thrown as AppError).detail?.replace(path, '') ?? ''
    }
  }

  test.each([
    ['text', { name: 'close', type: 'STRING', data: ['1', '2'] }, 'text'],
    ['flags', { name: 'close', type: 'BOOLEAN', data: [true, false] }, 'true or false'],
    ['times', { name: 'close', type: 'TIMESTAMP', data: [new Date(0), new Date(1)] }, 'dates or times'],
  ] as [string, ColumnSource, string][])('%s in a documented column: the file is refused', (_, column, what) => {
    expect(validate(column)).toBe(`: its column close is ${what}, not numbers.`)
  })

  test('dates in a documented column: the file is refused', () => {
    const column: ColumnSource = { name: 'close', type: 'INT32', data: [1, 2] }
    expect(validate(column, { type: 'DATE' })).toBe(': its column close is dates or times, not numbers.')
  })

  test.each([
    ['a documented column without values', { name: 'close', type: 'STRING', data: [null, null] }],
    ['a column that no document names', { name: 'note', type: 'STRING', data: ['1', '2'] }],
    ['whole numbers', { name: 'close', type: 'INT32', data: [1, 2] }],
    ['single-precision numbers', { name: 'close', type: 'FLOAT', data: [1, null] }],
  ] as [string, ColumnSource][])('%s: accepted', (_, column) => expect(validate(column)).toBeNull())
})

test('the origin that a file states is kept, unless it is too long to be one', () => {
  const table = { times: [startMs], columns: [{ name: 'value', values: [1] }] }
  const provenanceOf = (text: string) => validateParquet(writeTemporary(timeTableParquet(table, text))).facts.provenance
  expect(provenanceOf('{"engine":"duckdb"}')).toBe('{"engine":"duckdb"}')
  expect(provenanceOf('x'.repeat(65_536))).toHaveLength(65_536)
  expect(provenanceOf('x'.repeat(65_537))).toBeUndefined()
  expect(provenanceOf('')).toBeUndefined()
})
