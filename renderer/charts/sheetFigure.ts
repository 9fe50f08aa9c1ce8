/** Draws the charts of a sheet over names as figures, with the intervals of their values. */
import type { SheetChart, SheetSeries } from '#shared/sheet/sheet.ts'
import type { Figure, FigureMark } from './small/figure.ts'

/** Builds the figure of a chart over names; null without values. */
export function sheetFigure({ names, series, style, isLog = false }: SheetChart): Figure | null {
  if (series.every(({ values, valid }) => values.every((value, at) => isMissing(value, valid, at)))) return null
  const count = series.length
  const isBeside = style === 'bars' && count > 1 && series.every(({ interval }) => interval)
  return {
    axis: { kind: 'names', labels: names ?? [] },
    kind: series[0].kind,
    baseline: isLog || style === 'line' ? null : 0,
    ...(isLog && { isLog }),
    marks: series.flatMap((one, at) =>
      isBeside ? marksBeside(one, { at, count }) : marksOf(one, { at, count, isBarFirst: at === 0, chart: style }),
    ),
  }
}

const isMissing = (value: number, valid: Uint8Array | null, at: number): boolean =>
  Number.isNaN(value) || valid?.[at] === 0

const valuesOf = ({ values, valid }: SheetSeries): Float64Array =>
  values.map((value, row) => (isMissing(value, valid, row) ? NaN : value))

type MarkHead = Pick<FigureMark, 'x' | 'colour' | 'offset'>

const intervalsOf = ({ label, interval }: SheetSeries, head: MarkHead): FigureMark[] =>
  interval ? [{ kind: 'intervals', ...head, label: `${label}, interval`, ...interval }] : []

function marksOf(
  one: SheetSeries,
  { at, count, isBarFirst, chart }: { at: number; count: number; isBarFirst: boolean; chart: SheetChart['style'] },
): FigureMark[] {
  const kind = markOf(one.style ?? (chart === 'bars' ? 'bar' : 'line'), isBarFirst)
  // Points of equal values would hide each other.
  const isSpread = chart === 'bars' && kind === 'points' && count > 2
  const offset = POINT_SPREAD * ((at - 1) / (count - 2) - 0.5)
  const head = { colour: one.colour ?? at, x: one.x, ...(isSpread && { offset }) }
  const look = kind === 'line' ? { widthPx: 1.75 } : { isFaint: kind === 'bars' && one.interval !== undefined }
  return [{ kind, label: one.label, ...head, y: valuesOf(one), ...look }, ...intervalsOf(one, head)]
}

/** Share of the distance between two names that the points on a bar take. */
const POINT_SPREAD = 0.3

/** Only the first series of bars is drawn as bars; those after it are points, because bars would hide each other. */
function markOf(style: NonNullable<SheetSeries['style']>, isBarFirst: boolean): FigureMark['kind'] {
  if (style === 'bar') return isBarFirst ? 'bars' : 'points'
  return style === 'points' ? 'points' : 'line'
}

/** Share of the distance between two names that the series at a name take. */
const SPREAD = 0.5

/** Draws values with intervals as points beside those of the other series, because intervals would hide each other. */
function marksBeside(one: SheetSeries, { at, count }: { at: number; count: number }): FigureMark[] {
  const offset = (SPREAD * (at - (count - 1) / 2)) / (count - 1)
  const head = { colour: one.colour ?? at, x: one.x, offset }
  return [{ kind: 'points', label: one.label, ...head, y: valuesOf(one) }, ...intervalsOf(one, head)]
}
