import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { EventSource } from '#shared/catalog/metricDatasets.ts'
import type { EventArray, EventColumns, EventsOf } from '#shared/metrics/events.ts'
import { eventFields } from '#shared/metrics/events.ts'
import { lowerBound } from '#shared/search.ts'
import { feedBySource, type MarketDay } from '../events/marketDay.ts'

/** Functions that return a source's events of a day without times, with the field names of the metric engine. */
const fieldsOf: { [S in EventSource]: (day: MarketDay) => Omit<EventsOf[S], 'timeUs'> } = {
  trades: ({ trades }) => ({ price: trades.price, amount: trades.amount, side: trades.side }),
  quotes: ({ quotes }) => ({
    bidPrice: quotes.bidPrice,
    bidAmount: quotes.bidAmount,
    askPrice: quotes.askPrice,
    askAmount: quotes.askAmount,
  }),
  mark_price: ({ mark }) => ({ value: mark.value }),
  index_price: ({ index }) => ({ value: index.value }),
  funding_rate: ({ funding }) => ({ value: funding.value }),
  open_interest: ({ openInterest }) => ({ value: openInterest.value }),
  book: ({ book }) => ({ bidAmounts: book.bidAmount, askAmounts: book.askAmount }),
}

function eventsOfDay(source: EventSource, day: MarketDay, timestamp: TimestampSource): EventColumns {
  const times = day[feedBySource[source]]
  // Arrival times are read only if needed, because reading them draws them.
  return { timeUs: timestamp === 'true' ? times.localUs : times.exchangeUs, ...fieldsOf[source](day) } as EventColumns
}

/**
 * Returns the indexes of the times in ascending order, equal times in their given order; null if the times ascend
 * already. Fast if the times are nearly sorted.
 */
function ascendingOrder(timeUs: Float64Array): Uint32Array | null {
  let sorted = 1
  while (sorted < timeUs.length && timeUs[sorted] >= timeUs[sorted - 1]) sorted++
  if (sorted >= timeUs.length) return null
  const order = Uint32Array.from(timeUs, (_, index) => index)
  for (let i = sorted; i < order.length; i++) {
    const moved = order[i]
    let at = i
    for (; at > 0 && timeUs[order[at - 1]] > timeUs[moved]; at--) order[at] = order[at - 1]
    order[at] = moved
  }
  return order
}

function reorder(source: EventSource, columns: EventColumns, order: Uint32Array): EventColumns {
  const sorted: Record<string, EventArray> = {}
  for (const { name, type, width } of eventFields[source]) {
    const from = columns[name]
    const to = type === 'uint8' ? new Uint8Array(from.length) : new Float64Array(from.length)
    for (let i = 0; i < order.length; i++) {
      for (let k = 0; k < width; k++) to[i * width + k] = from[order[i] * width + k]
    }
    sorted[name] = to
  }
  return sorted as EventColumns
}

function concatenate(source: EventSource, first: EventColumns, second: EventColumns): EventColumns {
  const joinedColumns: Record<string, EventArray> = {}
  for (const { name, type } of eventFields[source]) {
    const length = first[name].length + second[name].length
    joinedColumns[name] = type === 'uint8' ? new Uint8Array(length) : new Float64Array(length)
    joinedColumns[name].set(first[name])
    joinedColumns[name].set(second[name], first[name].length)
  }
  return joinedColumns as EventColumns
}

function slice(source: EventSource, columns: EventColumns, from: number, to: number): EventColumns {
  const part: Record<string, EventArray> = {}
  for (const { name, width } of eventFields[source]) part[name] = columns[name].subarray(from * width, to * width)
  return part as EventColumns
}

/**
 * Events of one source, day after day, in order of the chosen clock. If that is arrival time, the last events of a day
 * come after midnight and are kept here for the next day.
 */
export class DayFeed {
  private readonly source: EventSource
  private readonly timestamp: TimestampSource
  private lateEvents: EventColumns | null = null

  constructor(source: EventSource, timestamp: TimestampSource) {
    this.source = source
    this.timestamp = timestamp
  }

  /** Returns the events before `boundUs` in order: those kept from the day before, and those of the day. */
  next(day: MarketDay, boundUs: number): EventColumns {
    const { source } = this
    const dayEvents = eventsOfDay(source, day, this.timestamp)
    const all = this.lateEvents ? concatenate(source, this.lateEvents, dayEvents) : dayEvents
    const order = ascendingOrder(all.timeUs)
    const sorted = order ? reorder(source, all, order) : all
    const at = lowerBound(sorted.timeUs, boundUs)
    this.lateEvents = at < sorted.timeUs.length ? slice(source, sorted, at, sorted.timeUs.length) : null
    return slice(source, sorted, 0, at)
  }
}
