import { exactNumber, formatPercent, powerText } from '#shared/units/numbers.ts'
import { axisUnit, isShownAsPercent, numberFormat } from '#shared/units/numberKinds.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { placedFlags } from '#shared/overview/flags.ts'
import { BOX_ALPHA, boxPlaces, type BoxSinks, drawBoxes } from '#shared/overview/boxes.ts'
import { drawFill, FILL_ALPHA } from '#shared/overview/fill.ts'
import {
  drawArea,
  drawBars,
  drawLine,
  drawPoints,
  type MarkedSeries,
  type MarkPlot,
  type PathSink,
} from '#shared/overview/marks.ts'
import { drawShade, SHADE_LEVELS, shadeAlpha, type ShadedBox, shadeText } from '#shared/overview/shade.ts'
import { escapeHtml } from './escapeHtml.ts'
import {
  type ReportCandles,
  type ReportCell,
  type ReportChart,
  type ReportFlags,
  reportNumber,
  type ReportSeries,
  type ReportShade,
  type ReportTable,
} from './reportContent.ts'

const WIDTH = 760
const HEIGHT = 230
const LEFT = 70
const RIGHT = 12
const TOP = 10
const BOTTOM = 24
/** Series colours, those of the light theme. */
export const reportColours = [
  ...['#0c81f9', '#c18000', '#009e6f', '#ab3e90', '#584900', '#1644cd', '#c1513c', '#3d4348'],
  ...['#b482a0', '#4f0077', '#522215', '#9f82d8'],
]

const colourOf = (at: number) => reportColours[at % reportColours.length]

interface Plot {
  from: number
  to: number
  low: number
  high: number
  x(place: number): number
  y(value: number): number
  yTicks: number[]
}

const roundedText = (value: number) => String(Math.round(value * 10) / 10)

/** Draws a chart with its legend; the hover values are in an attribute of the drawing. */
export function chartHtml(chart: ReportChart): string {
  const plot = plotOf(chart)
  if (!plot) return `<p class="below">No values in this range.</p>`
  return `<figure><svg ${attributesOf(chart, plot)}>${shapesSvg(chart, plot)}</svg>${legendHtml(chart)}</figure>`
}

/** Draws a chart as a standalone SVG; null if it has no values. */
export function chartSvg(chart: ReportChart): string | null {
  const plot = plotOf(chart)
  if (!plot) return null
  const background = `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" ${attributesOf(chart, plot)}>${background}${shapesSvg(chart, plot)}</svg>\n`
}

function attributesOf(chart: ReportChart, plot: Plot): string {
  const label = `${chart.title}: ${chart.series.map((each) => each.label).join(', ')}`
  const { from, to } = plot
  const points = JSON.stringify({
    names: chart.names,
    ...(chart.numberAxis && { isNumber: true }),
    left: LEFT,
    width: WIDTH - LEFT - RIGHT,
    from,
    to,
    series: chart.series.map(pointsOf),
  })
  return `role="img" tabindex="0" aria-label="${escapeHtml(label)}" viewBox="0 0 ${WIDTH} ${HEIGHT}" data-points="${escapeHtml(points)}"`
}

function shapesSvg(chart: ReportChart, plot: Plot): string {
  const shapes = [
    ...(chart.shades ?? []).map((shade, at) => shadeSvg(shade, shade.colour ?? firstShadeColour(chart) + at, plot)),
    ...gridSvg(chart, plot),
    ...axisSvg(chart, plot),
    ...chart.series.map((each, at) => fillSvg(each, at, chart, plot)),
    ...chart.series.map((each, place) => {
      const at = each.colour ?? place
      if (each.candles) return candlesSvg(each.candles, plot)
      if (each.boxes) return boxesSvg(each, place, chart, plot)
      return chart.style === 'bars' ? barsSvg(each, place, chart, plot) : lineSvg(each, at, chart, plot)
    }),
    flagsSvg(chart.flags ?? [], chart.series.length, plot),
  ]
  return shapes.join('')
}

/** Colours of states follow those of the series and the events. */
const firstShadeColour = ({ series, flags = [] }: Pick<ReportChart, 'series' | 'flags'>) => series.length + flags.length

