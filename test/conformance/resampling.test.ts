import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { MetricColumn } from '#shared/catalog/column.ts'
import { metricDataset, type MetricDatasetId, metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { columnsNeeded, resampleColumn, splitNeeded } from '#shared/formula/resample.ts'
import type { Companion, Series, SeriesInput } from '#shared/formula/series.ts'
import { differences, readTable, type Table } from './compareMetrics.ts'

const folder = join(import.meta.dirname, 'data', 'expected', 'v1')
const [minuteMs, hourMs] = [60_000, 3_600_000]
const clocks = ['exchange', 'true'] as const
type Clock = (typeof clocks)[number]

const tables = new Map<string, Table>()
function table(dataset: string, interval: '1m' | '1h', clock: Clock): Table {
  const name = `${dataset}.${interval}.${clock}.parquet`
  const known = tables.get(name) ?? readTable(join(folder, name))
  tables.set(name, known)
  return known
}

const cellsOf = ({ time, columns }: Table, name: string) => {
  const values = columns.get(name)!
  return { times: time, values, valid: Uint8Array.from(values, (value) => Number(!Number.isNaN(value))) }
}

/** Minutes of a column with what its rule needs, as the reader gives them to a formula. */
function minutesOf(dataset: MetricDatasetId, { name, resample }: MetricColumn, clock: Clock): SeriesInput {
  const companions: Record<string, Companion> = {}
  const wanted = columnsNeeded(resample)
  for (const needed of wanted) {
    const other = splitNeeded(needed)
    const of = (other.dataset ?? dataset) as MetricDatasetId
    const rule = metricDataset(of).columns.find((column) => column.name === other.column)!.resample
    if (other.dataset === null) wanted.push(...columnsNeeded(rule))
    companions[needed] = { ...cellsOf(table(of, '1m', clock), other.column), resample: rule }
  }
  return { ...cellsOf(table(dataset, '1m', clock), name), intervalMs: minuteMs, resample, companions }
}

/** Hours as expected and as resampled, where the minutes cover them. */
function hoursOf(dataset: MetricDatasetId, column: MetricColumn, clock: Clock): { expected: Table; found: Table } {
  const series = resampleColumn(minutesOf(dataset, column, clock), hourMs) as Series
  const hours = table(dataset, '1h', clock)
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

/** Largest distance from the right value in per cent of it, rounded up. */
function offByPercent(dataset: MetricDatasetId, column: MetricColumn): number {
  let most = 0
  for (const clock of clocks) {
    const { expected, found } = hoursOf(dataset, column, clock)
    const [right, seen] = [expected.columns.get(column.name)!, found.columns.get(column.name)!]
    right.forEach((value, row) => {
      if (Number.isNaN(value) !== Number.isNaN(seen[row])) most = Math.max(most, 100)
      else if (value !== 0 && !Number.isNaN(value))
        most = Math.max(most, (Math.abs(seen[row] - value) / Math.abs(value)) * 100)
    })
  }
  return Math.ceil(most - 1e-7) + 0
}

const columns = metricDatasetIds
  .filter((id) => !id.startsWith('l2_'))
  .flatMap((id) => metricDataset(id).columns.map((column) => [`${id}.${column.name}`, id, column] as const))
const possible = columns.filter(([, , { resample }]) => resample.how !== 'none')
const isApproximate = ({ resample }: MetricColumn) => resample.how !== 'none' && resample.approximation !== undefined

describe('a minute column resampled to hours', () => {
  it.each(possible.filter(([, , column]) => !isApproximate(column)))('%s is what the events give', (_, id, column) => {
    for (const clock of clocks) {
      const { expected, found } = hoursOf(id, column, clock)
      expect(expected.time.length).toBeGreaterThan(40)
      expect(differences(expected, found)).toEqual([])
    }
  })

  it.each(possible.filter(([, , column]) => isApproximate(column)))(
    '%s is an approximation, as far off as it says',
    (_, id, column) => {
      const { resample } = column
      const stated = resample.how === 'none' ? undefined : resample.approximation?.offByPercent
      expect(stated).toBe(offByPercent(id, column))
    },
  )
})
