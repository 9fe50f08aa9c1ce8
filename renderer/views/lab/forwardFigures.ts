import type { CalibrationAnswer, ForwardCurve } from '#shared/contract/areas/ledger.ts'
import { NORMAL_UPPER_QUANTILE } from '#shared/statistics/distributions.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { Figure } from '../../charts/small/figure.ts'
import { forwardText as t } from '../../text/forward.ts'

/** Draws what came on forward days over the band that the record expects; null without days or returns. */
export function forwardFigure(curve: ForwardCurve): Figure | null {
  const { mean, deviation } = curve
  // A day of a signal study has as many values as samples ended on it; other days do not move the curve.
  const isIc = hasIcs(curve)
  const days = curve.days.flatMap((day, at) => {
    const values = isIc ? curve.ics[at] : [curve.net[at] ?? 0]
    return values.length === 0 ? [] : [{ day, values }]
  })
  if (days.length === 0 || mean === null || deviation === null) return null
  if (!isIc && curve.net.every((value) => value === null)) return null
  const x = Float64Array.from(days, ({ day }) => day * MS_PER_DAY)
  const counts = runningSum(days.map(({ values }) => values.length))
  const came = runningSum(days.map(({ values }) => values.reduce((sum, value) => sum + value, 0)))
  const expected = counts.map((count) => mean * count)
  const widthAt = (at: number) => NORMAL_UPPER_QUANTILE * deviation * Math.sqrt(counts[at])
  return {
    axis: { kind: 'times' },
    kind: isIc ? 'figure' : 'share',
    baseline: 0,
    marks: [
      {
        kind: 'band',
        label: t.marks.band,
        colour: 'soft',
        x,
        low: expected.map((value, at) => value - widthAt(at)),
        high: expected.map((value, at) => value + widthAt(at)),
      },
      { kind: 'line', label: t.marks.expected, colour: 'soft', x, y: expected, isDashed: true },
      { kind: 'line', label: t.marks.came, colour: 0, x, y: came, widthPx: 2 },
    ],
  }
}

/** Tells whether a curve is that of a signal study. */
export const hasIcs = ({ ics }: ForwardCurve): boolean => ics.some((values) => values.length > 0)

function runningSum(values: readonly number[]): Float64Array {
  let sum = 0
  return Float64Array.from(values, (value) => (sum += value))
}

const nameOf = ({ sequence, name }: CalibrationAnswer['points'][number]) =>
  name ? `#${sequence} ${name}` : `#${sequence}`

/** Draws the tests that count, forward against recorded, with their least-squares line; null without any. */
export function calibrationFigure({ points, all: { slope, intercept } }: CalibrationAnswer): Figure | null {
  if (points.length === 0) return null
  const x = Float64Array.from(points, ({ recorded }) => recorded)
  const y = Float64Array.from(points, ({ forward }) => forward)
  const ends = Float64Array.of(Math.min(...x), Math.max(...x))
  const { axis, points: label, line } = t.calibration
  return {
    axis: { kind: 'numbers', title: axis, values: 'figure' },
    kind: 'figure',
    baseline: 0,
    marks: [
      { kind: 'points', label, colour: 0, x, y, names: points.map(nameOf) },
      ...(slope === null || intercept === null
        ? []
        : [{ kind: 'line' as const, label: line, colour: 1, x: ends, y: ends.map((at) => intercept + slope * at) }]),
    ],
  }
}
