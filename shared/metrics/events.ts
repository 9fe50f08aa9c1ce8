/**
 * Raw events are kept as columns. Times are ascending microseconds since the epoch by the chosen clock; as integers far
 * below 2^53, they are exact in a Float64Array, which is several times faster than 64-bit integers.
 */

import type { EventSource } from '../catalog/metricDatasets.ts'

export interface TradeEvents {
  timeUs: Float64Array
  price: Float64Array
  amount: Float64Array
  /** Value of `sideCodes`. */
  side: Uint8Array
}

export interface QuoteEvents {
  timeUs: Float64Array
  /** Best bid price; 0 means missing. */
  bidPrice: Float64Array
  bidAmount: Float64Array
  askPrice: Float64Array
  askAmount: Float64Array
}

/** Events with a single number: mark price, index price, funding rate, open interest. */
export interface ValueEvents {
  timeUs: Float64Array
  value: Float64Array
}

/** Snapshots of `bookLevels` levels per side, best first: snapshot i is at [i·bookLevels, (i+1)·bookLevels). */
export interface BookEvents {
  timeUs: Float64Array
  bidAmounts: Float64Array
  askAmounts: Float64Array
}

export const bookLevels = 25

export const sideCodes = { unknown: 0, buy: 1, sell: 2 } as const

export interface EventsOf {
  trades: TradeEvents
  quotes: QuoteEvents
  mark_price: ValueEvents
  index_price: ValueEvents
  funding_rate: ValueEvents
  open_interest: ValueEvents
  book: BookEvents
}

export type EventArray = Float64Array | Uint8Array

/** Events of any source by field name. */
export type EventColumns = { timeUs: Float64Array } & Record<string, EventArray>

interface EventField {
  name: string
  type: 'float64' | 'uint8'
  /** Number of values per event. */
  width: number
}

const float = (name: string, width = 1): EventField => ({ name, type: 'float64', width })
const valueFields = [float('timeUs'), float('value')]

/** Fields of each source's events. */
export const eventFields: Record<EventSource, readonly EventField[]> = {
  trades: [float('timeUs'), float('price'), float('amount'), { name: 'side', type: 'uint8', width: 1 }],
  quotes: ['timeUs', 'bidPrice', 'bidAmount', 'askPrice', 'askAmount'].map((name) => float(name)),
  mark_price: valueFields,
  index_price: valueFields,
  funding_rate: valueFields,
  open_interest: valueFields,
  book: [float('timeUs'), float('bidAmounts', bookLevels), float('askAmounts', bookLevels)],
}

/** Returns the events from index `from` to `to` (exclusive) as views without copying. */
export function cutEvents(source: EventSource, events: EventColumns, from: number, to: number): EventColumns {
  const cut: Record<string, EventArray> = {}
  for (const { name, width } of eventFields[source]) cut[name] = events[name].subarray(from * width, to * width)
  return cut as EventColumns
}
