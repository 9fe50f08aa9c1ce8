import { weekdayNames } from '#shared/lab/kinds/sections.ts'
import type { TimeCoverage } from '#shared/lab/inspectPanel.ts'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import type { Figure, FigureMark } from '../../charts/small/figure.ts'
import { labText } from '../../text/lab.ts'

export type SignalResult = ResultOf<'signal'>
type SignalHorizon = SignalResult['horizons'][number]

const { series: text } = labText

type Values = readonly (number | null | undefined)[]
const numbersOf = (values: Values) => Float64Array.from(values, (value) => value ?? NaN)
export const barPositions = (count: number) => Float64Array.from({ length: count }, (_, at) => at)

/** Averages each value with those before it in the window; NaN until the window is full. */
function rollingMean(values: Float64Array, window: number): Float64Array {
  const means = new Float64Array(values.length).fill(NaN)
  let sum = 0
  let count = 0
  values.forEach((value, at) => {
    if (!Number.isNaN(value)) {
      sum += value
      count += 1
    }
    const leavingValue = at >= window ? values[at - window] : NaN
    if (!Number.isNaN(leavingValue)) {
      sum -= leavingValue
      count -= 1
    }
    if (at >= window - 1 && count > 0) means[at] = sum / count
  })
  return means
}

/** Returns the number of coefficients that the smoothed line averages: a twentieth of all, but at least 5. */
const smoothingWindow = (count: number) => Math.max(5, Math.round(count / 20))

/** Draws the rank ICs by time, with the confidence band of their mean; null without values. */
export function icFigure({ series, rankIc }: SignalHorizon): Figure | null {
  if (series.times.length === 0) return null
  const x = numbersOf(series.times)
  const y = numbersOf(series.rank)
  const { mean, low, high } = rankIc.nonOverlapping
  const endTimes = x.length > 1 ? Float64Array.of(x[0], x[x.length - 1]) : x
  const constantLine = (value: number | null) => new Float64Array(endTimes.length).fill(value ?? NaN)
  const window = smoothingWindow(x.length)
  const marks: FigureMark[] = [
    { kind: x.length > 400 ? 'line' : 'points', label: text.ic, colour: 'soft', x, y, widthPx: 1, isFaint: true },
    { kind: 'line', label: text.rolling(window), colour: 0, x, y: rollingMean(y, window), widthPx: 1.75 },
    { kind: 'band', label: text.interval, colour: 1, x: endTimes, low: constantLine(low), high: constantLine(high) },
    { kind: 'line', label: text.mean, colour: 1, x: endTimes, y: constantLine(mean), isDashed: true },
  ]
  return { axis: { kind: 'times' }, kind: 'ratio', baseline: 0, marks }
}

interface BarEstimate {
  mean: number | null
  low?: number | null
  high?: number | null
}

/** Draws estimates side by side, as bars with their intervals; null if none has a mean. */
export function barsFigure(
  labels: readonly string[],
  estimates: readonly BarEstimate[],
  options: {
    title: string
    kind?: Figure['kind']
    label?: string
    colour?: FigureMark['colour']
    fullNames?: readonly string[]
  },
): Figure | null {
  if (estimates.every(({ mean }) => mean === null)) return null
  const x = barPositions(labels.length)
  const { title, kind = 'ratio', label = text.mean, colour = 0, fullNames } = options
  const marks: FigureMark[] = [{ kind: 'bars', label, colour, x, y: numbersOf(estimates.map(({ mean }) => mean)) }]
  if (estimates.some(({ low }) => low !== null && low !== undefined)) {
    const low = numbersOf(estimates.map((each) => each.low))
    const high = numbersOf(estimates.map((each) => each.high))
    marks.push({ kind: 'intervals', label: text.interval, colour: 'soft', x, low, high })
  }
  return { axis: { kind: 'names', labels, title, ...(fullNames && { fullNames }) }, kind, baseline: 0, marks }
}

