/** Browsers cap an element's height (the lowest cap is near 17.8 million px); beyond, rows share a shorter canvas. */
export const LARGEST_CANVAS_PX = 15_000_000

/** At both ends a scrolled pixel is a pixel of rows, however long the table. */
const EXACT_PX = 1_000_000

/** A wheel or finger moves less than this at once; more is a drag of the scroll bar. */
const LARGEST_STEP_PX = 10_000

export interface ScrollScale {
  canvasPx: number
  /** What of the rows is at the top where the bar is here. */
  topOf(scrollPx: number): number
  scrollOf(topPx: number): number
  /** The new top after the bar moved: steps are taken as they are, jumps by where the bar is. */
  follow(topPx: number, fromScrollPx: number, toScrollPx: number): number
}

/** Between the scroll bar of a canvas and rows that may be taller than any element can be. */
export function scrollScale(contentPx: number, viewPx: number): ScrollScale {
  const canvasPx = Math.min(contentPx, LARGEST_CANVAS_PX)
  const mostScroll = Math.max(0, canvasPx - viewPx)
  const mostTop = Math.max(0, contentPx - viewPx)
  const exact = Math.min(EXACT_PX, mostScroll / 2)
  const stretch = mostTop === mostScroll ? 1 : (mostTop - 2 * exact) / (mostScroll - 2 * exact)

  const topOf = (scroll: number) => {
    const at = Math.min(mostScroll, Math.max(0, scroll))
    if (at <= exact) return at
    if (at >= mostScroll - exact) return mostTop - (mostScroll - at)
    return exact + (at - exact) * stretch
  }
  const scrollOf = (top: number) => {
    const at = Math.min(mostTop, Math.max(0, top))
    if (at <= exact) return at
    if (at >= mostTop - exact) return mostScroll - (mostTop - at)
    return exact + (at - exact) / stretch
  }
  const follow = (top: number, from: number, to: number) => {
    const step = to - from
    const atEnd = to <= 0 || to >= mostScroll - 1
    if (stretch === 1 || atEnd || Math.abs(step) > LARGEST_STEP_PX) return topOf(to)
    return Math.min(mostTop, Math.max(0, top + step))
  }
  return { canvasPx, topOf, scrollOf, follow }
}
