import { rmSync, writeFileSync } from 'node:fs'
import type { ColumnSource } from 'hyparquet-writer'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { createZstdWriter } from '#core/parquet/zstdWriter.ts'
import { readSeries } from '#core/series/readSeries.ts'
import { findFiles, rowTaskOf } from '#core/series/seriesFiles.ts'
import { forgetKnown } from '#core/series/changedFiles.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { rawDatasets, type RawColumn } from '#shared/catalog/rawDatasets.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { cellOf } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { type Period, periodDays } from '#shared/time/periods.ts'
import { expect, it } from 'vitest'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { randomOf } from '../../fakes/panelWorld.ts'
import { addCachedFile, indexFile, writeCachedFile } from '../../fakes/parquetCache.ts'
import { openSqlWorld, type Row, type SqlWorld } from '../../fakes/sqlWorld.ts'

const strange = [NaN, -0, Infinity, -Infinity, 5e-324, 1.7976931348623157e308, null]

/** Returns a column of numbers of one physical Parquet type, with values that are hard to preserve. */
function numbersOf(name: string, count: number, random: () => number): ColumnSource {
  const types = ['DOUBLE', 'DOUBLE', 'DOUBLE', 'FLOAT', 'INT32', 'INT64'] as const
  const type = types[Math.floor(random() * types.length)]
  const isWhole = type === 'INT32' || type === 'INT64'
  const cell = () => {
    if (random() < 0.3) return isWhole ? null : strange[Math.floor(random() * strange.length)]
    const value = isWhole ? Math.floor(random() * 2e9) - 1e9 : (random() - 0.5) * 1e4
    return type === 'FLOAT' ? Math.fround(value) : value
  }
  const cells = Array.from({ length: count }, cell)
  if (type === 'INT64')
    return { name, type, nullable: true, data: cells.map((each) => (each === null ? null : BigInt(each))) }
  return { name, type, nullable: true, data: cells }
}

const HOUR_MS = 3_600_000
const ROWS = 30

/** Returns the rows of a file: some hours of its period, ordered or not, some of them twice. */
function metricFile(columns: readonly string[], period: Period, seed: number): ColumnSource[] {
  const random = randomOf(seed)
  const { start } = periodDays(period)!
  const hours = Array.from({ length: ROWS }, (_, at) => (seed % 2 === 0 ? at : (at * 7) % ROWS) % 24)
  const times = hours.map((hour, at) => start * MS_PER_DAY + (at > ROWS / 2 ? hour : Math.floor(hour / 2)) * HOUR_MS)
  const time: ColumnSource =
    seed % 3 === 0
      ? { name: 'time', type: 'TIMESTAMP', data: times.map((each) => new Date(each)) }
      : { name: 'time', type: 'INT64', data: BigInt64Array.from(times, BigInt) }
  // Some files lack columns and have the others in a different order, as older files do.
  const there = seed % 4 === 1 ? columns.filter((_, at) => at % 3 > 0).toReversed() : columns
  return [time, ...there.map((name) => numbersOf(name, times.length, random))]
}

const periods: Period[] = ['2026-06', '2026-07', '2026-07-03', '2026-08-01', '2026-08-02']

/** Returns the ids of three connections: the sandbox and two new ones. */
function threeConnections({ store }: SqlWorld): string[] {
  const added = ['one', 'two'].map((name) =>
    store.connections.add({
      ...{ name, metricsUrl: 'http://127.0.0.1:1', portfolioUrl: 'http://127.0.0.1:1' },
      ...{ catalogLocation: '', tier: null },
    } as never),
  )
  return ['sandbox', ...added.map(({ id }) => id)]
}

/** Returns the rows that charts and exports read. */
function readerRows({ store }: SqlWorld, series: OwnedSeries, columns: readonly string[]): Row[] {
  const found = findFiles(store, { series, timestamp: series.timestamp === 'true' ? 'true' : 'exchange' }, ALL)
  const task = { ...rowTaskOf(store, found), columns }
  forgetKnown(task)
  const { frame } = readSeries(task)
  return Array.from({ length: frame.rows }, (_, row) =>
    Object.fromEntries(frame.columns.map((column) => [column.name, cellOf(column, row)])),
  )
}

const ALL = { startMs: null, endMs: null }

/** Compares rows cell by cell with Object.is, because toEqual would take too long for so many cells. */
function expectSame(rows: readonly Row[], expected: readonly Row[], columns: readonly string[]): void {
  expect(rows.length).toBe(expected.length)
  rows.forEach((row, at) => {
    for (const column of columns)
      if (!Object.is(row[column], expected[at][column] ?? null))
        expect({ at, column, value: row[column] }).toEqual({ at, column, value: expected[at][column] })
  })
}

