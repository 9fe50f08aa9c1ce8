/** Lays out charts: widths of axes, lines of legends, heights of panes, and the sizes of elements and canvases. */
import { computed, onBeforeUnmount, onMounted, type Ref, shallowRef, watch } from 'vue'
import './small/small.css'
import { type ChartColours, onElement, useColours } from './chartColours.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { takeTurn } from '#shared/tables/turns.ts'
import type { Pane } from './model.ts'
import type { Side } from '#shared/workspace/chartStyle.ts'
import { endNamesPx, endTexts } from './axisMarks.ts'
import type { PaneView } from './paneView.ts'

/** Horizontal layout shared by all panes, in pixels. */
export interface PaneWidths {
  leftPx: number
  rightPx: number
  /** Width beside the right axis for the names at the ends of lines; 0 if no pane has several lines. */
  namesPx: number
  widthPx: number
  plotPx: number
}

const DIGIT_PX = 6.7
const LABEL_GAP_PX = 16
const LEAST_AXIS_PX = 34
const EDGE_PX = 8

/** Makes axes as wide as their longest label and equal in all panes, so that the panes' times line up. */
export function widthsOf(views: readonly PaneView[], widthPx: number): PaneWidths {
  const leftPx = axisPx(views, 'left')
  const rightPx = axisPx(views, 'right')
  const texts = views.flatMap(({ series }) => endTexts(series.map(({ series: one }) => one)))
  const namesPx = endNamesPx(texts, widthPx)
  const plotPx = Math.max(1, widthPx - Math.max(leftPx, 0) - Math.max(rightPx, EDGE_PX) - namesPx)
  return { leftPx, rightPx, namesPx, widthPx, plotPx }
}

function axisPx(views: readonly PaneView[], side: Side): number {
  const axes = views.flatMap(({ axes }) => axes[side] ?? [])
  if (axes.length === 0) return side === 'left' ? LEAST_AXIS_PX : 0
  const longest = Math.max(...axes.flatMap(({ labels }) => labels.map((label) => label.length)), 0)
  return Math.max(LEAST_AXIS_PX, Math.ceil(longest * DIGIT_PX) + LABEL_GAP_PX)
}

export const timeAtPx = (xPx: number, { leftPx, plotPx }: PaneWidths, { startMs, endMs }: TimeRange): number =>
  startMs + ((xPx - leftPx) / plotPx) * (endMs - startMs)

export const placeOf = (timeMs: number, { leftPx, plotPx }: PaneWidths, { startMs, endMs }: TimeRange): number =>
  leftPx + ((timeMs - startMs) / (endMs - startMs)) * plotPx

/** Wraps items of the given widths into lines, and adds the left edge of each item. */
export function wrapLines<Item extends object>(
  items: readonly Item[],
  widthOf: (item: Item) => number,
  { roomPx, gapPx }: { roomPx: number; gapPx: number },
): (Item & { xPx: number })[][] {
  const lines: (Item & { xPx: number })[][] = [[]]
  let xPx = 0
  for (const item of items) {
    const widthPx = widthOf(item)
    if (xPx > 0 && xPx + widthPx > roomPx) {
      lines.push([])
      xPx = 0
    }
    lines.at(-1)!.push({ ...item, xPx })
    xPx += widthPx + gapPx
  }
  return lines
}

/**
 * Places labels side by side, each centred on its position and within a width; a label that would overlap goes to
 * another line.
 * @returns the left edge and the line of each label
 */
export function labelPlaces(
  labels: readonly { middlePx: number; widthPx: number }[],
  roomPx: number,
): { leftPx: number; line: number }[] {
  const takenByLine: number[][] = []
  return labels.map(({ middlePx, widthPx }) => {
    const leftPx = Math.max(0, Math.min(middlePx - widthPx / 2, roomPx - widthPx))
    const isFree = (taken: readonly number[]) => {
      for (let at = 0; at < taken.length; at += 2)
        if (leftPx < taken[at + 1] && leftPx + widthPx > taken[at]) return false
      return true
    }
    const freeLine = takenByLine.findIndex(isFree)
    const line = freeLine < 0 ? takenByLine.push([]) - 1 : freeLine
    takenByLine[line].push(leftPx, leftPx + widthPx)
    return { leftPx, line }
  })
}

const LEGEND_LINE_PX = 24
const LETTER_PX = 6.6
const MARK_PX = 23
const GAP_PX = 14
const PADDING_PX = 16
/**
 * Space for a value under the cursor; it is reserved even without a cursor, so that pointing does not move the panes.
 */
const VALUE_PX = 80
const CANDLE_VALUES_PX = 350
/** Width of a badge that names the scale or what an axis leaves out. */
const SCALE_BADGE_PX = 130

