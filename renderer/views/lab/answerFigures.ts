import { seasonalityKeys } from '#shared/lab/kinds/seasonality/fields.ts'
import type { EventPaths, SymbolRows } from '#shared/lab/inspectPanel.ts'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import type { Figure, FigureMark } from '../../charts/small/figure.ts'
import { labText } from '../../text/lab.ts'
import { barsFigure, weekdayName } from './signalFigures.ts'
import { nameShortener } from '#shared/lab/symbolNames.ts'

export type EventResult = ResultOf<'events'>
export type LeadLagResult = ResultOf<'leadlag'>
export type SeasonalityResult = ResultOf<'seasonality'>
export type PairResult = LeadLagResult['pairs'][number]
export type SeasonCell = SeasonalityResult['cells'][number]

const { series: text } = labText
const numbersOf = (values: readonly (number | null)[]) => Float64Array.from(values, (value) => value ?? NaN)

/** Draws the average path with its bands, and over it the path of a single event; null without values. */
export function eventPathFigure(
  { path }: EventResult,
  singlePath: { label: string; values: readonly (number | null)[] } | null,
): Figure | null {
  if (path.every(({ n }) => n === 0)) return null
  const x = Float64Array.from(path, ({ offset }) => offset)
  const valuesOf = (pick: (point: (typeof path)[number]) => number | null) => numbersOf(path.map(pick))
  const marks: FigureMark[] = [
    {
      kind: 'band',
      label: text.middleHalf,
      colour: 'soft',
      x,
      low: valuesOf(({ q25 }) => q25),
      high: valuesOf(({ q75 }) => q75),
    },
    {
      kind: 'band',
      label: text.interval,
      colour: 0,
      x,
      low: valuesOf(({ byTime }) => byTime.low),
      high: valuesOf(({ byTime }) => byTime.high),
    },
    { kind: 'line', label: text.mean, colour: 0, x, y: valuesOf(({ mean }) => mean), widthPx: 2 },
  ]
  if (singlePath)
    marks.push({ kind: 'line', label: singlePath.label, colour: 1, x, y: numbersOf(singlePath.values), isDashed: true })
  return { axis: { kind: 'numbers', title: text.bar }, kind: 'share', baseline: 0, marks }
}

/** Finds the event whose path is nearest to a point of the figure; null if no path has a value there. */
export function nearestPath({ offsets, paths }: EventPaths, place: number, value: number) {
  const at = offsets.indexOf(place)
  let nearest: EventPaths['paths'][number] | null = null
  let leastDistance = Infinity
  for (const path of paths) {
    const pathValue = path.values[at]
    const distance = pathValue === null || pathValue === undefined ? Infinity : Math.abs(pathValue - value)
    if (distance < leastDistance) [leastDistance, nearest] = [distance, path]
  }
  return nearest
}

const countBars = (labels: readonly string[], counts: readonly { n: number }[]) =>
  barsFigure(
    labels,
    counts.map(({ n }) => ({ mean: n })),
    { title: '', kind: 'count', label: text.events },
  )

/** Draws a bar per symbol, with names that tell the symbols of the whole result apart. */
function symbolBars(
  names: readonly string[],
  values: readonly (number | null)[],
  { among, ...options }: { kind: Figure['kind']; label: string; among: readonly string[] },
): Figure | null {
  const bars = values.map((mean) => ({ mean }))
  return barsFigure(names.map(nameShortener(among)), bars, { title: '', ...options, fullNames: names })
}

const MOST_SYMBOLS = 40

/** Lists the symbols with the most events, in descending order. */
export const mostFrequentSymbols = ({ bySymbol }: Pick<EventResult, 'bySymbol'>): EventResult['bySymbol'] =>
  bySymbol.toSorted((a, b) => b.n - a.n).slice(0, MOST_SYMBOLS)

