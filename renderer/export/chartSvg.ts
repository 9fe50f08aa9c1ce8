import { chartsText } from '../text/charts.ts'
import { type TimeTick, timeLabelsAt, timeTicks } from '../charts/axes.ts'
import { type ChartColours, seriesColour } from '../charts/chartColours.ts'
import { endNames, nameMarks } from '../charts/axisMarks.ts'
import { widthsOf, wrapLines } from '../charts/layout.ts'
import {
  bandBox,
  type Box,
  drawCandles,
  drawCutMarks,
  paintFills,
  paintShades,
  type Plot,
  plotIn,
  SHADING_ALPHA,
} from '../charts/marks.ts'
import { drawArea, drawBars, drawLine, drawPoints } from '#shared/overview/marks.ts'
import { placedDrawings } from '../charts/drawings.ts'
import { placedFlags } from '#shared/overview/flags.ts'
import { type Shade, shadeText } from '#shared/overview/shade.ts'
import type { Side } from '#shared/workspace/chartStyle.ts'
import type { ReportChart } from '#shared/report/reportContent.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { Band, ChartModel, ChartSeries } from '../charts/model.ts'
import { type AxisView, paneView, type PaneView, type SeriesView } from '../charts/paneView.ts'
import { measuredRangeText, namedUnit } from '../charts/readout.ts'
import { chartFigure } from '../charts/small/chartFigure.ts'
import { paintedFigure } from './figureSvg.ts'
import { element, SvgPath, textElement } from './svgWriter.ts'

export interface ChartPicture {
  model: ChartModel
  range: TimeRange
  colours: ChartColours
  title: string
  /** Provenance of the numbers, in lines: datasets, files, timestamp source, fetch time, transforms. */
  provenance: string
  widthPx: number
  heightPx: number
}

const MARGIN = 16
const HEAD_PX = 44
const LEGEND_PX = 22
const LEGEND_LINE_PX = 15
const AXIS_PX = 36
const TIME_LINE_PX = 14
const FOOT_PX = 10
const FOOT_LINE_PX = 14
const TICK_PX = 90
const FONT = "Inter, system-ui, 'Segoe UI', sans-serif"

/** Writes the chart in view as SVG, with its title, range, legends and provenance. */
export function exportedChartSvg(picture: ChartPicture): string {
  const { model, range, colours, widthPx, heightPx } = picture
  const innerPx = widthPx - 2 * MARGIN
  const footLines = picture.provenance.split('\n')
  const sharedPx = heightPx - HEAD_PX - AXIS_PX - FOOT_PX - footLines.length * FOOT_LINE_PX
  const paneShare = sharedPx / Math.max(1, model.panes.length)
  const views = model.panes.map((pane) => paneView(pane, range, innerPx, Math.max(40, paneShare - LEGEND_PX)))
  const legends = views.map((view, at) => legendLines(view, at === 0 ? (model.shades ?? []) : [], innerPx, colours))
  const widths = widthsOf(views, innerPx)
  const ticks = timeTicks(range, model.zone, Math.max(2, Math.floor(widths.plotPx / TICK_PX)))
  const boxes = views.map((_, at): Box => {
    const legendPx = LEGEND_PX + (legends[at].length - 1) * LEGEND_LINE_PX
    const top = HEAD_PX + at * paneShare + legendPx
    return { left: MARGIN + widths.leftPx, top, width: widths.plotPx, height: Math.max(40, paneShare - legendPx) }
  })
  const panes = views.map(
    (view, at) =>
      paneSvg(picture, view, boxes[at], ticks, at) +
      namesSvg(picture, view, boxes[at], widths.namesPx) +
      legendSvg(legends[at], boxes[at]),
  )
  const lowestBox = boxes.at(views.findLastIndex(({ pane }) => !pane.figures))
  const inside = [
    element('rect', { width: widthPx, height: heightPx, fill: colours.canvas }),
    headSvg(picture),
    ...panes,
    lowestBox ? timesSvg(picture, ticks, lowestBox) : '',
    ...footLines.map((line, at) => {
      const y = heightPx - 9 - (footLines.length - 1 - at) * FOOT_LINE_PX
      return textElement(line, { x: MARGIN, y, fill: colours.textFaint, 'font-size': 10 })
    }),
  ]
  const size = { width: widthPx, height: heightPx, viewBox: `0 0 ${widthPx} ${heightPx}` }
  const root = { xmlns: 'http://www.w3.org/2000/svg', ...size, 'font-family': FONT, 'font-size': 11, role: 'img' }
  return element('svg', root, element('title', {}, escapedText(picture.title)) + inside.join(''))
}

