import { type Column, type Frame, timeColumn } from '#shared/contract/frame.ts'
import { missingColumn, setCell } from '#shared/portfolio/missingColumn.ts'
import type { ChartModel, ChartSeries, TimeRange } from '../../../charts/model.ts'
import { hasValue, rowsOf } from '../../../charts/rows.ts'

/** What a chart shows in a range, as a table: one row a time, one column a series. */
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
  const columns = series.map((one) => columnOfSeries(one, range, rowOf, times.length))
  return { rows: times.length, columns: [timeColumn('time', times), ...columns] }
}

function columnOfSeries(
  series: ChartSeries,
  range: TimeRange,
  rowOf: ReadonlyMap<number, number>,
  rows: number,
): Column {
  const column = missingColumn(series.label, rows)
  const { from, to } = rowsOf(series.times, range)
  for (let row = from; row < to; row += 1) {
    if (hasValue(series, row)) setCell(column, rowOf.get(series.times[row])!, series.values[row])
  }
  return column
}
