import { expect, it } from 'vitest'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { bookLevels, type BookEvents, type QuoteEvents } from '#shared/metrics/events.ts'
import { type Events, computeRows, dayUs, randomEvents, startUs } from './randomEvents.ts'

/** Returns the only row of a dataset over the events of an hour, by column; null means missing. */
function rowOf(dataset: MetricDatasetId, events: Partial<Events>): Record<string, number | null> {
  const [{ timeMs, columns }] = computeRows(
    { ...randomEvents(1), ...events },
    { datasets: [dataset], intervalSeconds: 3600, startUs, endUs: startUs + dayUs },
  )
  expect(timeMs).toHaveLength(1)
  const names = metricDataset(dataset).columns.map(({ name }) => name)
  return Object.fromEntries(names.map((name, j) => [name, Number.isNaN(columns[j][0]) ? null : columns[j][0]]))
}

const timeUs = (count: number) => Float64Array.from({ length: count }, (_, i) => startUs + i * 1e6)

it('a snapshot without asks has no ratio, and leaves the mean ratio to the others', () => {
  const snapshots = [
    [6, 2],
    [4, 2],
    [5, 0],
  ]
  const book: BookEvents = {
    timeUs: timeUs(3),
    bidAmounts: Float64Array.from(snapshots.flatMap(([bid]) => Array<number>(bookLevels).fill(bid))),
    askAmounts: Float64Array.from(snapshots.flatMap(([, ask]) => Array<number>(bookLevels).fill(ask))),
  }
  expect(rowOf('l2_imbalance', { book })).toMatchObject({
    imbalance_5: 25,
    imbalance_5_avg: (5 * (4 + 2 + 5)) / 3,
    imbalance_ratio_5: 1,
    imbalance_ratio_5_avg: (0.5 + 1 / 3 + 1) / 3,
    bid_ask_ratio_5: null,
    bid_ask_ratio_5_avg: 2.5,
    bid_ask_ratio_25_avg: 2.5,
  })
})

it('a quote without a price has no spread, and leaves the mean spread to the others', () => {
  const quotes: QuoteEvents = {
    timeUs: timeUs(3),
    bidPrice: Float64Array.of(99, 0, 98),
    bidAmount: Float64Array.of(1, 2, 3),
    askPrice: Float64Array.of(101, 101, 0),
    askAmount: Float64Array.of(3, 2, 1),
  }
  expect(rowOf('l1_liquidity', { quotes })).toEqual({
    ...{ spread: null, spread_bps: null, spread_depth_ratio: null, total_depth: 4 },
    ...{ dollar_depth_bid: 294, dollar_depth_ask: null, total_dollar_depth: null },
    ...{ spread_avg: 2, spread_bps_avg: 200, spread_depth_ratio_avg: 0.5, total_depth_avg: 4 },
    ...{ dollar_depth_bid_avg: (99 + 294) / 2, dollar_depth_ask_avg: (303 + 202) / 2, total_dollar_depth_avg: 402 },
  })
})
