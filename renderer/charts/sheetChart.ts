/** Draws the charts of a sheet with the interactive charts of the window. */
import type { SheetChart, SheetHeat, SheetSeries } from '#shared/sheet/sheet.ts'
import { magnitudeOf, numberFormat, unitLabel } from '#shared/units/numberKinds.ts'
import { type ChartModel, type ChartSeries, emptyModel, type Pane } from './model.ts'
import type { Bar } from './small/plots.ts'

const chartSeries = (
  { id, label, kind, unit, x, values, valid, stepMs, style = 'line', colour }: SheetSeries,
  at: number,
): ChartSeries => ({
  ...{ id, label, kind, values, valid, style, axis: 'left', transform: 'none' },
  unit: unitLabel(kind, unit),
  times: x,
  // A step holds until the next point, so a long distance to it is no gap.
  ...(style === 'step' ? { stepMs: null } : stepMs !== undefined && { stepMs }),
  colour: colour ?? at,
})

/** Puts the charts below each other, with a pane for each. */
export const chartModel = (label: string, charts: readonly SheetChart[]): ChartModel => ({
  ...emptyModel(label),
  panes: charts.map(({ id, title, series, isLog }): Pane => ({
    // A title that the card has already does not stand twice.
    ...{ id, title: title === label ? '' : title, scale: isLog ? 'log' : 'linear' },
    series: series.map(chartSeries),
  })),
})

/** Bars of a chart over names. */
export const barsOf = ({ names, series: [{ values, valid }] }: SheetChart): Bar[] =>
  (names ?? []).map((label, at) => ({ label, value: valid?.[at] === 0 ? null : values[at] }))

/** Tells how a heat map is coloured: from 0 if its values have both signs, else over their range. */
export function heatScale({ values }: SheetHeat): 'sign' | 'range' {
  return values.some((value) => value < 0) && values.some((value) => value > 0) ? 'sign' : 'range'
}

/** Cells of a heat map, row by row; as in a column of a table, all texts have the decimals of the usual size. */
export function heatCells({ rows, columns, values, valueKind }: SheetHeat) {
  const format = numberFormat(valueKind, magnitudeOf(values))
  return rows.map((row, rowAt) =>
    columns.map((column, at) => {
      const value = values[rowAt * columns.length + at]
      const text = Number.isFinite(value) ? format(value) : '–'
      return { value: Number.isNaN(value) ? null : value, text, title: `${row}, ${column}: ${text}` }
    }),
  )
}
