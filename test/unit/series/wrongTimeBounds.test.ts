import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readEventRowGroups } from '#core/compute/eventRowGroups.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { seekEvent } from '#core/raw/eventRows.ts'
import { selectRows } from '#core/series/rowSelection.ts'
import { type EncodedValue, i32, struct } from '../../fakes/hostileParquet.ts'
import { doubleBytes, longBytes, parquetBytes, plainChunk, statisticsOf } from '../../fakes/parquetBytes.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const START_MS = Date.UTC(2026, 7, 1)
const GROUP_ROWS = 4
const GROUPS = 5

const flag = { type: 1, bytes: new Uint8Array() }
const empty = struct({})
const timestamps: [string, number, Record<number, EncodedValue>][] = [
  ['milliseconds', 1, { 6: i32(9) }],
  ['microseconds', 1000, { 6: i32(10) }],
  ['nanoseconds', 1_000_000, { 10: struct({ 8: struct({ 1: flag, 2: struct({ 3: empty }) }) }) }],
]

/** Writes a row every minute; all row groups but the last state the times of the last one. */
function writeFile(name: string, perMs: number, element: Record<number, EncodedValue>): string {
  const timeOf = (row: number) => BigInt(START_MS + row * 60_000) * BigInt(perMs)
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    Array.from({ length: GROUP_ROWS }, (_, at) => timeOf(group * GROUP_ROWS + at)),
  )
  const last = groups[GROUPS - 1]
  const stated = statisticsOf(longBytes(last[0]), longBytes(last[GROUP_ROWS - 1]))
  const path = join(temporaryFolder(), 'file.parquet')
  writeFileSync(
    path,
    parquetBytes([
      {
        name,
        type: 'INT64',
        element,
        chunks: groups.map((times) => ({ ...plainChunk(GROUP_ROWS, longBytes(...times)), statistics: stated })),
      },
      { name: 'x', type: 'DOUBLE', chunks: groups.map(() => plainChunk(GROUP_ROWS, doubleBytes(1, 2, 3, 4))) },
    ]),
  )
  return path
}

it.each(timestamps)('finds all rows of a range whatever times in %s the row groups state', (_, perMs, element) => {
  using file = new ParquetFile(writeFile('time', perMs, element), { remember: false })
  const range = { startMs: START_MS, endMs: START_MS + 7 * 60_000 }
  const { times } = selectRows(file, 'time', range, false)
  expect([...times]).toEqual(Array.from({ length: 7 }, (_, row) => START_MS + row * 60_000))
})

it.each(timestamps)('finds the event of a time whatever times in %s the row groups state', (_, perMs, element) => {
  const timeOf = (row: number) => BigInt(START_MS + row * 60_000) * BigInt(perMs)
  const path = join(temporaryFolder(), 'file.parquet')
  const first = statisticsOf(longBytes(timeOf(0)), longBytes(timeOf(0)))
  const chunks = Array.from({ length: GROUPS }, (_, group) => ({
    ...plainChunk(
      GROUP_ROWS,
      longBytes(...Array.from({ length: GROUP_ROWS }, (_, at) => timeOf(group * GROUP_ROWS + at))),
    ),
    statistics: first,
  }))
  writeFileSync(path, parquetBytes([{ name: 'exchange_timestamp', type: 'INT64', element, chunks }]))
  const timeMs = START_MS + 6 * 60_000
  expect(seekEvent({ files: [{ path }], filters: [], timeMs, timeColumn: 'exchange_timestamp' })).toBe(6)
})

it('refuses whole milliseconds outside of what the row groups state, as any other number', () => {
  using file = new ParquetFile(writeFile('time', 1, {}), { remember: false })
  const range = { startMs: START_MS, endMs: START_MS + 7 * 60_000 }
  expect(() => selectRows(file, 'time', range, false)).toThrow('its values do not match the file’s statistics')
})

it.each(timestamps)('computes with the row groups of a time whatever times in %s they state', (_, perMs, element) => {
  using file = new ParquetFile(writeFile('exchange_timestamp', perMs, element), { remember: false })
  const ranges = readEventRowGroups(file, 'exchange_timestamp').map(({ minUs, maxUs }) => [minUs, maxUs])
  const timeUs = (row: number) => (START_MS + row * 60_000) * 1000
  expect(ranges).toEqual(
    Array.from({ length: GROUPS }, (_group, at) => [timeUs(at * GROUP_ROWS), timeUs(at * GROUP_ROWS + GROUP_ROWS - 1)]),
  )
})
