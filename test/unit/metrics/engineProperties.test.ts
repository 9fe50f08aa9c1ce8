import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type EventSource,
  metricDataset,
  metricDatasetIds,
  type MetricDatasetId,
} from '#shared/catalog/metricDatasets.ts'
import { datasetComputations } from '#shared/metrics/datasetComputations.ts'
import { type EventArray, sideCodes } from '#shared/metrics/events.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { batchSizes, computeRows, dayUs, type Events, randomEvents, startUs } from './randomEvents.ts'

const seeds = fc.integer({ min: 1, max: 1e6 })
const hourly = { datasets: metricDatasetIds, intervalSeconds: 3600, startUs, endUs: startUs + 2 * dayUs }
const runs = { numRuns: 25 }

const columnOf = ({ dataset, columns }: MetricRows, name: string) =>
  columns[metricDataset(dataset).columns.findIndex((column) => column.name === name)]

function rowsOfDataset(dataset: MetricDatasetId, rows: MetricRows[]): MetricRows {
  return rows.find((entry) => entry.dataset === dataset)!
}

/** Fills the fields that a dataset does not read with values that no file contains, as reused arrays may hold. */
function withoutUnread(events: Events, dataset: MetricDatasetId): Events {
  const { reads } = datasetComputations[dataset]
  const sources = Object.entries(events).map(([source, columns]) => {
    const read = ['timeUs', ...(reads[source as EventSource] ?? [])]
    const fields = Object.entries<EventArray>({ ...columns }).map(([name, array]) => [
      name,
      read.includes(name) ? array : array.slice().fill(array instanceof Uint8Array ? 255 : NaN),
    ])
    return [source, Object.fromEntries(fields)]
  })
  return Object.fromEntries(sources) as Events
}

