import type { TimeRange } from './model.ts'
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
