import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { metricDataset, metricDatasetIds, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { sideCodes } from '#shared/metrics/events.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { batchSizes, computeRows, dayUs, randomEvents, startUs } from './randomEvents.ts'

const seeds = fc.integer({ min: 1, max: 1e6 })
const hourly = { datasets: metricDatasetIds, intervalSeconds: 3600, startUs, endUs: startUs + 2 * dayUs }
const runs = { numRuns: 25 }

const columnOf = ({ dataset, columns }: MetricRows, name: string) =>
  columns[metricDataset(dataset).columns.findIndex((column) => column.name === name)]

function only(dataset: MetricDatasetId, rows: MetricRows[]): MetricRows {
  return rows.find((entry) => entry.dataset === dataset)!
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
        expect(alone).toEqual(ofTrades.map((id) => only(id, all)))
      }),
      runs,
    )
  })

  it('gives a day computed alone the values of the day inside a longer range', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const events = randomEvents(seed)
        const both = computeRows(events, hourly)
        const second = computeRows(events, { ...hourly, startUs: startUs + dayUs })
        for (const alone of second) {
          const longer = only(alone.dataset, both)
          const offset = longer.timeMs.indexOf(alone.timeMs[0])
          const end = offset + alone.timeMs.length
          expect(longer.timeMs.slice(offset, end)).toEqual(alone.timeMs)
          // Toxicity counts the empty rows that only the longer range has before the day's first event.
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
            expect(columnOf(only(rows.dataset, swapped), other), name).toEqual(columnOf(rows, name))
          }
        }
        const delta = columnOf(plain[0], 'volume_delta')
        expect(columnOf(swapped[0], 'volume_delta')).toEqual(delta.map((value) => (value === 0 ? 0 : -value)))
      }),
      runs,
    )
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
