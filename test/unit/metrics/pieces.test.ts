import { expect, it } from 'vitest'
import { type MetricDatasetId, metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { createMetricComputer } from '#shared/metrics/metricComputer.ts'
import { datasetComputations } from '#shared/metrics/datasetComputations.ts'
import { cutEvents, type EventColumns } from '#shared/metrics/events.ts'
import { IntervalComputer } from '#shared/metrics/intervalComputer.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { computeRows, dayUs, type Events, randomEvents, startUs } from './randomEvents.ts'

/** Computes a part of the day from all its events, as a thread does. */
function rowsOf(events: Events, fromUs: number, toUs: number): MetricRows[] {
  const computer = new IntervalComputer({
    datasets: metricDatasetIds,
    intervalSeconds: 900,
    startUs: fromUs,
    endUs: toUs,
  })
  const fed = new Set<string>()
  for (let source = computer.wants(); source; source = computer.wants()) {
    if (fed.has(source)) computer.end(source)
    else computer.push(source, events[source])
    fed.add(source)
  }
  return computer.take()
}

const cellsOf = (parts: MetricRows[]) => [
  parts.flatMap(({ timeMs }) => [...timeMs]),
  ...parts[0].columns.map((_, j) => parts.flatMap(({ columns }) => [...columns[j]])),
]

/** Returns the datasets whose rows of a day depend on where the day is cut. */
function dependOnCut(seed: number): MetricDatasetId[] {
  const events = randomEvents(seed, 400, 1)
  const whole = rowsOf(events, startUs, startUs + dayUs)
  const [first, second] = [0, 1].map((half) =>
    rowsOf(events, startUs + (half * dayUs) / 2, startUs + ((half + 1) * dayUs) / 2),
  )
  return metricDatasetIds.filter((_, i) => {
    const [cut, uncut] = [cellsOf([first[i], second[i]]), cellsOf([whole[i]])]
    return !cut.every(
      (cells, j) => cells.length === uncut[j].length && cells.every((cell, row) => Object.is(cell, uncut[j][row])),
    )
  })
}

it('a day may be computed in pieces, except by the datasets that say that they need it whole', () => {
  const depending = new Set(Array.from({ length: 30 }, (_, index) => index + 1).flatMap(dependOnCut))
  expect([...depending]).toEqual(metricDatasetIds.filter((id) => datasetComputations[id].needsWholeDay))
})

it('rows may be taken while the events come', () => {
  const events = randomEvents(3, 400, 1)
  const request = { datasets: metricDatasetIds, intervalSeconds: 900, startUs, endUs: startUs + dayUs }
  const computer = createMetricComputer(request)
  const taken: MetricRows[][] = []
  const fed = new Map<string, number>()
  for (let source = computer.wants(); source; source = computer.wants()) {
    const columns = events[source] as unknown as EventColumns
    const from = fed.get(source) ?? 0
    if (from >= columns.timeUs.length) computer.end(source)
    else computer.push(source, cutEvents(source, columns, from, Math.min(from + 60, columns.timeUs.length)) as never)
    fed.set(source, from + 60)
    taken.push(computer.take())
  }
  const atOnce = computeRows(events, request)
  for (const [i, rows] of atOnce.entries())
    expect(cellsOf(taken.map((parts) => parts[i])), rows.dataset).toEqual(cellsOf([rows]))
})