const escapedText = (text: string) => textElement(text, {}).replace(/^<text>|<\/text>$/g, '')

function headSvg({ title, model, range, colours }: ChartPicture): string {
  return (
    textElement(title, { x: MARGIN, y: 20, fill: colours.text, 'font-size': 14, 'font-weight': 600 }) +
    textElement(chartsText.rangeInZone(range, model.zone), { x: MARGIN, y: 36, fill: colours.textSoft })
  )
}

function paneSvg(picture: ChartPicture, view: PaneView, box: Box, ticks: readonly TimeTick[], at: number): string {
  if (view.pane.figures) return figuresSvg(view.pane.figures, box, picture.colours)
  const { model, range, colours } = picture
  const clipId = `pane-${at}`
  const bands = model.bands.filter(({ paneId }) => paneId === undefined || paneId === view.pane.id)
  const plotOn = (side: Side) => plotIn(box, range, view.axes[side]!, 1)
  const series = view.series.map((one) => {
    const axis = view.axes[one.side]
    if (!axis) return ''
    const plot = plotOn(one.side)
    return seriesSvg(one, plot, colours) + (axis.cut ? cutMarksSvg(one, axis, plot, colours) : '')
  })
  const { left: x, top: y, width, height } = box
  return [
    element('clipPath', { id: clipId }, element('rect', { x, y, width, height })),
    ...bands.map((band) => bandSvg(band, range, box, colours)),
    shadesSvg(picture, box),
    ...ticks.map(({ timeMs }) => lineAt(x + shareOfRange(timeMs, range) * width, y, 0, height, colours)),
    axisSvg(view.axes.left, box, range, colours, !view.axes.left),
    axisSvg(view.axes.right, box, range, colours, !view.axes.left),
    element(
      'g',
      { 'clip-path': `url(#${clipId})` },
      [
        filledSvg((fill) => paintFills(fill, view, plotOn, colours)),
        ...series,
        drawingsSvg(picture, view, box),
        measuresSvg(picture, view, box),
      ].join('') || element('g', {}),
    ),
    flagsSvg(view.pane.series, picture, box),
    notesSvg(picture, box, at === 0),
  ].join('')
}

/** Writes the charts of a pane of distributions beside each other, each with its title. */
function figuresSvg(figures: readonly ReportChart[], box: Box, colours: ChartColours): string {
  const widthPx = box.width / Math.max(1, figures.length)
  return figures
    .map((chart, at) => {
      const heading = textElement(chart.title, { x: 8, y: 10, fill: colours.textSoft })
      const drawn = paintedFigure(chartFigure(chart), { widthPx, heightPx: box.height - 14 }, colours)
      const below = element('g', { transform: 'translate(0 14)' }, drawn)
      return element('g', { transform: `translate(${box.left + at * widthPx} ${box.top})` }, heading + below)
    })
    .join('')
}

/** Collects the filled paths that a function paints. */
function filledSvg(paint: (fill: (colour: string, draw: (sink: SvgPath) => void) => void) => void): string {
  const parts: string[] = []
  paint((colour, draw) => {
    const path = new SvgPath()
    draw(path)
    parts.push(path.element({ fill: colour }))
  })
  return parts.join('')
}

function shadesSvg({ model, range, colours }: ChartPicture, box: Box): string {
  const x = (timeMs: number) => box.left + shareOfRange(timeMs, range) * box.width
  return filledSvg((fill) => paintShades(fill, model.shades ?? [], { ...box, x, pixel: 1 }, colours))
}

