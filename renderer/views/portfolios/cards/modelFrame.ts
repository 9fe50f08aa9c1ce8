import { type Column, type Frame, timeColumn } from '#shared/contract/frame.ts'
import { missingColumn, setCell } from '#shared/portfolio/dailySeries.ts'
import type { ChartModel, ChartSeries, TimeRange } from '../../../charts/model.ts'
import { hasValue, rowsOf } from '../../../charts/rows.ts'

/** Turns the contents of a chart in a range into a table with one row per time and one column per series. */
export function modelFrame({ panes }: ChartModel, range: TimeRange): Frame {
  const series = panes.flatMap((pane) => pane.series)
  const times = [
    ...new Set(
      series.flatMap((one) => {
        const { from, to } = rowsOf(one.times, range)
        return [...one.times.subarray(from, to)]
      }),
    ),
  ].sort((a, b) => a - b)
  const rowOf = new Map(times.map((time, row) => [time, row]))
  const names = columnNames(panes)
  const columns = series.map((one, at) => columnOfSeries(one, names[at], range, rowOf, times.length))
  return { rows: times.length, columns: [timeColumn('time', times), ...columns] }
}

/** The series' names; where several panes have a series of one name, with the pane's before it. */
function columnNames(panes: ChartModel['panes']): string[] {
  const all = panes.flatMap(({ title, series }) => series.map(({ label }) => ({ title, label })))
  const times = (label: string) => all.filter((other) => other.label === label).length
  return all.map(({ title, label }) => (times(label) > 1 ? `${title}: ${label}` : label))
}

function columnOfSeries(
  series: ChartSeries,
  name: string,
  range: TimeRange,
  rowOf: ReadonlyMap<number, number>,
  rows: number,
): Column {
  const column = missingColumn(name, rows)
  const { from, to } = rowsOf(series.times, range)
  for (let row = from; row < to; row += 1) {
    if (hasValue(series, row)) setCell(column, rowOf.get(series.times[row])!, series.values[row])
  }
  return column
}