/** Estimates the height of a pane's legend from the number of lines that its series need. */
function legendHeightPx({ title, scale, series, robust, locked }: Pane, widthPx: number): number {
  const entries = series.map(({ label, badges = [], style }) => {
    const letters = label.length + badges.reduce((sum, badge) => sum + badge.length + 2, 0)
    return { widthPx: MARK_PX + letters * LETTER_PX + (style === 'candles' ? CANDLE_VALUES_PX : VALUE_PX) }
  })
  for (const hasLabel of [scale !== 'linear', robust, locked]) if (hasLabel) entries.push({ widthPx: SCALE_BADGE_PX })
  const roomPx = widthPx - PADDING_PX - title.length * LETTER_PX
  return wrapLines(entries, (entry) => entry.widthPx, { roomPx, gapPx: GAP_PX }).length * LEGEND_LINE_PX
}

/** Maximum fraction of a pane for its legend; a longer legend scrolls. */
const LEGEND_SHARE = 0.4

/**
 * Tracks the height of each pane's legend. Until a legend is measured, its height is estimated from the length of its
 * text. A legend that once needed more lines for values under the cursor keeps them, so that the panes do not move as
 * the values change.
 */
export function useLegendHeights(panes: () => readonly Pane[], stagePx: () => { widthPx: number; heightPx: number }) {
  const heightsById = shallowRef<ReadonlyMap<string, { content: string; restPx: number; pointedPx: number }>>(new Map())
  /** Key of a legend's content; a measured height applies only to the same key. */
  const contentOf = ({ title, scale, series, robust = false, locked = {} }: Pane) =>
    JSON.stringify([
      stagePx().widthPx,
      title,
      scale,
      robust,
      Object.keys(locked),
      series.map(({ label, badges, style }) => [label, badges, style]),
    ])

  function heightPx(pane: Pane): number {
    const known = heightsById.value.get(pane.id)
    const wantedPx =
      known?.content === contentOf(pane)
        ? Math.max(known.restPx, known.pointedPx)
        : legendHeightPx(pane, stagePx().widthPx)
    const panePx = Math.max(stagePx().heightPx / Math.max(1, panes().length), SCROLLED_PX + LEGEND_LINE_PX)
    return Math.min(wantedPx, Math.floor((panePx * LEGEND_SHARE) / LEGEND_LINE_PX) * LEGEND_LINE_PX)
  }

  /**
   * Records the measured height of a legend.
   * @param isPointed true while it shows values under the cursor
   */
  function measure(pane: Pane, measuredPx: number, isPointed: boolean): void {
    const content = contentOf(pane)
    const found = heightsById.value.get(pane.id)
    const known = found?.content === content ? found : { content, restPx: 0, pointedPx: 0 }
    const next = isPointed
      ? { ...known, pointedPx: Math.max(known.pointedPx, measuredPx) }
      : { ...known, restPx: measuredPx }
    heightsById.value = new Map(heightsById.value).set(pane.id, next)
  }

  return { heightPx, measure }
}

const PANES_AT_ONCE = 4

/**
 * Counts the panes that may be built by now. A chart of up to four panes is built at once; a larger one is built one
 * pane per task, because a pane takes milliseconds.
 */
export function useBuiltPanes(count: () => number): Ref<number> {
  const paneCount = shallowRef(PANES_AT_ONCE)
  watch(
    [count, paneCount],
    ([wantedCount, builtCount], [wantedCountBefore = 0], onCleanup) => {
      if (wantedCountBefore === 0 && wantedCount > PANES_AT_ONCE) builtCount = 0
      paneCount.value = Math.min(builtCount, Math.max(PANES_AT_ONCE, wantedCount))
      if (builtCount < wantedCount) onCleanup(takeTurn(() => (paneCount.value += 1)))
    },
    { immediate: true },
  )
  return paneCount
}

const DIVIDER_PX = 7
const LEAST_PLOT_PX = 48
/** Height of a plot in a chart that scrolls, until the user resizes the plot. */
const SCROLLED_PX = 96

/** A pane, or the panes side by side in a row of a grid, with the height of the legend above it. */
export interface PaneRow {
  key: string
  legendPx: number
}

/** Returns the rows of a grid, each with the height of its tallest legend, so that the panes in a row are aligned. */
export const alignedRows = (columns: readonly (readonly PaneRow[])[], count: number): PaneRow[] =>
  Array.from({ length: count }, (_, row) => ({
    key: `row ${row}`,
    legendPx: Math.max(0, ...columns.map((column) => column[row]?.legendPx ?? 0)),
  }))

/**
 * Divides the height of a chart among its rows by weights. If the panes would become too short, their heights no longer
 * depend on the height of the chart, which scrolls.
 */