/** Estimated width of a letter of a flag. */
const FLAG_LETTER_PX = 6

/** Draws the events of a pane: a line at each, and its text at the top. */
function flagsSvg(series: readonly ChartSeries[], { range, colours }: ChartPicture, box: Box): string {
  const x = (timeMs: number) => box.left + shareOfRange(timeMs, range) * box.width
  const flagged = series.flatMap(({ flags, colour }) => (flags ? { ...flags, colour } : []))
  return placedFlags(flagged, { x, fromPx: box.left, toPx: box.left + box.width, letterPx: FLAG_LETTER_PX })
    .map((flag) => {
      const d = `M${flag.x.toFixed(1)} ${box.top.toFixed(1)}v${box.height.toFixed(1)}`
      const line = element('path', { d, fill: 'none', stroke: seriesColour(colours, flag.of.colour) })
      if (!flag.text) return line
      const [isLeft, width] = [flag.align === 'left', flag.text.length * FLAG_LETTER_PX + 4]
      const back = { x: isLeft ? flag.x + 1 : flag.x - 1 - width, y: box.top, width, height: 16, fill: colours.canvas }
      const place = { x: flag.x + (isLeft ? 4 : -4), y: box.top + 12, 'text-anchor': isLeft ? 'start' : 'end' }
      return line + element('rect', back) + textElement(flag.text, { ...place, fill: colours.text, 'font-size': 10 })
    })
    .join('')
}

const shareOfRange = (timeMs: number, { startMs, endMs }: TimeRange) => (timeMs - startMs) / (endMs - startMs)

const lineAt = (x: number, y: number, width: number, height: number, { line }: ChartColours) =>
  element('path', {
    d: `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}`,
    fill: 'none',
    stroke: line,
  })

function bandSvg(band: Band, range: TimeRange, box: Box, colours: ChartColours): string {
  const area = bandBox(band, range, box)
  if (!area) return ''
  const isMissing = band.kind === 'missing'
  const { left: x, top: y, width, height } = area
  const fill = isMissing ? colours.textFaint : seriesColour(colours, band.colour)
  const message = isMissing ? chartsText.missing.inPicture(band.label) : band.label
  return (
    element('rect', { x, y, width, height, fill, 'fill-opacity': isMissing ? 0.12 : SHADING_ALPHA }) +
    (width > 60 ? textElement(message, { x: x + 4, y: y + height - 4, fill: colours.textFaint, 'font-size': 9 }) : '')
  )
}

function axisSvg(axis: AxisView | null, box: Box, range: TimeRange, colours: ChartColours, isAlone: boolean): string {
  if (!axis) return ''
  const plot = plotIn(box, range, axis, 1)
  const isLeft = axis.side === 'left'
  const x = isLeft ? box.left - 6 : box.left + box.width + 6
  const anchor = isLeft ? 'end' : 'start'
  return axis.ticks
    .map((tick, at) => {
      const y = plot.y(tick)
      const grid = isLeft || isAlone ? lineAt(box.left, y, box.width, 0, colours) : ''
      return grid + textElement(axis.labels[at], { x, y: y + 4, fill: colours.textFaint, 'text-anchor': anchor })
    })
    .join('')
}

/** Writes the names of lines beside the plot, each with a dash in the colour of its line. */
function namesSvg({ range, colours, widthPx }: ChartPicture, view: PaneView, box: Box, namesPx: number): string {
  if (namesPx === 0) return ''
  const x = widthPx - MARGIN - namesPx
  return endNames(view, range, box)
    .map(({ text, yPx, colour }) => {
      const dash = { x: x + nameMarks.dashPx, y: Math.round(yPx) - 1, width: nameMarks.dashWidthPx, height: 2 }
      return (
        element('rect', { ...dash, fill: seriesColour(colours, colour) }) +
        textElement(text, { x: x + nameMarks.textPx, y: Math.round(yPx) + 4, fill: colours.textSoft })
      )
    })
    .join('')
}

