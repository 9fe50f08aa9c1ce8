/** Draws boxes with whiskers; charts on screen, their exports and reports share the shapes. */
import type { PathSink } from './marks.ts'

/** Quantiles of groups of values. */
interface Boxes {
  /** Ends of the whiskers. */
  low: ArrayLike<number>
  high: ArrayLike<number>
  /** Ends of the boxes. */
  lower: ArrayLike<number>
  upper: ArrayLike<number>
  median: ArrayLike<number>
}

export interface BoxSinks {
  boxes: PathSink
  /** Outlines, whiskers and medians. */
  lines: PathSink
}

/** Opacity of the inside of a box. */
export const BOX_ALPHA = 0.25

/** Share of the room of a group that its boxes take. */
const FILLED_SHARE = 0.7
const MOST_WIDTH_PX = 40

/** Returns how wide the boxes of a series are, and how far from the middle of their groups they stand. */
export function boxPlaces(
  groups: number,
  { at, count }: { at: number; count: number },
  plotPx: number,
): { widthPx: number; offsetPx: number } {
  const slotPx = Math.min(MOST_WIDTH_PX, (plotPx / Math.max(1, groups) / count) * FILLED_SHARE)
  return { widthPx: Math.max(1, slotPx * 0.85), offsetPx: (at - (count - 1) / 2) * slotPx }
}

/** Draws the boxes at the places of their middles. */
export function drawBoxes(
  { low, lower, median, upper, high }: Boxes,
  placeOf: (row: number) => { x: number; widthPx: number },
  yOf: (value: number) => number,
  { boxes, lines }: BoxSinks,
): void {
  for (let row = 0; row < median.length; row += 1) {
    if (!Number.isFinite(median[row])) continue
    const { x, widthPx } = placeOf(row)
    const [lowY, lowerY, medianY, upperY, highY] = [low, lower, median, upper, high].map((each) => yOf(each[row]))
    const [left, right] = [x - widthPx / 2, x + widthPx / 2]
    const line = (fromX: number, fromY: number, toX: number, toY: number) => {
      lines.moveTo(fromX, fromY)
      lines.lineTo(toX, toY)
    }
    boxes.rect(left, upperY, widthPx, Math.max(0.5, lowerY - upperY))
    lines.rect(left, upperY, widthPx, Math.max(0.5, lowerY - upperY))
    line(left, medianY, right, medianY)
    line(x, upperY, x, highY)
    line(x, lowerY, x, lowY)
    line(x - widthPx / 4, highY, x + widthPx / 4, highY)
    line(x - widthPx / 4, lowY, x + widthPx / 4, lowY)
  }
}
