import fc from 'fast-check'
import type { EventSource } from '#shared/catalog/metricDatasets.ts'
import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { createMetricComputer } from '#shared/metrics/metricComputer.ts'
import {
  bookLevels,
  cutEvents,
  type EventColumns,
  type EventsOf,
  type QuoteEvents,
  type TradeEvents,
  type ValueEvents,
} from '#shared/metrics/events.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'

export const dayUs = 86_400_000_000
export const startUs = Date.UTC(2026, 8, 1) * 1000

export type Events = { [S in EventSource]: EventsOf[S] }

/** Returns a generator of deterministic numbers in [0, 1). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const timesOver = (random: () => number, count: number, days: number) =>
  Float64Array.from(
    { length: count },
    () => startUs + Math.floor(random() * days * 24) * 3.6e9 + Math.floor(random() * 9e8),
  ).sort()

/**
 * Generates events of all sources over some days, with bunches, gaps, ties, unknown sides, empty quotes and repeated
 * values.
 */
export function randomEvents(seed: number, count = 300, days = 2): Events {
  const random = randomNumbers(seed)
  const numbers = (from: number, to: number, step: number) => (n: number) =>
    Float64Array.from({ length: n }, () => Math.round((from + (to - from) * random()) / step) * step)
  const price = numbers(99, 101, 0.125)
  const amount = numbers(0.5, 20, 0.25)
  const trades: TradeEvents = {
    timeUs: timesOver(random, count, days),
    price: price(count),
    amount: amount(count),
    side: Uint8Array.from({ length: count }, () => Math.floor(random() * 2.9)),
  }
  const quotes: QuoteEvents = {
    timeUs: timesOver(random, count, days),
    bidPrice: price(count).map((value) => (random() < 0.05 ? 0 : value - 1)),
    bidAmount: amount(count),
    askPrice: price(count).map((value) => (random() < 0.05 ? 0 : value + 1)),
    askAmount: amount(count),
  }
  const values = (from: number, to: number): ValueEvents => ({
    timeUs: timesOver(random, count, days),
    value: numbers(from, to, (to - from) / 8)(count),
  })
  return {
    trades,
    quotes,
    mark_price: values(99, 101),
    index_price: values(99, 101),
    funding_rate: values(-0.001, 0.001),
    open_interest: values(1000, 1100),
    book: {
      timeUs: timesOver(random, count, days),
      bidAmounts: amount(count * bookLevels),
      askAmounts: amount(count * bookLevels),
    },
  }
}

/** Numbers of events in each batch, used in turn. */
export const batchSizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 })

export interface Computation {
  datasets: readonly MetricDatasetId[]
  intervalSeconds: number
  startUs: number
  endUs: number
  batches?: number[]
}

/** Returns all rows of a computation that receives its events batch by batch. */
export function computeRows(events: Events, { batches = [1_000_000], ...request }: Computation): MetricRows[] {
  const computer = createMetricComputer(request)
  const fed = new Map<EventSource, number>()
  let turn = 0
  for (let source = computer.wants(); source; source = computer.wants()) {
    const columns = events[source] as unknown as EventColumns
    const from = fed.get(source) ?? 0
    const to = Math.min(from + batches[turn++ % batches.length], columns.timeUs.length)
    if (from === to) computer.end(source)
    // The computer receives a copy that is overwritten afterwards, as a caller's buffers are.
    else pushOnce(computer, source, cutEvents(source, columns, from, to))
    fed.set(source, to)
  }
  return computer.take()
}

function pushOnce(computer: ReturnType<typeof createMetricComputer>, source: EventSource, events: EventColumns): void {
  const copy = Object.fromEntries(Object.entries(events).map(([name, array]) => [name, array.slice()]))
  computer.push(source, copy as never)
  for (const array of Object.values(copy)) array.fill(0)
}
