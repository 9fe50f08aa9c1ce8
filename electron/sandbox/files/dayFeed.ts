import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { EventSource } from '#shared/catalog/metricDatasets.ts'
import type { EventArray, EventColumns, EventsOf } from '#shared/metrics/events.ts'
import { cutEvents, eventFields } from '#shared/metrics/events.ts'
import { lowerBound } from '#shared/search.ts'
import { joinNumbers } from '#shared/statistics/joinNumbers.ts'
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

function isAscending(timeUs: Float64Array): boolean {
  for (let i = 1; i < timeUs.length; i++) if (timeUs[i] < timeUs[i - 1]) return false
  return true
}

/**
 * Returns the indexes of the times in ascending order, equal times in their given order. Fast if the times are nearly
 * sorted.
 */
function ascendingOrder(timeUs: Float64Array): Uint32Array {
  const order = Uint32Array.from(timeUs, (_, index) => index)
  for (let i = 1; i < order.length; i++) {
    const movedIndex = order[i]
    let at = i
    for (; at > 0 && timeUs[order[at - 1]] > timeUs[movedIndex]; at--) order[at] = order[at - 1]
    order[at] = movedIndex
  }
  return order
}

/** Merges two lists of events in time order; events of `first` come before those of `second` at the same time. */
function mergeByTime(source: EventSource, first: EventColumns, second: EventColumns): EventColumns {
  const order = ascendingOrder(joinNumbers([first.timeUs, second.timeUs]))
  const firstCount = first.timeUs.length
  const merged: Record<string, EventArray> = {}
  for (const { name, type, width } of eventFields[source]) {
    const to = type === 'uint8' ? new Uint8Array(order.length * width) : new Float64Array(order.length * width)
    for (let at = 0; at < order.length; at++) {
      const isFirst = order[at] < firstCount
      const from = isFirst ? first[name] : second[name]
      const start = (isFirst ? order[at] : order[at] - firstCount) * width
      for (let k = 0; k < width; k++) to[at * width + k] = from[start + k]
    }
    merged[name] = to
  }
  return merged as EventColumns
}

/** Copies the events from index `from`, so that the memory of the earlier ones is freed. */
function copyFrom(source: EventSource, events: EventColumns, from: number): EventColumns {
  const copies: Record<string, EventArray> = {}
  for (const { name, width } of eventFields[source]) copies[name] = events[name].slice(from * width)
  return copies as EventColumns
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
    const lateEvents = this.lateEvents ?? cutEvents(source, dayEvents, 0, 0)
    const isSorted = lateEvents.timeUs.length === 0 && isAscending(dayEvents.timeUs)
    const sortedEvents = isSorted ? dayEvents : mergeByTime(source, lateEvents, dayEvents)
    const at = lowerBound(sortedEvents.timeUs, boundUs)
    this.lateEvents = copyFrom(source, sortedEvents, at)
    return cutEvents(source, sortedEvents, 0, at)
  }
}
