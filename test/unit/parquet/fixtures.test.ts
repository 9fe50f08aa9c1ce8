import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readSeries } from '#core/series/readSeries.ts'
import type { Column } from '#shared/contract/frame.ts'

const folder = join(import.meta.dirname, '../../fixtures/parquet')

interface Expected {
  rowsInFile: number
  withoutTime: number
  repeated: number
  times: number[]
  columns: Record<string, (number | string | null | { number: string })[]>
}
/** Values that DuckDB reads from the files, as test/fixtures/makeParquet.ts recorded them. */
const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, Expected>

const startMs = Date.UTC(2026, 8, 1)
const read = (name: string, columns: string[]) =>
  readSeries({
    slices: [{ path: join(folder, `${name}.parquet`), startMs, endMs: startMs + 86_400_000 }],
    columns,
    timeColumn: 'time',
    keepEqualTimes: false,
  })

function cellsOf(column: Column): (number | string | null)[] {
  if (column.kind === 'text') return Array.from(column.values, (code) => column.dictionary[code] ?? null)
  return Array.from(column.values, (value, row) => (column.valid?.[row] === 0 ? null : value))
}
const cellOf = (cell: Expected['columns'][string][number]) =>
  cell !== null && typeof cell === 'object' ? Number(cell.number) : cell

it('has an expectation for every file of the folder, and a file for every expectation', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.parquet'))
  expect(files.map((name) => name.replace(/\.parquet$/, '')).toSorted()).toEqual(Object.keys(expected).toSorted())
})

describe.each(Object.keys(expected))('the file %s', (name) => {
  const { rowsInFile, withoutTime, repeated, times, columns } = expected[name]

  it('is read as another reader reads it', () => {
    using file = new ParquetFile(join(folder, `${name}.parquet`))
    expect(file.rows).toBe(rowsInFile)
    const series = read(name, Object.keys(columns))
    expect(series.unread).toEqual([])
    expect([series.withoutTime, series.duplicates]).toEqual([withoutTime, repeated])
    const [time, ...others] = series.frame.columns
    expect([...time.values]).toEqual(times)
    expect(others.map((column) => column.name)).toEqual(Object.keys(columns))
    for (const column of others) expect(cellsOf(column), column.name).toEqual(columns[column.name].map(cellOf))
  })
})
