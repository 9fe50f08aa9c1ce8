import type { OverviewPoints, Relationships } from '#shared/contract/areas/series.ts'
import { columnOf, type Frame } from '#shared/contract/frame.ts'
import { drawnRows } from '#shared/overview/drawn.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import type { Figure } from '../../charts/small/figure.ts'
import { relationshipsText as t } from '../../text/relationships.ts'

const KIND: NumberKind = 'statistic'

function valuesOf(frame: Frame, name: string): Float64Array {
  const column = columnOf(frame, name)
  if (!column || column.kind === 'text') return new Float64Array(0)
  const { values, valid } = column
  return valid ? values.map((value, row) => (valid[row] ? value : NaN)) : values
}

/** Draws the scatter plot with the regression line. */
export function scatterFigure({ pairs, line }: Relationships, xTitle: string): Figure | null {
  const [x, y] = [valuesOf(pairs.frame, 'x'), valuesOf(pairs.frame, 'y')]
  if (x.length === 0) return null
  const ends = Float64Array.of(
    x.reduce((a, b) => Math.min(a, b)),
    x.reduce((a, b) => Math.max(a, b)),
  )
  const fittedValues = line && ends.map((at) => line.intercept + line.slope * at)
  return {
    axis: { kind: 'numbers', title: xTitle, values: KIND },
    kind: KIND,
    baseline: null,
    marks: [
      { kind: 'points', label: t.marks.pairs, colour: 0, x, y },
      ...(fittedValues
        ? [{ kind: 'line' as const, label: t.marks.line, colour: 1, x: ends, y: fittedValues, widthPx: 2 }]
        : []),
    ],
  }
}

/** Draws the correlations by lag, with the 95 % bounds for unrelated series. */
export function lagFigure({ lags }: Relationships): Figure | null {
  const [x, y, n] = [valuesOf(lags, 'lag'), valuesOf(lags, 'r'), valuesOf(lags, 'n')]
  if (y.every(Number.isNaN)) return null
  const bounds = n.map((pairs) => (pairs > 0 ? 2 / Math.sqrt(pairs) : NaN))
  return {
    axis: { kind: 'numbers', title: t.marks.lagAxis },
    kind: 'estimate',
    baseline: 0,
    marks: [
      { kind: 'band', label: t.marks.noise, colour: 'soft', x, low: bounds.map((value) => -value), high: bounds },
      { kind: 'bars', label: t.correlation, colour: 0, x, y },
    ],
  }
}

/** Draws points over time as a line; gaps stay gaps. */
export function timeFigure(points: OverviewPoints, label: string, kind: NumberKind, colour = 0): Figure | null {
  const { times, values, valid } = drawnRows(points, 'value')
  if (times.length === 0) return null
  const y = values.map((value, row) => (valid?.[row] === 0 ? NaN : value))
  if (y.every(Number.isNaN)) return null
  return { axis: { kind: 'times' }, kind, baseline: 0, marks: [{ kind: 'line', label, colour, x: times, y }] }
}