/** Draws the stretches in which a state is on, behind a chart. */
function shadeSvg({ spans }: ReportShade, colour: number, { x }: Plot): string {
  const box: ShadedBox = {
    ...{ x, left: LEFT, top: TOP, pixel: 1 },
    ...{ width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM },
  }
  return Array.from({ length: SHADE_LEVELS }, (_, at) => at + 1)
    .map((level) => [shadeAlpha(level), pathData((sink) => drawShade(spans, level, box, sink))] as const)
    .filter(([, d]) => d !== '')
    .map(([alpha, d]) => `<path d="${d}" fill="${colourOf(colour)}" fill-opacity="${alpha}"/>`)
    .join('')
}

/** Packs the values of a series; for regular x values only their start, step and count are stored. */
function pointsOf({ label, x, values }: ReportSeries): Record<string, unknown> {
  const numbers = Array.from(values, (value) => (Number.isFinite(value) ? value : null))
  const step = x.length > 1 ? x[1] - x[0] : 1
  const isRegular = x.every((place, at) => place === x[0] + at * step)
  const places = isRegular && x.length > 0 ? { start: x[0], step, count: x.length } : { x: [...x] }
  return { label, ...places, values: numbers }
}

/** Tells whether the value axis includes 0, from which bars and areas are drawn; a log axis has no 0. */
export const startsAtZero = ({ series, style, isLog }: Pick<ReportChart, 'series' | 'style' | 'isLog'>): boolean =>
  style === 'bars' ||
  (!isLog && series.some((one) => one.style === 'area' || one.style === 'bar' || isFilledToZero(one)))

const isFilledToZero = ({ fill }: ReportSeries) => fill !== undefined && 'level' in fill && fill.level === 0

function plotOf({ names, numberAxis, series, style, isLog }: ReportChart): Plot | null {
  let [low, high] = [Infinity, -Infinity]
  let [from, to] = names ? [-0.5, names.length - 0.5] : [Infinity, -Infinity]
  const include = (value: number) => {
    if (!Number.isFinite(value) || (isLog && value <= 0)) return false
    low = Math.min(low, value)
    high = Math.max(high, value)
    return true
  }
  for (const { x, values, candles, boxes, interval, stepMs = 0 } of series) {
    const ends = candles ?? boxes ?? interval
    for (const value of [...(ends?.low ?? []), ...(ends?.high ?? [])]) include(value)
    values.forEach((value, at) => {
      if (include(value) && !names)
        [from, to] = [Math.min(from, x[at]), Math.max(to, x[at] + (style === 'line' ? stepMs : 0))]
    })
  }
  if (!(low <= high)) return null
  if (numberAxis && style === 'bars') {
    const half = (series[0].x.length > 1 ? series[0].x[1] - series[0].x[0] : 1) / 2
    ;[from, to] = [from - half, to + half]
  }
  if (startsAtZero({ series, style, isLog })) [low, high] = [Math.min(0, low), Math.max(0, high)]
  const scale = isLog ? Math.log10 : (value: number) => value
  const margin = (scale(high) - scale(low)) * 0.04 || Math.abs(scale(high)) * 0.01 || 1
  const [bottom, top] = [scale(low) - margin, scale(high) + margin]
  const width = WIDTH - LEFT - RIGHT
  const height = HEIGHT - TOP - BOTTOM
  return {
    from,
    to,
    low: bottom,
    high: top,
    x: (place) => LEFT + (to > from ? (place - from) / (to - from) : 0.5) * width,
    y: (value) => TOP + ((top - scale(value)) / (top - bottom)) * height,
    yTicks: isLog ? niceTicks(bottom, top, 5).map((power) => 10 ** power) : niceTicks(bottom, top, 5),
  }
}

/** Lists round numbers within a range. */
function niceTicks(low: number, high: number, targetCount: number): number[] {
  const roughStep = (high - low) / targetCount
  if (!(roughStep > 0) || !Number.isFinite(roughStep)) return []
  const power = 10 ** Math.floor(Math.log10(roughStep))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= roughStep) ?? roughStep
  const first = Math.ceil(low / step)
  const count = Math.floor(high / step) - first + 1
  return Array.from({ length: Math.max(0, Math.min(50, count)) }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  )
}