it('has the rows of the reader in every view of metrics: types, months, days, clocks, duplicates, origins, connections, changes', async () => {
  const world = openSqlWorld()
  const connections = threeConnections(world)
  for (const { id: dataset, columns: described } of metricDatasets) {
    const columns = described.map(({ name }) => name)
    const at = metricDatasets.findIndex(({ id }) => id === dataset)
    const main = connections[at % 3]
    const seriesOf = (over: Partial<OwnedSeries>) =>
      flowSeries({ dataset, interval: '1h', connectionId: main, ...over })
    const all = [seriesOf({}), seriesOf({ timestamp: 'true' }), seriesOf({ connectionId: computedOwner(main) })]
    const add = (series: OwnedSeries, period: Period, seed: number) =>
      addCachedFile(world.store, world.dataDir, series, period, metricFile(columns, period, seed))
    // The first series has files of all periods, the others have fewer, because each file takes some milliseconds.
    const paths = all.map((series, place) =>
      periods
        .filter((_, number) => place === 0 || number % 2 === 0)
        .map((period, number) => add(series, period, at + place * 10 + number)),
    )
    connections
      .filter((connectionId) => connectionId !== main)
      .forEach((connectionId, place) => add(seriesOf({ connectionId }), '2026-08-01', 90 + place))

    const compare = async (connectionId: string, some: readonly OwnedSeries[]) => {
      const wanted = ['time', 'known_at', ...columns]
      const rows = await world.query(
        `SELECT ${wanted.map((name) => `"${name}"`).join(', ')} FROM metrics.${dataset} ORDER BY origin DESC, clock, time`,
        { connectionId },
      )
      const expected = some.flatMap((series) => readerRows(world, series, columns))
      expect(expected.length).toBeGreaterThan(some.length * 10)
      const known = expected.map((row): Row => ({ ...row, known_at: Number(row.time) + HOUR_MS }))
      expectSame(rows, known, wanted)
    }
    for (const connectionId of connections)
      await compare(connectionId, connectionId === main ? all : [seriesOf({ connectionId })])

    rmSync(paths[0][3])
    writeFileSync(
      paths[1][2],
      new Uint8Array(parquetWriteBuffer({ columnData: metricFile(columns, '2026-08-02', at + 50) })),
    )
    await compare(main, all)
  }
})

const micros = (name: string) =>
  ({ name, type: 'INT64', converted_type: 'TIMESTAMP_MICROS', repetition_type: 'OPTIONAL' }) as const

/**
 * Returns a file of events as a service writes it: times in microseconds, several events at one instant, not all in
 * order.
 */
async function eventFile(columns: readonly RawColumn[], day: number, seed: number): Promise<Uint8Array> {
  const random = randomOf(seed)
  const { bytes, writer } = createZstdWriter(
    columns.map(({ name, type }) => {
      if (type === 'timestamp') return micros(name)
      return type === 'string'
        ? ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const)
        : ({ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' } as const)
    }),
  )
  const startMicros = BigInt(day * MS_PER_DAY) * 1000n
  const instants = Array.from({ length: ROWS }, () => startMicros + BigInt(Math.floor(random() * 40) * 1_000_003))
  const cellsOf = ({ name, type, nullable }: RawColumn) => {
    if (name === 'exchange_timestamp') return instants
    if (type === 'timestamp') return instants.map((each) => (nullable && random() < 0.3 ? null : each + 7n))
    if (type === 'string') return instants.map((_, at) => ['measured', '龙', '', `${at}`][at % 4])
    return instants.map(() => (random() < 0.3 ? strange[Math.floor(random() * 6)] : random() * 1e5))
  }
  await writer.write({
    columnData: columns.map((column) => {
      const data = cellsOf(column) as (number | bigint | string | null)[]
      return column.type === 'float64' ? { name: column.name, data, encoding: 'PLAIN' } : { name: column.name, data }
    }),
  })
  await writer.finish()
  return new Uint8Array(bytes.buffer, 0, bytes.index).slice()
}

it('has the events of the reader in every view of raw events, with microseconds, duplicates and order', async () => {
  const world = openSqlWorld()
  const connections = threeConnections(world)
  for (const { id: dataset, columns } of rawDatasets) {
    const seriesOf = (connectionId: string) =>
      flowSeries({ kind: 'raw', dataset, interval: '', timestamp: '', connectionId })
    const add = async (series: OwnedSeries, period: Period, seed: number) => {
      const path = writeCachedFile(world.dataDir, series, period)
      writeFileSync(path, await eventFile(columns, periodDays(period)!.start, seed))
      indexFile(world.store, world.dataDir, series, period)
      return path
    }
    let gone = ''
    for (const [at, connectionId] of connections.entries())
      for (const period of ['2026-08-01', '2026-08-02'].slice(0, at + 1))
        gone = await add(seriesOf(connectionId), period, at + Number(period.slice(-1)) * 10)

    const names = columns.map(({ name }) => name)
    const compare = async (connectionId: string) => {
      const rows = await world.query(`FROM raw.${dataset}`, { connectionId, threads: 1 })
      const expected = readerRows(
        world,
        seriesOf(connectionId),
        names.filter((name) => name !== 'exchange_timestamp'),
      )
      const events = rows.toSorted((a, b) => Number(a.exchange_timestamp) - Number(b.exchange_timestamp))
      expect(expected.length).toBeGreaterThanOrEqual(ROWS)
      const timed = expected.map((row): Row => ({ ...row, exchange_timestamp: row.time }))
      expectSame(events, timed, names)
    }
    for (const connectionId of connections) await compare(connectionId)
    rmSync(gone)
    await compare(connections[2])
  }
})
