import type { Plot } from './geometry.ts'
import type { TimeRange } from './model.ts'
import type { AxisView } from './paneView.ts'

export interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** Places of an axis' values and of the range's times inside a box, in the box' own pixels. */
export function plotIn(box: Box, range: TimeRange, axis: AxisView, pixel: number): Plot {
  const { scale, bounds } = axis
  const perMs = box.width / (range.endMs - range.startMs)
  const low = scale.forward(bounds[0])
  const perPlace = box.height / (scale.forward(bounds[1]) - low)
  const bottomY = box.top + box.height
  const y = (value: number) => bottomY - (scale.forward(value) - low) * perPlace
  const base = Math.min(bounds[1], Math.max(bounds[0], 0))
  return {
    x: (timeMs) => box.left + (timeMs - range.startMs) * perMs,
    y,
    baseY: scale.name === 'log' ? bottomY : y(base),
    bottomY,
    heightPx: box.height,
    pixel,
    scale,
  }
}
