import { shallowRef } from 'vue'
import type { Pane, TimeRange } from './model.ts'
import type { PaneView, Side } from './paneView.ts'

/** Where times stand across a stack of panes, in its own pixels. */
export interface Columns {
  leftPx: number
  rightPx: number
  widthPx: number
  plotPx: number
}

const DIGIT_PX = 6.7
const BESIDE_PX = 16
const LEAST_AXIS_PX = 34
const EDGE_PX = 8

/** Axes as wide as their longest label, the same in all panes, so that times stand above each other. */
export function columnsOf(views: readonly PaneView[], widthPx: number): Columns {
  const leftPx = axisPx(views, 'left')
  const rightPx = axisPx(views, 'right')
  return { leftPx, rightPx, widthPx, plotPx: Math.max(1, widthPx - Math.max(leftPx, 0) - Math.max(rightPx, EDGE_PX)) }
}

function axisPx(views: readonly PaneView[], side: Side): number {
  const axes = views.flatMap(({ axes }) => axes[side] ?? [])
  if (axes.length === 0) return side === 'left' ? LEAST_AXIS_PX : 0
  const longest = Math.max(...axes.flatMap(({ labels }) => labels.map((label) => label.length)), 0)
  return Math.max(LEAST_AXIS_PX, Math.ceil(longest * DIGIT_PX) + BESIDE_PX)
}

export const timeAt = (xPx: number, { leftPx, plotPx }: Columns, { startMs, endMs }: TimeRange): number =>
  startMs + ((xPx - leftPx) / plotPx) * (endMs - startMs)

export const placeOf = (timeMs: number, { leftPx, plotPx }: Columns, { startMs, endMs }: TimeRange): number =>
  leftPx + ((timeMs - startMs) / (endMs - startMs)) * plotPx

/** Things side by side in as many lines as they need, with where each stands from the left. */
export function wrapped<Thing extends object>(
  things: readonly Thing[],
  widthOf: (thing: Thing) => number,
  { roomPx, gapPx }: { roomPx: number; gapPx: number },
): (Thing & { xPx: number })[][] {
  const lines: (Thing & { xPx: number })[][] = [[]]
  let xPx = 0
  for (const thing of things) {
    const widthPx = widthOf(thing)
    if (xPx > 0 && xPx + widthPx > roomPx) {
      lines.push([])
      xPx = 0
    }
    lines.at(-1)!.push({ ...thing, xPx })
    xPx += widthPx + gapPx
  }
  return lines
}

export const LEGEND_LINE_PX = 24
const LETTER_PX = 6.6
const MARK_PX = 23
const GAP_PX = 14
const PADDING_PX = 16
/** Room for the values under the cursor, also while there is none: what is pointed at must not move the panes. */
const VALUE_PX = 80
const CANDLE_VALUES_PX = 350
/** What the scale of a pane is called. */
const SCALE_PX = 130

/** How high the legend of a pane stands: as many lines as its series need. */
export function legendHeightPx({ title, scale, series }: Pane, widthPx: number): number {
  const entries = series.map(({ label, badges = [], style }) => {
    const letters = label.length + badges.reduce((sum, badge) => sum + badge.length + 2, 0)
    return { widthPx: MARK_PX + letters * LETTER_PX + (style === 'candles' ? CANDLE_VALUES_PX : VALUE_PX) }
  })
  if (scale !== 'linear') entries.push({ widthPx: SCALE_PX })
  const roomPx = widthPx - PADDING_PX - title.length * LETTER_PX
  return wrapped(entries, (entry) => entry.widthPx, { roomPx, gapPx: GAP_PX }).length * LEGEND_LINE_PX
}

const DIVIDER_PX = 7
const LEAST_PX = 48

/** How the height is shared: by weights, so that it fits any window. */
export function usePaneHeights(panes: () => readonly Pane[], totalPx: () => number, legendPx: (pane: Pane) => number) {
  const weights = shallowRef<ReadonlyMap<string, number>>(new Map())
  const weightOf = (id: string) => weights.value.get(id) ?? 1

  const sharedPx = () => {
    const legendsPx = panes().reduce((sum, pane) => sum + legendPx(pane), 0)
    return Math.max(0, totalPx() - legendsPx - Math.max(0, panes().length - 1) * DIVIDER_PX)
  }
  const sum = () => panes().reduce((all, { id }) => all + weightOf(id), 0)

  function plotPx(id: string): number {
    return Math.max(LEAST_PX, Math.floor((sharedPx() * weightOf(id)) / sum()))
  }

  /** Gives pixels of the lower pane to the upper one; negative ones the other way. */
  function move(upper: string, lower: string, byPx: number): void {
    const both = plotPx(upper) + plotPx(lower)
    const upperPx = Math.max(LEAST_PX, Math.min(both - LEAST_PX, plotPx(upper) + byPx))
    const perPx = sum() / Math.max(1, sharedPx())
    weights.value = new Map([...weights.value, [upper, upperPx * perPx], [lower, (both - upperPx) * perPx]])
  }

  const percent = (id: string): number => Math.round((weightOf(id) / sum()) * 100)

  return { plotPx, move, percent }
}