function timesSvg({ range, widthPx, colours }: ChartPicture, ticks: readonly TimeTick[], box: Box): string {
  const xOf = (timeMs: number) => box.left + shareOfRange(timeMs, range) * box.width
  const labels = timeLabelsAt(ticks, xOf, widthPx)
  return ticks
    .flatMap(({ timeMs }, at) => {
      const attributes = { x: xOf(timeMs), fill: colours.textFaint, 'text-anchor': 'middle' }
      const lines = labels[at].split('\n').filter(Boolean)
      return lines.map((line, place) =>
        textElement(line, { ...attributes, y: box.top + box.height + 15 + place * TIME_LINE_PX }),
      )
    })
    .join('')
}

/** Draws the notes of the range: a line in each pane, and the text in the first one. */
function notesSvg({ model, range, colours }: ChartPicture, box: Box, isFirst: boolean): string {
  const notesInView = model.notes.filter(({ timeMs }) => timeMs >= range.startMs && timeMs <= range.endMs)
  return notesInView
    .map(({ timeMs, text }) => {
      const x = box.left + shareOfRange(timeMs, range) * box.width
      const line = { d: `M${x.toFixed(1)} ${box.top.toFixed(1)}v${box.height.toFixed(1)}`, fill: 'none' }
      const message = isFirst
        ? textElement(text, { x: x + 4, y: box.top + box.height - 16, fill: colours.warning })
        : ''
      return element('path', { ...line, stroke: colours.warning, 'stroke-dasharray': '3 3' }) + message
    })
    .join('')
}

function drawingsSvg({ model, range, colours }: ChartPicture, view: PaneView, box: Box): string {
  return placedDrawings(view, model.drawings ?? [], range, box)
    .map(({ segment, extent, text, textX, textY }) => {
      const area = extent && { x: extent.leftPx, y: box.top, width: extent.widthPx, height: box.height }
      const textAttributes = { x: textX + 3, y: Math.max(box.top + 12, textY - 4), fill: colours.text }
      return (
        (segment ? element('line', { ...segment, stroke: colours.accent, 'stroke-width': 1.5 }) : '') +
        (area ? element('rect', { ...area, fill: colours.accent, 'fill-opacity': 0.07 }) : '') +
        (text ? textElement(text, textAttributes) : '')
      )
    })
    .join('')
}

function measuresSvg({ model, range, colours }: ChartPicture, view: PaneView, box: Box): string {
  const [firstSeries] = view.series
  return model.measures
    .filter(({ startMs, endMs }) => startMs < range.endMs && endMs > range.startMs)
    .map((measure) => {
      const from = box.left + Math.max(0, shareOfRange(measure.startMs, range)) * box.width
      const to = box.left + Math.min(1, shareOfRange(measure.endMs, range)) * box.width
      const place = { x: from, y: box.top, width: to - from, height: box.height }
      const ends = measure.ends?.get(view.pane.id)
      const message = firstSeries ? measuredRangeText(firstSeries, { ...measure, ends }, range) : ''
      const textPlace = { x: (from + to) / 2, y: box.top + 14, 'text-anchor': 'middle' }
      return (
        element('rect', { ...place, fill: colours.accent, 'fill-opacity': 0.1, stroke: colours.accent }) +
        textElement(message, { ...textPlace, fill: colours.text })
      )
    })
    .join('')
}

const LETTER_PX = 6.4
const MARK_PX = 24
const GAP_PX = 12

interface LegendPart {
  text: string
  fill: string
  weight: number
  mark: { stroke: string } | null
}
/** One line of a legend: its entries, each with its left edge. */
type LegendLine = (LegendPart & { xPx: number })[]