function gridSvg(chart: ReportChart, plot: Plot): string[] {
  const numberKind = chart.series.at(0)?.numberKind ?? 'figure'
  const isPercent = isShownAsPercent(numberKind)
  const unit = axisUnit(numberKind)
  const texts = plot.yTicks.map((tick) =>
    [isPercent ? formatPercent(tick, 1) : tickText(tick), unit].filter(Boolean).join(' '),
  )
  return plot.yTicks.map((tick, at) => {
    const y = roundedText(plot.y(tick))
    const stroke = tick === 0 ? '#9aa3ad' : '#e3e7ec'
    return `<path d="M${LEFT} ${y}H${WIDTH - RIGHT}" stroke="${stroke}"/><text x="${LEFT - 6}" y="${roundedText(plot.y(tick) + 4)}" text-anchor="end" fill="#59626d">${escapeHtml(texts[at])}</text>`
  })
}

const MOST_TICK_LETTERS = 10

/** Writes a tick with all its digits, as a power of ten where there is no room for them: 2000000000 is `2×10⁹`. */
function tickText(tick: number): string {
  const text = exactNumber(tick)
  return text.length > MOST_TICK_LETTERS ? powerText(tick.toExponential()) : text
}

function axisSvg({ names, numberAxis }: ReportChart, plot: Plot): string[] {
  const places = names
    ? namePlaces(names)
    : numberAxis
      ? niceTicks(plot.from, plot.to, 8).map((place) => ({ place, text: tickText(place) }))
      : timePlaces(plot.from, plot.to)
  let endOfLast = -Infinity
  return places.flatMap(({ place, text }) => {
    const x = plot.x(place)
    const anchor = x > WIDTH - 40 ? 'end' : x < LEFT + 20 ? 'start' : 'middle'
    const width = text.length * LETTER_PX
    const start = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2
    // A label at an edge is moved inwards, where it may reach into the next one, which is left out then.
    if (start < endOfLast + LETTER_PX) return []
    endOfLast = start + width
    return `<text x="${roundedText(x)}" y="${HEIGHT - 8}" text-anchor="${anchor}" fill="#59626d">${escapeHtml(text)}</text>`
  })
}

interface AxisLabel {
  place: number
  text: string
}

const LETTER_PX = 6.5

function namePlaces(names: readonly string[]): AxisLabel[] {
  const widest = Math.max(1, ...names.map((name) => Math.min(24, name.length))) * LETTER_PX + 8
  const every = Math.max(1, Math.ceil((widest * names.length) / (WIDTH - LEFT - RIGHT)))
  return names.flatMap((name, place) => (place % every === 0 ? [{ place, text: name.slice(0, 24) }] : []))
}

/** Intervals between time labels, in days. */
const timeSteps = [1 / 1440, 5 / 1440, 15 / 1440, 1 / 24, 3 / 24, 6 / 24, 0.5, 1, 2, 7, 14]

function timePlaces(from: number, to: number): AxisLabel[] {
  if (!(to > from)) return [{ place: from, text: new Date(from).toISOString().slice(0, 16).replace('T', ' ') }]
  const days = (to - from) / MS_PER_DAY
  const step = timeSteps.find((each) => days / each <= 8)
  if (step === undefined) return monthPlaces(from, to)
  const stepMs = Math.round(step * MS_PER_DAY)
  const first = Math.ceil(from / stepMs) * stepMs
  return Array.from({ length: Math.floor((to - first) / stepMs) + 1 }, (_, at) => {
    const place = first + at * stepMs
    const iso = new Date(place).toISOString()
    return { place, text: place % MS_PER_DAY === 0 ? iso.slice(0, 10) : iso.slice(5, 16).replace('T', ' ') }
  })
}

function monthPlaces(from: number, to: number): AxisLabel[] {
  const monthOf = (time: number) => new Date(time).getUTCFullYear() * 12 + new Date(time).getUTCMonth()
  const [first, last] = [monthOf(from) + 1, monthOf(to)]
  const stepMonths = [1, 2, 3, 6, 12, 24, 60, 120].find((each) => (last - first) / each <= 8) ?? 240
  const places: AxisLabel[] = []
  for (let month = Math.ceil(first / stepMonths) * stepMonths; month <= last; month += stepMonths) {
    const place = Date.UTC(Math.floor(month / 12), month % 12)
    places.push({ place, text: new Date(place).toISOString().slice(0, stepMonths >= 12 ? 4 : 7) })
  }
  return places
}