export const decayFigure = ({ horizons }: SignalResult): Figure | null =>
  barsFigure(
    horizons.map(({ horizon }) => String(horizon)),
    horizons.map(({ rankIc }) => rankIc.nonOverlapping),
    { title: labText.answer.horizon, label: text.ic },
  )

export const quantileFigure = ({ quantiles }: SignalHorizon): Figure | null =>
  barsFigure(
    quantiles.map(({ quantile }) => text.quantile(quantile)),
    quantiles,
    { title: '', kind: 'share' },
  )

export const turnoverFigure = ({ turnover }: SignalHorizon): Figure | null =>
  barsFigure(
    turnover.map(({ quantile }) => text.quantile(quantile)),
    turnover,
    { title: '', kind: 'share', label: text.turnover, colour: 2 },
  )

/** Draws the cumulative returns of the groups, then their spread as a thicker line; null without a path. */
export function pathsFigure({ path }: SignalHorizon): Figure | null {
  if (path.times.length < 2) return null
  const x = numbersOf(path.times)
  const marks: FigureMark[] = path.quantiles.map((values, at) => ({
    kind: 'line',
    label: text.quantile(at + 1),
    colour: at,
    x,
    y: Float64Array.from(values, (value) => value - 1),
    widthPx: 1.25,
  }))
  const spread = Float64Array.from(path.spread, (value) => value - 1)
  marks.push({ kind: 'line', label: text.spread, colour: 'accent', x, y: spread, widthPx: 2.25 })
  return { axis: { kind: 'times' }, kind: 'share', baseline: 0, marks }
}

interface CalendarFigures {
  byMonth: Figure | null
  byHour: Figure | null
  byWeekday: Figure | null
}

type MeanIc = { n: number; mean: number | null }
const icBars = (labels: readonly string[], means: readonly MeanIc[]) =>
  barsFigure(labels, means, { title: '', label: text.ic })

export const weekdayName = (weekday: number): string => weekdayNames[weekday - 1] ?? ''

export const calendarFigures = ({ byMonth, byHour, byWeekday }: SignalHorizon): CalendarFigures => ({
  byMonth: icBars(
    byMonth.map(({ month }) => month),
    byMonth,
  ),
  byHour: icBars(
    byHour.map(({ hour }) => String(hour)),
    byHour,
  ),
  byWeekday: icBars(
    byWeekday.map(({ weekday }) => weekdayName(weekday)),
    byWeekday,
  ),
})

/** Draws the optional breakdown by group or regime. */
export function breakdownFigure(horizon: SignalHorizon, key: 'byGroup' | 'byRegime'): Figure | null {
  const rows: unknown = (horizon as Record<string, unknown>)[key]
  if (!Array.isArray(rows) || rows.length === 0) return null
  const means = rows as (MeanIc & { key: string | number })[]
  return icBars(
    means.map((row) => String(row.key)),
    means,
  )
}

/** Draws, by time, the number of members and how many of them have a value. */
export function coverageFigure({ times, members, present }: TimeCoverage): Figure | null {
  if (times.length === 0) return null
  const x = Float64Array.from(times)
  return {
    axis: { kind: 'times' },
    kind: 'count',
    baseline: 0,
    marks: [
      { kind: 'line', label: text.members, colour: 'soft', x, y: Float64Array.from(members), isDashed: true },
      { kind: 'line', label: text.present, colour: 0, x, y: Float64Array.from(present) },
    ],
  }
}

/** Draws the number of symbols used at each valid time. */
export function usedFigure({ series }: SignalHorizon): Figure | null {
  if (series.times.length === 0) return null
  const mark = { label: text.used, colour: 0, x: numbersOf(series.times), y: numbersOf(series.n) }
  return { axis: { kind: 'times' }, kind: 'count', baseline: 0, marks: [{ kind: 'line', ...mark }] }
}
