import type { EventSource } from '../catalog/metricDatasets.ts'

/**
 * Raw events as columns. Times are microseconds since the epoch by the chosen timestamp, ascending; they are whole
 * numbers far below 2^53, so a Float64Array holds them exactly and is several times faster than 64-bit integers.
 */
export interface TradeEvents {
  timeUs: Float64Array
  price: Float64Array
  amount: Float64Array
  /** One of `sideCodes`. */
  side: Uint8Array
}

export interface QuoteEvents {
  timeUs: Float64Array
  /** A price of 0 is a missing one. */
  bidPrice: Float64Array
  bidAmount: Float64Array
  askPrice: Float64Array
  askAmount: Float64Array
}

/** Mark price, index price, funding rate, open interest: one number an event. */
export interface ValueEvents {
  timeUs: Float64Array
  value: Float64Array
}

/** Snapshots of `bookLevels` levels a side, best first: snapshot i is at [i·bookLevels, (i+1)·bookLevels). */
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

/** Any source's events, by field name. */
export type EventColumns = { timeUs: Float64Array } & Record<string, EventArray>

interface EventField {
  name: string
  type: 'float64' | 'uint8'
  /** Values per event. */
  width: number
}

const float = (name: string, width = 1): EventField => ({ name, type: 'float64', width })
const value = [float('timeUs'), float('value')]

/** The fields of each source's events. */
export const eventFields: Record<EventSource, readonly EventField[]> = {
  trades: [float('timeUs'), float('price'), float('amount'), { name: 'side', type: 'uint8', width: 1 }],
  quotes: ['timeUs', 'bidPrice', 'bidAmount', 'askPrice', 'askAmount'].map((name) => float(name)),
  mark_price: value,
  index_price: value,
  funding_rate: value,
  open_interest: value,
  book: [float('timeUs'), float('bidAmounts', bookLevels), float('askAmounts', bookLevels)],
}

/** Selects the events from one index up to another, exclusive, as views without copying. */
export function cutEvents(source: EventSource, events: EventColumns, from: number, to: number): EventColumns {
  const cut: Record<string, EventArray> = {}
  for (const { name, width } of eventFields[source]) cut[name] = events[name].subarray(from * width, to * width)
  return cut as EventColumns
}