/** Maximum number of points of a line that is drawn completely; a longer one is reduced to a few points per pixel column. */
const MOST_LINE_POINTS = 2000

/** Draws values as a line, step, area, bars or points, with the shapes of the workbench. */
function lineSvg(series: ReportSeries, at: number, { isLog }: ReportChart, plot: Plot): string {
  const view = markedSeries(series, plot)
  const place = markPlot(plot, isLog)
  const colour = colourOf(at)
  const shape = (draw: typeof drawLine) => pathData((sink) => draw(view, place, sink))
  if (view.style === 'bar') return `<path d="${shape(drawBars)}" fill="${colour}" fill-opacity="0.75"/>`
  if (view.style === 'points') return `<path d="${shape(drawPoints)}" fill="${colour}"/>`
  const area = view.style === 'area' ? `<path d="${shape(drawArea)}" fill="${colour}" fill-opacity="0.2"/>` : ''
  return `${area}<path d="${shape(drawLine)}" fill="none" stroke="${colour}" stroke-width="1.4" stroke-linejoin="round" stroke-linecap="round"/>`
}

/** A series with the points that are drawn of it. */
function markedSeries(series: ReportSeries, plot: Plot): MarkedSeries {
  const rows = drawnRowsOf(series, plot)
  return {
    style: series.style ?? 'line',
    stepMs: series.stepMs ?? null,
    points: { times: rows.map((row) => series.x[row]), values: rows.map((row) => finiteOr(series.values[row], NaN)) },
  }
}

const markPlot = (plot: Plot, isLog: boolean | undefined): MarkPlot => ({
  x: plot.x,
  y: plot.y,
  baseY: isLog ? HEIGHT - BOTTOM : plot.y(Math.min(plot.high, Math.max(plot.low, 0))),
  pixel: 1,
  scale: { name: isLog ? 'log' : 'linear' },
})

/** Fills the area between a series and what it is filled to, in the colours of gains and losses or of both series. */
function fillSvg(series: ReportSeries, at: number, { series: all, isLog }: ReportChart, plot: Plot): string {
  const { fill } = series
  if (!fill || series.candles) return ''
  const target = 'level' in fill ? fill.level : markedSeries(all[fill.series], plot)
  const colours =
    'level' in fill
      ? [RISING, FALLING]
      : [colourOf(series.colour ?? at), colourOf(all[fill.series].colour ?? fill.series)]
  const noSink: PathSink = { moveTo() {}, lineTo() {}, rect() {} }
  const line = markedSeries(series, plot)
  return (['above', 'below'] as const)
    .map((side, index) => {
      const d = pathData((sink) =>
        drawFill(line, target, markPlot(plot, isLog), { above: noSink, below: noSink, [side]: sink }),
      )
      return d === '' ? '' : `<path d="${d}" fill="${colours[index]}" fill-opacity="${FILL_ALPHA}"/>`
    })
    .join('')
}

const finiteOr = (value: number, other: number) => (Number.isFinite(value) ? value : other)

/** Collects drawing commands as the data of an SVG path. */
function pathData(draw: (sink: PathSink) => void): string {
  let d = ''
  const place = (x: number, y: number) => `${roundedText(x)} ${roundedText(y)}`
  draw({
    moveTo: (x, y) => void (d += `M${place(x, y)}`),
    lineTo: (x, y) => void (d += `L${place(x, y)}`),
    rect(x, y, width, height) {
      d += `M${place(x, y)}h${roundedText(width)}v${roundedText(height)}h${roundedText(-width)}z`
    },
  })
  return d
}

/** Selects the rows that a line needs: the first, lowest, highest and last in each column of pixels, and every gap. */
function drawnRowsOf({ x, values }: ReportSeries, plot: Plot): number[] {
  const all = Array.from(values.keys())
  if (all.length <= MOST_LINE_POINTS) return all
  const picked: number[] = []
  let start = 0
  while (start < all.length) {
    const column = Math.floor(plot.x(x[start]))
    let end = start
    let [low, high] = [start, start]
    while (end < all.length && Math.floor(plot.x(x[end])) === column && Number.isFinite(values[end])) {
      if (values[end] < values[low]) low = end
      if (values[end] > values[high]) high = end
      end += 1
    }
    if (end === start) picked.push(start)
    else picked.push(...new Set([start, Math.min(low, high), Math.max(low, high), end - 1]))
    start = Math.max(end, start + 1)
  }
  return picked
}

