import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Approximation, MetricColumn } from '#shared/catalog/column.ts'
import { metricDataset, type MetricDatasetId, metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { columnsNeeded, resampleColumn, splitNeeded } from '#shared/formula/resample.ts'
import type { Companion, Series, SeriesInput } from '#shared/formula/series.ts'
import { differences, readTable, type Table } from './compareMetrics.ts'
import { computeTables, drawSandboxBook, drawUnevenEvents, type ReferenceInterval } from './resampleDays.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]
const clocks = ['exchange', 'true'] as const
type Clock = (typeof clocks)[number]

/** Days whose minute rows and hour rows were both computed from the events. */
interface Days {
  datasets: readonly MetricDatasetId[]
  table(dataset: MetricDatasetId, interval: ReferenceInterval, clock: Clock): Table
}

/** Caches the result for each key, because many columns read the same rows. */
function once<Made>(make: (...key: string[]) => Made): (...key: string[]) => Made {
  const made = new Map<string, Made>()
  return (...key) => {
    const known = made.get(key.join()) ?? make(...key)
    made.set(key.join(), known)
    return known
  }
}

function computedDays(datasets: readonly MetricDatasetId[], draw: typeof drawUnevenEvents): Days {
  const events = once((clock) => draw(clock as Clock))
  const tables = once((interval, clock) => computeTables(events(clock), datasets, interval as ReferenceInterval))
  return { datasets, table: (dataset, interval, clock) => tables(interval, clock).get(dataset)! }
}

const folder = join(import.meta.dirname, 'data', 'expected', 'v1')
const files = once((dataset, interval, clock) => readTable(join(folder, `${dataset}.${interval}.${clock}.parquet`)))
const isOfBook = (id: MetricDatasetId) => id.startsWith('l2_')

const conformance: Days = { datasets: metricDatasetIds.filter((id) => !isOfBook(id)), table: files }
/** The conformance days contain no order books, so these come from the sandbox. */
const sandbox = computedDays(metricDatasetIds.filter(isOfBook), drawSandboxBook)
/** Datasets with approximate resampling, and the datasets that they need. */
const uneven = computedDays(
  ['updownticks', 'run_structure', 'ohlcv', 'l1_price', 'l1_imbalance', 'l1_liquidity', 'l2_imbalance', 'l2_liquidity'],
  drawUnevenEvents,
)

const cellsOf = ({ time, columns }: Table, name: string) => {
  const values = columns.get(name)!
  return { times: time, values, valid: Uint8Array.from(values, (value) => Number(!Number.isNaN(value))) }
}

/**
 * Returns the minutes of a column with the other columns that its resampling rule needs, as the reader passes them to a
 * formula.
 */
function minutesOf(days: Days, dataset: MetricDatasetId, { name, resample }: MetricColumn, clock: Clock): SeriesInput {
  const companions: Record<string, Companion> = {}
  const wanted = columnsNeeded(resample)
  for (const needed of wanted) {
    const other = splitNeeded(needed)
    const of = (other.dataset ?? dataset) as MetricDatasetId
    const rule = metricDataset(of).columns.find((column) => column.name === other.column)!.resample
    if (other.dataset === null) wanted.push(...columnsNeeded(rule))
    companions[needed] = { ...cellsOf(days.table(of, '1m', clock), other.column), resample: rule }
  }
  return { ...cellsOf(days.table(dataset, '1m', clock), name), intervalMs: minuteMs, resample, companions }
}

interface Hours {
  expected: Table
  found: Table
}

/** Returns the expected and the resampled hours, where minutes exist. */
function hoursOf(days: Days, dataset: MetricDatasetId, column: MetricColumn, clock: Clock): Hours {
  const series = resampleColumn(minutesOf(days, dataset, column, clock), hourMs) as Series
  const hours = days.table(dataset, '1h', clock)
  const rowOf = new Map([...hours.time].map((time, row) => [time, row]))
  const rows = [...series.values.keys()].filter((row) => rowOf.has((series.firstSlot + row) * hourMs))
  const time = Float64Array.from(rows, (row) => (series.firstSlot + row) * hourMs)
  const values = hours.columns.get(column.name)!
  return {
    expected: { time, columns: new Map([[column.name, Float64Array.from(time, (at) => values[rowOf.get(at)!])]]) },
    found: {
      time,
      columns: new Map([
        [column.name, Float64Array.from(rows, (row) => (series.valid?.[row] === 0 ? NaN : series.values[row]))],
      ]),
    },
  }
}

/** Returns the mean absolute value of the minutes that have one, by the start of their hour. */
function meanSizes({ time, columns }: Table, name: string): Map<number, number> {
  const sizes = new Map<number, number[]>()
  columns.get(name)!.forEach((value, row) => {
    const hour = Math.floor(time[row] / hourMs) * hourMs
    if (!Number.isNaN(value)) sizes.set(hour, [...(sizes.get(hour) ?? []), Math.abs(value)])
  })
  return new Map([...sizes].map(([hour, all]) => [hour, all.reduce((sum, size) => sum + size) / all.length]))
}

/** Returns the largest error in per cent of the correct value or of the mean size of its minutes, rounded up. */
function offByPercent(days: Days, dataset: MetricDatasetId, column: MetricColumn, isRelativeToMean = false): number {
  let most = 0
  for (const clock of clocks) {
    const { expected, found } = hoursOf(days, dataset, column, clock)
    const [right, seen] = [expected.columns.get(column.name)!, found.columns.get(column.name)!]
    const sizes = isRelativeToMean ? meanSizes(days.table(dataset, '1m', clock), column.name) : null
    right.forEach((value, row) => {
      const size = sizes ? (sizes.get(expected.time[row]) ?? 0) : Math.abs(value)
      if (Number.isNaN(value) !== Number.isNaN(seen[row])) most = Math.max(most, 100)
      else if (size > 0) most = Math.max(most, (Math.abs(seen[row] - value) / size) * 100)
    })
  }
  return Math.ceil(most - 1e-7) + 0
}

const approximationOf = ({ resample }: MetricColumn): Approximation | undefined =>
  resample.how === 'none' ? undefined : resample.approximation

const possibleOn = ({ datasets }: Days) =>
  datasets
    .flatMap((id) => metricDataset(id).columns.map((column) => [`${id}.${column.name}`, id, column] as const))
    .filter(([, , { resample }]) => resample.how !== 'none')
const exactOn = (days: Days) => possibleOn(days).filter(([, , column]) => !approximationOf(column))
const approximateOn = (days: Days) => possibleOn(days).filter(([, , column]) => approximationOf(column))

describe.each([
  ['conformance days', conformance],
  ['days of the sandbox’s books', sandbox],
  ['uneven days', uneven],
])('a minute column resampled to hours on %s', (_, days) => {
  it.each(exactOn(days))('%s is what the events give', (__, id, column) => {
    for (const clock of clocks) {
      const { expected, found } = hoursOf(days, id, column, clock)
      expect(expected.time.length).toBeGreaterThan(40)
      expect(differences(expected, found)).toEqual([])
    }
  })
})

describe('a minute column resampled to hours by an approximation', () => {
  const reference = [...approximateOn(conformance), ...approximateOn(sandbox)]

  it.each(reference)('%s is as far off on reference days as it says', (_, id, column) => {
    const stated = approximationOf(column)!
    expect(stated.offByPercent).toBe(
      offByPercent(isOfBook(id) ? sandbox : conformance, id, column, stated.isRelativeToMean),
    )
  })

  it.each(approximateOn(uneven))('%s is as far off on uneven days as it says', (_, id, column) => {
    const stated = approximationOf(column)!
    expect(stated.unevenOffByPercent).toBe(offByPercent(uneven, id, column, stated.isRelativeToMean))
  })

  it('has a bound for every column', () => {
    expect(reference.length).toBe(approximateOn(uneven).length)
    expect(reference.map(([name]) => name).sort()).toEqual(
      approximateOn(uneven)
        .map(([name]) => name)
        .sort(),
    )
  })
})
