import type { ColumnSource } from 'hyparquet-writer'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Store } from '#core/store/store.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { type Period, periodDays } from '#shared/time/periods.ts'
import { addCachedFile } from './parquetCache.ts'

/** A row of a series: its time and its numbers by column; NaN is missing. */
export type MarketRow = { time: number } & Record<string, number>

export interface MarketSeries {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  columns: readonly string[]
  rows: readonly MarketRow[]
}

/** Writes rows as the metric files of the cache, one for each period that has rows. */
export function addMetricFiles(
  store: Store,
  dataDir: string,
  { dataset, exchange, symbol, interval, columns, rows }: MarketSeries,
  periods: readonly Period[],
  row: Partial<CachedFile> = {},
): void {
  const series = { connectionId: 'sandbox', kind: 'metrics' as const, dataset, exchange, symbol, interval }
  for (const period of periods) {
    const { start, end } = periodDays(period)!
    const own = rows.filter(({ time }) => time >= start * MS_PER_DAY && time < end * MS_PER_DAY)
    if (own.length === 0) continue
    const time = { name: 'time', type: 'INT64' as const, data: BigInt64Array.from(own, (row) => BigInt(row.time)) }
    const numbers = columns.map((name): ColumnSource => {
      const data = own.map((row) => (Number.isNaN(row[name]) ? null : row[name]))
      return { name, type: 'DOUBLE', data, nullable: true }
    })
    addCachedFile(store, dataDir, { ...series, timestamp: 'exchange' }, period, [time, ...numbers], row)
  }
}

/** An announcement of raw funding events: when it was published, the rate, and the funding time it names, if any. */
export interface Announcement {
  published: number
  rate: number
  next: number | null
}

/** Writes a day of raw funding events. */
export function addFundingEvents(
  store: Store,
  dataDir: string,
  { exchange, symbol }: { exchange: string; symbol: string },
  day: Period,
  events: readonly Announcement[],
): void {
  const series = { connectionId: 'sandbox', kind: 'raw' as const, dataset: 'funding_rate', exchange, symbol }
  const time = (name: string, of: (event: Announcement) => number | null): ColumnSource => ({
    name,
    type: 'TIMESTAMP',
    data: events.map(of).map((ms) => (ms === null ? null : new Date(ms))),
    nullable: name === 'next_funding_timestamp',
  })
  addCachedFile(store, dataDir, { ...series, interval: '', timestamp: '' }, day, [
    time('exchange_timestamp', ({ published }) => published),
    time('local_timestamp', ({ published }) => published),
    { name: 'local_timestamp_kind', type: 'STRING', data: events.map(() => 'measured') },
    { name: 'funding_rate', type: 'DOUBLE', data: Float64Array.from(events, ({ rate }) => rate) },
    time('next_funding_timestamp', ({ next }) => next),
  ])
}