/** Half the width of the end of a whisker. */
const WHISKER_END = 3

function barsSvg(
  { x, values, interval, colour }: ReportSeries,
  at: number,
  { series, names }: ReportChart,
  plot: Plot,
): string {
  const count = names ? names.length : Math.max(1, x.length)
  const slot = (WIDTH - LEFT - RIGHT) / count
  const width = Math.max(0.5, (slot * 0.8) / series.length)
  const baselineY = plot.y(0)
  let [d, whiskers] = ['', '']
  values.forEach((value, row) => {
    const left = plot.x(x[row]) - slot * 0.4 + at * width
    if (Number.isFinite(value))
      d += `M${roundedText(left)} ${roundedText(baselineY)}V${roundedText(plot.y(value))}h${roundedText(width)}V${roundedText(baselineY)}z`
    const [low, high] = [interval?.low[row] ?? NaN, interval?.high[row] ?? NaN].map(plot.y)
    const middle = left + width / 2
    const end = (y: number) => `M${roundedText(middle - WHISKER_END)} ${roundedText(y)}h${2 * WHISKER_END}`
    if (Number.isFinite(low + high))
      whiskers += `M${roundedText(middle)} ${roundedText(low)}V${roundedText(high)}${end(low)}${end(high)}`
  })
  const colourText = colourOf(colour ?? at)
  const bars = `<path d="${d}" fill="${colourText}" fill-opacity="${interval ? 0.45 : 0.8}"/>`
  return whiskers === '' ? bars : `${bars}<path d="${whiskers}" fill="none" stroke="${colourText}" stroke-width="1.4"/>`
}

/** Draws boxes with their whiskers and medians; those of several series stand beside each other. */
function boxesSvg(
  { x, values, boxes, colour: own }: ReportSeries,
  at: number,
  { series, names }: ReportChart,
  plot: Plot,
): string {
  const place = boxPlaces(names?.length ?? x.length, { at, count: series.length }, WIDTH - LEFT - RIGHT)
  const draw = (shape: keyof BoxSinks) => {
    const noSink: PathSink = { moveTo() {}, lineTo() {}, rect() {} }
    return pathData((sink) =>
      drawBoxes(
        { ...boxes!, median: values },
        (row) => ({ x: plot.x(x[row]) + place.offsetPx, widthPx: place.widthPx }),
        plot.y,
        { boxes: noSink, lines: noSink, [shape]: sink },
      ),
    )
  }
  const colour = colourOf(own ?? at)
  return (
    `<path d="${draw('boxes')}" fill="${colour}" fill-opacity="${BOX_ALPHA}"/>` +
    `<path d="${draw('lines')}" fill="none" stroke="${colour}" stroke-width="1.4"/>`
  )
}

const RISING = '#1a7f5a'
const FALLING = '#b3382c'
/** Widest body of a candle, so that the first and last stay inside the axes. */
const MOST_BODY_WIDTH = 8

/** Draws candles: outlined where the close is at or above the open, and filled where it is below. */
function candlesSvg({ x, open, high, low, close, widthMs }: ReportCandles, plot: Plot): string {
  const slot = plot.x(plot.from + widthMs) - LEFT
  const width = Math.min(MOST_BODY_WIDTH, Math.max(0.5, slot * 0.7))
  const shapes = { rising: '', falling: '' }
  x.forEach((place, row) => {
    const centre = plot.x(place)
    const [openY, highY, lowY, closeY] = [open[row], high[row], low[row], close[row]].map(plot.y)
    if (!Number.isFinite(openY + highY + lowY + closeY)) return
    const [top, bottom] = [Math.min(openY, closeY), Math.max(openY, closeY, Math.min(openY, closeY) + 0.8)]
    const [middle, left] = [roundedText(centre), roundedText(centre - width / 2)]
    shapes[close[row] >= open[row] ? 'rising' : 'falling'] +=
      `M${middle} ${roundedText(highY)}V${roundedText(top)}M${middle} ${roundedText(bottom)}V${roundedText(lowY)}` +
      `M${left} ${roundedText(top)}h${roundedText(width)}V${roundedText(bottom)}h${roundedText(-width)}z`
  })
  return (
    `<path d="${shapes.rising}" fill="none" stroke="${RISING}"/>` +
    `<path d="${shapes.falling}" fill="${FALLING}" stroke="${FALLING}"/>`
  )
}