describe('the engine', () => {
  it('gives the same rows however the input is cut into batches', () => {
    fc.assert(
      fc.property(seeds, batchSizes, (seed, batches) => {
        const events = randomEvents(seed)
        expect(computeRows(events, { ...hourly, batches })).toEqual(computeRows(events, hourly))
      }),
      runs,
    )
  })

  it('gives metrics of trades the same rows without the other sources, however the trades are cut into batches', () => {
    const ofTrades = metricDatasetIds.filter((id) => {
      const { drivingSource, asOf } = metricDataset(id)
      return drivingSource === 'trades' && asOf.length === 0
    })
    fc.assert(
      fc.property(seeds, batchSizes, (seed, batches) => {
        const events = randomEvents(seed)
        const all = computeRows(events, hourly)
        const alone = computeRows(events, { ...hourly, datasets: ofTrades, batches })
        expect(alone).toEqual(ofTrades.map((id) => rowsOfDataset(id, all)))
      }),
      runs,
    )
  })

  it('gives a dataset the same rows alone, whatever the fields that it does not read contain', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const events = randomEvents(seed)
        // Sums of these amounts differ in the last digit when the order changes.
        events.trades.amount = events.trades.amount.map((amount) => amount / 10)
        const all = computeRows(events, hourly)
        for (const dataset of metricDatasetIds) {
          const alone = computeRows(withoutUnread(events, dataset), { ...hourly, datasets: [dataset] })
          expect(alone, dataset).toEqual([rowsOfDataset(dataset, all)])
        }
      }),
      { numRuns: 10 },
    )
  })

  it('gives a day computed alone the values of the day inside a longer range', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const events = randomEvents(seed)
        const both = computeRows(events, hourly)
        const second = computeRows(events, { ...hourly, startUs: startUs + dayUs })
        for (const alone of second) {
          const longer = rowsOfDataset(alone.dataset, both)
          const offset = longer.timeMs.indexOf(alone.timeMs[0])
          const end = offset + alone.timeMs.length
          expect(longer.timeMs.slice(offset, end)).toEqual(alone.timeMs)
          // Toxicity also counts empty rows before the day's first event, which only the longer range has.
          const judged = alone.columns.filter(
            (_, j) => metricDataset(alone.dataset).columns[j].name !== 'flow_toxicity_score',
          )
          const same = longer.columns.filter(
            (_, j) => metricDataset(alone.dataset).columns[j].name !== 'flow_toxicity_score',
          )
          expect(same.map((column) => column.slice(offset, end))).toEqual(judged)
        }
      }),
      runs,
    )
  })

  it('leaves returns alone when all prices are scaled by a power of two', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: -20, max: 20 }), (seed, power) => {
        const events = randomEvents(seed)
        const { trades } = events
        const scaled = { ...events, trades: { ...trades, price: trades.price.map((price) => price * 2 ** power) } }
        const request = { ...hourly, datasets: ['returns', 'updownticks', 'run_structure'] as const }
        expect(computeRows(scaled, request)).toEqual(computeRows(events, request))
      }),
      runs,
    )
  })

  it('swaps the columns of buys and sells when the sides are swapped', () => {
    const { unknown, buy, sell } = sideCodes
    fc.assert(
      fc.property(seeds, (seed) => {
        const events = randomEvents(seed)
        const { trades } = events
        const side = trades.side.map((code) => (code === buy ? sell : code === sell ? buy : unknown))
        const request = { ...hourly, datasets: ['flow', 'run_structure'] as const }
        const plain = computeRows(events, request)
        const swapped = computeRows({ ...events, trades: { ...trades, side } }, request)
        for (const rows of plain) {
          for (const { name } of metricDataset(rows.dataset).columns) {
            if (!/(^|_)buy_(?!sell)/.test(name)) continue
            const other = name.replace('buy', 'sell')
            expect(columnOf(rowsOfDataset(rows.dataset, swapped), other), name).toEqual(columnOf(rows, name))
          }
        }
        const delta = columnOf(plain[0], 'volume_delta')
        expect(columnOf(swapped[0], 'volume_delta')).toEqual(delta.map((value) => (value === 0 ? 0 : -value)))
      }),
      runs,
    )
  })

  /** Returns the only row of `flow` for a buy and a sell at a price of 1, as a function of the column. */
  function flowOf(bought: number, sold: number): (column: string) => number {
    const events = randomEvents(1, 2)
    events.trades = {
      timeUs: Float64Array.of(startUs, startUs + 1),
      price: Float64Array.of(1, 1),
      amount: Float64Array.of(bought, sold),
      side: Uint8Array.of(sideCodes.buy, sideCodes.sell),
    }
    const [flow] = computeRows(events, { ...hourly, datasets: ['flow'] })
    return (column) => columnOf(flow, column)[0]
  }

  it('keeps the digits of an entropy when nearly all is on one side', () => {
    // The entropy is −x·ln x − (1 − x)·ln(1 − x) with x = 1e-12; the second part equals x up to x².
    expect(flowOf(1, 1e12)('flow_entropy') / 1e-12).toBeCloseTo(12 * Math.LN10 + 1, 10)
    expect(flowOf(1, 0)('flow_entropy')).toBe(0)
    expect(flowOf(0, 0)('flow_entropy')).toBeNaN()
  })

  it('has no share of a sum that overflows', () => {
    const row = flowOf(1e308, 1e308)
    expect(row('taker_buy_sell_ratio')).toBe(1)
    expect([row('taker_buy_sell_percentage'), row('flow_entropy')]).toEqual([NaN, NaN])
  })

  it('never gives NaN or Infinity for a value, and a row for every interval between the first and the last event', () => {
    const events = randomEvents(7)
    for (const { dataset, timeMs, columns } of computeRows(events, { ...hourly, intervalSeconds: 15 })) {
      expect(columns).toHaveLength(metricDataset(dataset).columns.length)
      for (let i = 1; i < timeMs.length; i++) expect(timeMs[i] - timeMs[i - 1]).toBe(15_000)
      for (const column of columns) expect(column.some((value) => Math.abs(value) === Infinity)).toBe(false)
    }
  })

  it('refuses events out of time order and ranges that cut an interval', () => {
    const events = randomEvents(3)
    const backwards = { ...events, trades: { ...events.trades, timeUs: events.trades.timeUs.toReversed() } }
    const request = { ...hourly, datasets: ['ohlcv'] as const }
    expect(() => computeRows(backwards, request)).toThrow('not in time order')
    expect(() => computeRows(events, { ...request, startUs: startUs + 1 })).toThrow('where an interval does')
  })
})
