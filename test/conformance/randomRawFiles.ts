import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { encodeSymbol } from '#shared/catalog/symbols.ts'
import { fieldsOfSource } from '#shared/metrics/plan.ts'
import type { EventColumns } from '#shared/metrics/events.ts'
import { type Events, startUs } from '../unit/metrics/randomEvents.ts'

const sides = ['unknown', 'buy', 'sell']
const DAY_US = 86_400_000_000

const fieldNames: Record<string, string> = {
  bid_price: 'bidPrice',
  bid_amount: 'bidAmount',
  ask_price: 'askPrice',
  ask_amount: 'askAmount',
}

/** Amounts whose notional at a price of 100 is exactly at a bound between size classes, or slightly above it. */
const boundAmounts = [1, 1.005, 10, 10.005]

/** Gives every 40th trade a notional at a bound between two size classes. */
export function atSizeBounds(events: Events): Events {
  const { price, amount } = events.trades
  for (let i = 0; i < price.length; i += 40) {
    price[i] = 100
    amount[i] = boundAmounts[(i / 40) % boundAmounts.length]
  }
  return events
}

/** Writes events as raw files of two days; events at equal times keep their order. */
export async function writeRawFiles(
  connection: DuckDBConnection,
  events: Events,
  raw: string,
  exchange: string,
  symbol: string,
): Promise<void> {
  for (const [source, fields] of Object.entries(fieldsOfSource)) {
    const columns = events[source as keyof typeof fieldsOfSource] as unknown as EventColumns
    const folder = join(raw, `dataset=${source}`, `exchange=${exchange}`, `symbol=${encodeSymbol(symbol)}`)
    mkdirSync(folder, { recursive: true })
    const valuesOf = (field: string, i: number) => {
      if (field === 'sign') return `'${sides[columns.side[i]]}'`
      return `${(columns[field] ?? columns[fieldNames[field]] ?? columns.value)[i]}::DOUBLE`
    }
    const rows = [...columns.timeUs].map(
      (timeUs, i) => `(${[i, timeUs, ...fields.map((field) => valuesOf(field, i))].join(', ')})`,
    )
    const names = fields.map((field) => (field === 'sign' ? 'side' : field))
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE events AS FROM (VALUES ${rows.join(', ')}) AS v(place, time_us, ${names.join(', ')})`,
    )
    for (const day of [0, 1]) {
      const from = startUs + day * DAY_US
      const file = join(folder, `2026-09-0${day + 1}.parquet`)
      await connection.run(
        `COPY (SELECT make_timestamp(time_us) AS exchange_timestamp, make_timestamp(time_us) AS local_timestamp, ` +
          `'measured' AS local_timestamp_kind, ${names.join(', ')} FROM events ` +
          `WHERE time_us >= ${from} AND time_us < ${from + DAY_US} ORDER BY place) TO '${file}' (FORMAT parquet)`,
      )
    }
  }
}
