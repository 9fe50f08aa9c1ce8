import { seriesColour, type ChartColours } from './chartColours.ts'
import type { Band, TimeRange } from './model.ts'
import { withAlpha } from './paintSeries.ts'
import type { Box } from './plot.ts'

const HATCH_PX = 7

/** Stretches behind the series: tinted, or hatched where there is nothing on this machine. */
export function paintBands(
  context: CanvasRenderingContext2D,
  bands: readonly Band[],
  range: TimeRange,
  box: Box,
  pixel: number,
  colours: ChartColours,
): void {
  for (const band of bands) {
    const stretch = bandBox(band, range, box)
    if (!stretch) continue
    context.save()
    context.beginPath()
    context.rect(stretch.left, stretch.top, stretch.width, stretch.height)
    context.clip()
    context.fillStyle =
      band.kind === 'absent' ? withAlpha(colours.textFaint, 0.07) : withAlpha(seriesColour(colours, band.colour), 0.16)
    context.fill()
    if (band.kind === 'absent') hatch(context, stretch, pixel, colours)
    context.restore()
  }
}

/** The part of the box that a stretch of time takes; null where it is out of view. */
export function bandBox(band: TimeRange, range: TimeRange, box: Box): Box | null {
  const perMs = box.width / (range.endMs - range.startMs)
  const from = Math.max(range.startMs, band.startMs)
  const to = Math.min(range.endMs, band.endMs)
  if (!(from < to)) return null
  return { ...box, left: box.left + (from - range.startMs) * perMs, width: (to - from) * perMs }
}

function hatch(context: CanvasRenderingContext2D, box: Box, pixel: number, colours: ChartColours): void {
  const step = HATCH_PX * pixel
  context.beginPath()
  // Counted from the canvas' own edge: stretches side by side have one pattern.
  const first = Math.floor((box.left - box.height) / step) * step
  for (let x = first; x < box.left + box.width; x += step) {
    context.moveTo(x, box.top + box.height)
    context.lineTo(x + box.height, box.top)
  }
  context.strokeStyle = withAlpha(colours.textFaint, 0.3)
  context.lineWidth = pixel
  context.stroke()
}