/** Draws events: a line at each, and its text at the top. */
const flagsSvg = (flags: readonly ReportFlags[], firstColour: number, plot: Plot): string =>
  placedFlags(flags, { x: plot.x, fromPx: LEFT, toPx: WIDTH - RIGHT, letterPx: LETTER_PX })
    .map(({ of, x, text, align, title }) => {
      const colour = colourOf(firstColour + flags.indexOf(of))
      const line = `<path d="M${roundedText(x)} ${TOP}V${HEIGHT - BOTTOM}" stroke="${colour}"><title>${escapeHtml(title)}</title></path>`
      if (!text) return line
      const [isLeft, width] = [align === 'left', text.length * LETTER_PX + 4]
      const back = `<rect x="${roundedText(isLeft ? x + 1 : x - 1 - width)}" y="${TOP}" width="${roundedText(width)}" height="14" fill="#fff"/>`
      const anchor = isLeft ? '' : ' text-anchor="end"'
      return `${line}${back}<text x="${roundedText(x + (isLeft ? 4 : -4))}" y="${TOP + 10}"${anchor} fill="#3d4348">${escapeHtml(text)}</text>`
    })
    .join('')

function legendHtml({ series, style, flags = [], shades = [] }: ReportChart): string {
  if (series.length + flags.length + shades.length < 2) return ''
  const states = shades.map((shade) => ({
    label: [shade.label, shadeText(shade)].filter(Boolean).join(', '),
    colour: shade.colour,
  }))
  const marks: { label: string; colour?: number | undefined }[] = [...series, ...flags, ...states]
  const items = marks.map(({ label, colour }, at) => {
    const isState = at >= series.length + flags.length
    const widthPx = style === 'bars' || isState ? 8 : 2
    const opacity = isState ? ' stroke-opacity="0.3"' : ''
    const mark = `<svg viewBox="0 0 26 8" aria-hidden="true"><path d="M0 4H26" stroke="${colourOf(colour ?? at)}" stroke-width="${widthPx}"${opacity}/></svg>`
    return `<li>${mark}${escapeHtml(label)}</li>`
  })
  return `<ul class="legend">${items.join('')}</ul>`
}

/** Summarises a chart as a table: first, last, lowest and highest value of each series, with their positions. */
export function chartTable(chart: ReportChart): ReportTable {
  const placeText = (place: number) => (chart.names ? (chart.names[place] ?? '') : instantText(place))
  const rows = chart.series.map((series): ReportCell[] => {
    const { x, values } = series
    const present = [...values.keys()].filter((row) => Number.isFinite(values[row]))
    const bestRow = (isBetter: (a: number, b: number) => boolean) =>
      present.reduce((best, row) => (best < 0 || isBetter(values[row], values[best]) ? row : best), -1)
    const chosen = [present.at(0) ?? -1, present.at(-1) ?? -1, bestRow((a, b) => a < b), bestRow((a, b) => a > b)]
    return [
      labelWithUnit(series),
      ...chosen.flatMap((row) => (row < 0 ? [null, null] : [cellOf(series, values[row]), placeText(x[row])])),
    ]
  })
  return {
    kind: 'table',
    title: `${chart.title}: summary`,
    columns: ['Series', 'First', 'At', 'Last', 'At', 'Lowest', 'At', 'Highest', 'At'],
    rows,
  }
}

function cellOf({ numberKind }: ReportSeries, value: number): ReportCell {
  return isShownAsPercent(numberKind)
    ? reportNumber(value, numberKind)
    : { value, text: numberFormat(numberKind)(value) }
}

const labelWithUnit = ({ label, unit }: ReportSeries): string =>
  unit === undefined || unit === 'none' ? label : `${label} (${unit})`

/** Formats an instant in UTC, without seconds that are zero and without midnight: `2026-08-01`, `2026-08-01T12:00Z`. */
const instantText = (timeMs: number): string =>
  new Date(timeMs).toISOString().replace('.000Z', 'Z').replace(/:00Z$/, 'Z').replace('T00:00Z', '')
