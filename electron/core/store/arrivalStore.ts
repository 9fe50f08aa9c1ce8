import type { DayNumber } from '#shared/time/periods.ts'
import type { Database } from './database.ts'

/** Series of metrics of which arrivals are wanted. */
interface ArrivalFilter {
  datasets: readonly string[]
  intervals: readonly string[]
  timestamps: readonly string[]
  pairs: readonly { exchange: string; symbol: string }[]
  /** First day that the files must reach. */
  fromDay: DayNumber
}

/** When the first version of a file came. */
export interface Arrival {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
  startDay: DayNumber
  endDay: DayNumber
  /** Null if it is not known. */
  arrivedAtMs: number | null
}

/** When the first versions of files came, whether they are still here or not. */
export interface ArrivalStore {
  list(filter: ArrivalFilter): Arrival[]
}

export const createArrivalStore = ({ reads }: Database): ArrivalStore => ({
  list: ({ datasets, intervals, timestamps, pairs, fromDay }) =>
    reads.all<Arrival>(
      `SELECT dataset, exchange, symbol, interval, timestamp, start_day AS startDay, end_day AS endDay,
         arrived_at_ms AS arrivedAtMs
       FROM arrival_series JOIN first_arrivals ON series_id = id
       WHERE kind = 'metrics' AND dataset IN (SELECT value FROM json_each(?)) AND interval IN (SELECT value FROM json_each(?))
         AND timestamp IN (SELECT value FROM json_each(?)) AND end_day > ?
         AND (exchange, symbol) IN (SELECT value ->> '$.exchange', value ->> '$.symbol' FROM json_each(?))`,
      JSON.stringify(datasets),
      JSON.stringify(intervals),
      JSON.stringify(timestamps),
      fromDay,
      JSON.stringify(pairs.map(({ exchange, symbol }) => ({ exchange, symbol }))),
    ),
})