/** Wraps the entries of a legend into lines, so that no series and no condition is left out. */
function legendLines(view: PaneView, shades: readonly Shade[], widthPx: number, colours: ChartColours): LegendLine[] {
  const textPart = (text: string, fill: string, weight = 400): LegendPart => ({ text, fill, weight, mark: null })
  const badgeTexts = (badges: readonly string[]) => badges.map((badge) => `[${badge}]`)
  const series = view.series.map((one): LegendPart => {
    const unit = namedUnit(one)
    const labelParts = [
      one.series.label,
      unit && `(${unit})`,
      ...badgeTexts(one.badges.filter((badge) => !view.shared.includes(badge))),
    ]
    const mark = { stroke: seriesColour(colours, one.series.colour) }
    return { ...textPart(labelParts.filter(Boolean).join(' '), colours.textSoft), mark: one.candles ? null : mark }
  })
  const parts = [
    ...(view.pane.title ? [textPart(view.pane.title, colours.text, 600)] : []),
    ...badgeTexts(view.shared).map((badge) => textPart(badge, colours.textSoft)),
    ...series,
    ...(view.pane.figures ?? []).flatMap(({ series: drawn }) =>
      drawn.length < 2
        ? []
        : drawn.map(({ label, colour }, at): LegendPart => ({
            ...textPart(label, colours.textSoft),
            mark: { stroke: seriesColour(colours, colour ?? at) },
          })),
    ),
    ...shades.map((shade): LegendPart => {
      const text = [shade.label, shadeText(shade)].filter(Boolean).join(', ')
      return { ...textPart(text, colours.textSoft), mark: { stroke: seriesColour(colours, shade.colour) } }
    }),
    ...badgeTexts(view.badges).map((badge) => textPart(badge, colours.textSoft)),
    ...view.warnings.map((warning) => textPart(warning, colours.warning)),
  ]
  const widthOf = ({ text, mark }: LegendPart) => text.length * LETTER_PX + (mark ? MARK_PX : 0)
  return wrapLines(parts, widthOf, { roomPx: widthPx, gapPx: GAP_PX })
}

function legendSvg(lines: readonly LegendLine[], box: Box): string {
  return lines
    .flatMap((line, at) =>
      line.map(({ text, fill, weight, mark, xPx }) => {
        const x = MARGIN + xPx
        const y = box.top - 8 - (lines.length - 1 - at) * LEGEND_LINE_PX
        const message = textElement(text, { x: mark ? x + MARK_PX : x, y, fill, 'font-weight': weight })
        if (!mark) return message
        const path = { d: `M${x} ${y - 4}h18`, ...mark, 'stroke-width': 2 }
        return element('path', path) + message
      }),
    )
    .join('')
}

function cutMarksSvg(view: SeriesView, axis: AxisView, plot: Plot, colours: ChartColours): string {
  const path = new SvgPath()
  drawCutMarks(view, axis, plot, path)
  return path.element({ fill: seriesColour(colours, view.series.colour) })
}

/** Writes one series with the functions that also draw it on screen. */
export function seriesSvg(view: SeriesView, plot: Plot, colours: ChartColours): string {
  if (view.candles) return candlesSvg(view.candles, plot, colours)
  const colour = seriesColour(colours, view.series.colour)
  const path = new SvgPath()
  if (view.style === 'bar') {
    drawBars(view, plot, path)
    return path.element({ fill: colour, 'fill-opacity': 0.75 })
  }
  if (view.style === 'points') {
    drawPoints(view, plot, path)
    return path.element({ fill: colour })
  }
  const area = new SvgPath()
  if (view.style === 'area') drawArea(view, plot, area)
  drawLine(view, plot, path)
  const line = {
    fill: 'none',
    stroke: colour,
    'stroke-width': 1.4,
    'stroke-linejoin': 'round',
  }
  return area.element({ fill: colour, 'fill-opacity': 0.2 }) + path.element(line)
}

function candlesSvg(candles: NonNullable<SeriesView['candles']>, plot: Plot, colours: ChartColours): string {
  const sinks = { wicks: new SvgPath(), rising: new SvgPath(), falling: new SvgPath(), volume: new SvgPath() }
  drawCandles(candles, plot, sinks)
  return [
    sinks.volume.element({ fill: colours.textFaint, 'fill-opacity': 0.35 }),
    sinks.wicks.element({ fill: 'none', stroke: colours.textFaint }),
    sinks.rising.element({ fill: colours.canvas, stroke: colours.positive }),
    sinks.falling.element({ fill: colours.negative, stroke: colours.negative }),
  ].join('')
}
