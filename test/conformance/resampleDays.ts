import { documentedVenue } from '../../electron/sandbox/market/venues.ts'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { type EventSource, metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { createMetricComputer } from '#shared/metrics/metricComputer.ts'
import { bookLevels, type EventsOf } from '#shared/metrics/events.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { marketDayOf } from '../../electron/sandbox/events/marketDay.ts'
import { findInstrument } from '../../electron/sandbox/market/instruments.ts'
import { randomNumbers } from '../unit/metrics/randomEvents.ts'
import type { Table } from './compareMetrics.ts'

/** Tables of two days of events that the conformance set lacks: order books, and events that are hard to average. */
export type Tables = Map<MetricDatasetId, Table>
export type ReferenceInterval = '1m' | '1h'

const firstDay = Date.UTC(2026, 8, 1) / MS_PER_DAY
const days = [firstDay, firstDay + 1]
const US_PER_DAY = MS_PER_DAY * 1000

/** Events of two days, ordered by one timestamp. */
type DaysEvents = Pick<EventsOf, 'book'> & Partial<EventsOf>

/** Computes the tables of datasets from the events of two days. */
export function computeTables(
  events: DaysEvents,
  datasets: readonly MetricDatasetId[],
  interval: ReferenceInterval,
): Tables {
  const computer = createMetricComputer({
    datasets,
    intervalSeconds: interval === '1m' ? 60 : 3600,
    startUs: firstDay * US_PER_DAY,
    endUs: (firstDay + days.length) * US_PER_DAY,
  })
  const fed = new Set<EventSource>()
  for (let source = computer.wants(); source; source = computer.wants()) {
    if (fed.has(source)) computer.end(source)
    else computer.push(source, events[source] as never)
    fed.add(source)
  }
  const tableOf = ({ dataset, timeMs, columns }: MetricRows): Table => ({
    time: timeMs,
    columns: new Map(metricDataset(dataset).columns.map(({ name }, at) => [name, columns[at]])),
  })
  return new Map(computer.take().map((rows) => [rows.dataset, tableOf(rows)]))
}

/** Generates two days of a sandbox's order book, which has a snapshot about every five seconds. */
export function drawSandboxBook(timestamp: TimestampSource): DaysEvents {
  const instrument = findInstrument(1, documentedVenue('venueb-perps'), 'perpetual-ETC-USD:ETC')!
  const books = days.map((day) => marketDayOf(1, instrument, day, 0).book)
  const joined = (name: 'exchangeUs' | 'localUs' | 'bidAmount' | 'askAmount') => {
    const all = new Float64Array(books.reduce((length, book) => length + book[name].length, 0))
    books.forEach((book, at) => all.set(book[name], at * book[name].length))
    return all
  }
  const timeUs = joined(timestamp === 'true' ? 'localUs' : 'exchangeUs')
  return { book: { timeUs, bidAmounts: joined('bidAmount'), askAmounts: joined('askAmount') } }
}

interface Moment {
  timeUs: number
  /** Number of updates in the same minute. */
  updates: number
}

/**
 * Draws the moments of updates minute by minute: a fifth of the minutes have none, most have a few, some have a burst,
 * and the first one of each day is at midnight.
 */
function drawMoments(random: () => number): Moment[] {
  return days.flatMap((day) =>
    Array.from({ length: 1440 }, (_, minute) => {
      const few = 1 + Math.floor(4 * random())
      const updates = random() < 0.2 ? 0 : random() < 0.1 ? 20 + Math.floor(20 * random()) : few
      const offsets = Array.from({ length: updates }, () => Math.floor(random() * 60e6)).sort((a, b) => a - b)
      if (minute === 0) offsets[0] = 0
      return offsets.map((offset) => ({ timeUs: day * US_PER_DAY + minute * 60e6 + offset, updates }))
    }).flat(),
  )
}

/**
 * Delays arrivals by up to five seconds without changing their order, so that the last events of a day arrive after
 * midnight.
 */
function arrivals(moments: readonly Moment[], random: () => number): Float64Array {
  let before = 0
  return Float64Array.from(moments, ({ timeUs }) => (before = Math.max(before, timeUs + Math.floor(random() * 5e6))))
}

/**
 * Draws trades, quotes and books that are hard to average: books are thin in minutes with many updates, one side may be
 * empty, and a price may be missing.
 */
export function drawUnevenEvents(timestamp: TimestampSource): DaysEvents {
  const random = randomNumbers(18)
  const moments = drawMoments(random)
  const exchangeUs = Float64Array.from(moments, ({ timeUs }) => timeUs)
  const timeUs = timestamp === 'true' ? arrivals(moments, randomNumbers(7)) : exchangeUs
  const missing = (probability: number) => moments.map(() => random() < probability)
  const amounts = (levels: number, isEmpty: boolean[]) =>
    new Float64Array(moments.length * levels).map((_, at) => {
      const size =
        (40 * (0.2 + random()) * (1 + 0.2 * (at % levels))) / (1 + moments[Math.floor(at / levels)].updates / 4)
      return isEmpty[Math.floor(at / levels)] ? 0 : Math.ceil(size * 100) / 100
    })
  const price = (from: number, isMissing: boolean[]) =>
    Float64Array.from(moments, (_, at) => (isMissing[at] ? 0 : from + Math.round(random() * 8) / 8))
  const [noBids, noAsks] = [missing(0.02), missing(0.02)]
  return {
    trades: {
      timeUs,
      price: price(100, []),
      amount: amounts(1, []),
      side: Uint8Array.from(moments, () => Math.floor(random() * 2.9)),
    },
    quotes: {
      timeUs,
      bidPrice: price(98.5, missing(0.05)),
      bidAmount: amounts(1, noBids),
      askPrice: price(100.5, missing(0.05)),
      askAmount: amounts(1, noAsks),
    },
    book: { timeUs, bidAmounts: amounts(bookLevels, noBids), askAmounts: amounts(bookLevels, noAsks) },
  }
}