export const eventCountFigures = ({ byMonth, byHour, byWeekday, bySymbol }: EventResult) => {
  const symbols = mostFrequentSymbols({ bySymbol })
  return {
    byMonth: countBars(
      byMonth.map(({ month }) => month),
      byMonth,
    ),
    byHour: countBars(
      byHour.map(({ hour }) => String(hour)),
      byHour,
    ),
    byWeekday: countBars(
      byWeekday.map(({ weekday }) => weekdayName(weekday)),
      byWeekday,
    ),
    bySymbol: symbolBars(
      symbols.map(({ symbol }) => symbol),
      symbols.map(({ n }) => n),
      { kind: 'count', label: text.events, among: bySymbol.map(({ symbol }) => symbol) },
    ),
  }
}

/** Draws the strongest correlation of a reference with every other symbol, in the order of the pairs. */
export const referenceFigure = (pairs: readonly PairResult[]): Figure | null =>
  symbolBars(
    pairs.map(({ b }) => b),
    pairs.map(({ best }) => best?.r ?? null),
    { kind: 'ratio', label: text.correlation, among: pairs.flatMap(({ a, b }) => [a, b]) },
  )

const NORMAL_95 = 1.96

/** Draws the correlations of a pair by lag, with the band expected by chance alone. */
export function profileFigure({ lags }: PairResult): Figure | null {
  if (lags.every(({ r }) => r === null)) return null
  const x = Float64Array.from(lags, ({ lag }) => lag)
  const chanceBand = numbersOf(
    lags.map(({ effectiveN }) => (effectiveN === null ? null : NORMAL_95 / Math.sqrt(effectiveN))),
  )
  return {
    axis: { kind: 'numbers', title: text.lag },
    kind: 'ratio',
    baseline: 0,
    marks: [
      { kind: 'band', label: text.chance, colour: 'soft', x, low: chanceBand.map((value) => -value), high: chanceBand },
      { kind: 'bars', label: text.correlation, colour: 0, x, y: numbersOf(lags.map(({ r }) => r)) },
    ],
  }
}

/** Estimates the 95 % interval of a cell from its t statistic (mean over standard error). */
function intervalOf({ mean, t }: SeasonCell) {
  if (mean === null || t === null || t === 0) return { mean, low: null, high: null }
  const halfWidth = NORMAL_95 * Math.abs(mean / t)
  return { mean, low: mean - halfWidth, high: mean + halfWidth }
}

type SeasonKey = 'hour' | 'weekday' | 'dayOfMonth' | 'minutesToFunding'

/** Draws the cells of a seasonality study, one for each value of `key`; minutes to funding count down. */
export function seasonFigure({ cells }: SeasonalityResult, key: SeasonKey): Figure | null {
  const orderedCells = key === 'minutesToFunding' ? cells.toReversed() : cells
  const labels = orderedCells.map((cell) =>
    key === 'weekday' ? weekdayName(cell.weekday ?? 0) : String(cell[key] ?? ''),
  )
  return barsFigure(labels, orderedCells.map(intervalOf), { title: seasonalityKeys[key], kind: 'statistic' })
}

/** Draws one column of a symbol's rows, with a point at the selected time. */
export function symbolFigure(
  { times, columns }: SymbolRows,
  columnIndex: number,
  { timeMs, kind = 'statistic' }: { timeMs: number; kind?: Figure['kind'] },
): Figure | null {
  const column = columns.at(columnIndex)
  if (!column || times.length === 0 || column.values.every((value) => value === null)) return null
  const mark = { label: column.name, colour: columnIndex, x: Float64Array.from(times), y: numbersOf(column.values) }
  const marks: FigureMark[] = [{ kind: 'line', ...mark }]
  const chosenValue = column.values.at(times.indexOf(timeMs)) ?? null
  if (times.includes(timeMs) && chosenValue !== null) {
    const point = { x: Float64Array.of(timeMs), y: Float64Array.of(chosenValue) }
    marks.push({ kind: 'points', label: labText.symbol.chosen, colour: 'accent', ...point })
  }
  return { axis: { kind: 'times' }, kind, baseline: null, marks }
}