export function usePaneHeights(
  rows: () => readonly PaneRow[],
  totalPx: () => number,
  weights: Ref<ReadonlyMap<string, number>> = shallowRef(new Map()),
) {
  const weightOf = (key: string) => weights.value.get(key) ?? 1

  const sharedPx = () => {
    const legendsPx = rows().reduce((sum, { legendPx }) => sum + legendPx, 0)
    return Math.max(0, totalPx() - legendsPx - Math.max(0, rows().length - 1) * DIVIDER_PX)
  }
  const weightSum = () => rows().reduce((all, { key }) => all + weightOf(key), 0)

  const sharePx = (key: string) => Math.floor((sharedPx() * weightOf(key)) / weightSum())
  const scrolls = computed(() => rows().some(({ key }) => sharePx(key) < LEAST_PLOT_PX))

  function plotPx(key: string): number {
    return scrolls.value ? Math.max(LEAST_PLOT_PX, Math.round(SCROLLED_PX * weightOf(key))) : sharePx(key)
  }

  /**
   * Moves height from the lower row to the upper one; a negative number of pixels moves it the other way. In a chart
   * that scrolls, only the upper row changes.
   */
  function move(upper: string, lower: string, byPx: number): void {
    const wantedPx = Math.max(LEAST_PLOT_PX, plotPx(upper) + byPx)
    if (scrolls.value) return void (weights.value = new Map(weights.value).set(upper, wantedPx / SCROLLED_PX))
    const sumPx = plotPx(upper) + plotPx(lower)
    const upperPx = Math.min(sumPx - LEAST_PLOT_PX, wantedPx)
    const weightPerPx = weightSum() / Math.max(1, sharedPx())
    weights.value = new Map([
      ...weights.value,
      [upper, upperPx * weightPerPx],
      [lower, (sumPx - upperPx) * weightPerPx],
    ])
  }

  const percent = (key: string): number => Math.round((weightOf(key) / weightSum()) * 100)

  return { plotPx, move, percent, scrolls }
}

const measureByElement = new WeakMap<Element, () => void>()
/**
 * One observer for all elements, so that all are measured before any of them changes and the page is laid out only
 * once.
 */
let sharedObserver: ResizeObserver | null = null
const sizeObserver = () =>
  (sharedObserver ??= new ResizeObserver((changes) =>
    changes.forEach(({ target }) => measureByElement.get(target)?.()),
  ))

/** Tracks the inner size of an element in CSS pixels, independent of the zoom of the window. */
export function useSize(element: Ref<HTMLElement | null>) {
  const size = shallowRef({ widthPx: 0, heightPx: 0 })
  let end = () => {}
  onElement(element, (found) => {
    const measure = () => {
      const { clientWidth: widthPx, clientHeight: heightPx } = found
      if (widthPx !== size.value.widthPx || heightPx !== size.value.heightPx) size.value = { widthPx, heightPx }
    }
    end()
    end = () => sizeObserver().unobserve(found)
    measureByElement.set(found, measure)
    sizeObserver().observe(found)
    measure()
  })
  onBeforeUnmount(() => end())
  return size
}

/**
 * Returns the screen pixels per CSS pixel of an element, because pointers report screen pixels and layout uses CSS
 * pixels.
 */
export const zoomOf = (element: HTMLElement): number =>
  element.offsetWidth > 0 ? element.getBoundingClientRect().width / element.offsetWidth : 1

interface PaintTarget {
  context: CanvasRenderingContext2D
  widthPx: number
  heightPx: number
  colours: ChartColours
}

/** Tells whether an element is scrolled out of sight; false until the browser knows. */
export function useOutOfSight(element: Ref<HTMLElement | null>): Ref<boolean> {
  const isOutOfSight = shallowRef(false)
  const observer = new IntersectionObserver((seen) => (isOutOfSight.value = !seen.at(-1)!.isIntersecting))
  onElement(element, (found) => observer.observe(found))
  onBeforeUnmount(() => observer.disconnect())
  return isOutOfSight
}

/**
 * Fits the resolution of a canvas to its size, and repaints it when the size or the theme changes; the caller calls
 * `draw` when its inputs change. A canvas out of sight is painted when it comes into view.
 */
export function useCanvas(canvas: Ref<HTMLCanvasElement | null>, paint: (target: PaintTarget) => void) {
  const size = useSize(canvas)
  const colours = useColours(canvas)
  const isOutOfSight = useOutOfSight(canvas)
  let isDue = false

  function draw(): void {
    isDue = isOutOfSight.value
    // Canvases out of sight are not painted, because setting a font already makes the browser recompute the page's
    // styles.
    if (isDue) return
    const { widthPx, heightPx } = size.value
    const element = canvas.value
    const context = element?.getContext('2d')
    if (!element || !context || !colours.value || widthPx === 0) return
    element.width = widthPx * devicePixelRatio
    element.height = heightPx * devicePixelRatio
    context.scale(devicePixelRatio, devicePixelRatio)
    paint({ context, widthPx, heightPx, colours: colours.value })
  }
  watch(isOutOfSight, () => isDue && draw())
  onMounted(() => watch([size, colours], draw, { immediate: true }))
  return { size, draw }
}
