import { computed, onBeforeUnmount, onMounted, type Ref, shallowRef, watch } from 'vue'

interface ScrollDeps {
  scroller: Ref<HTMLElement | null>
  /** Element with the height of a row, and of the header, at the current density. */
  ruler: Ref<HTMLElement | null>
  rowCount: Ref<number>
}

/**
 * Tracks which rows of a table are in view. The rows are in a layer that stays in place while the browser scrolls an
 * empty canvas beneath it, so that even a fast scroll never shows an unpainted area.
 */
export function useScroll({ scroller, ruler, rowCount }: ScrollDeps) {
  const topPx = shallowRef(0)
  const leftPx = shallowRef(0)
  const viewPx = shallowRef({ width: 0, height: 0 })
  const rowPx = shallowRef(24)
  let lastScrollPx = 0

  const bodyPx = computed(() => Math.max(0, viewPx.value.height - rowPx.value))
  const scale = computed(() => scrollScale(rowCount.value * rowPx.value, bodyPx.value))

  function onScroll(): void {
    const { scrollTop, scrollLeft } = scroller.value!
    leftPx.value = scrollLeft
    if (Math.abs(scrollTop - lastScrollPx) < 1) return
    topPx.value = scale.value.follow(topPx.value, lastScrollPx, scrollTop)
    lastScrollPx = scrollTop
  }

  /**
   * Moves the scroll bar to where the rows are, because in a tall table small steps move it too far or not far enough.
   */
  function placeBar(): void {
    const scrollPx = scale.value.scrollOf(topPx.value)
    // The scroll position is set only if it differs, because setting it forces a layout.
    if (!scroller.value || Math.abs(scrollPx - lastScrollPx) < 1) return
    scroller.value.scrollTop = scrollPx
    lastScrollPx = scrollPx
  }

  function scrollTo(top: number): void {
    const mostTopPx = Math.max(0, rowCount.value * rowPx.value - bodyPx.value)
    topPx.value = Math.min(mostTopPx, Math.max(0, top))
    placeBar()
  }

  function scrollToLeft(toLeftPx: number): void {
    if (scroller.value) scroller.value.scrollLeft = toLeftPx
    leftPx.value = scroller.value?.scrollLeft ?? 0
  }

  function measure(): void {
    const element = scroller.value
    if (!element) return
    viewPx.value = { width: element.clientWidth, height: element.clientHeight }
    const firstRow = topPx.value / rowPx.value
    const measuredPx = ruler.value?.offsetHeight || rowPx.value
    if (measuredPx === rowPx.value) return
    rowPx.value = measuredPx
    topPx.value = firstRow * measuredPx
  }

  // This runs after the canvas has its new height, because with fewer rows the old position may no longer exist.
  watch(scale, () => scrollTo(topPx.value), { flush: 'post' })

  const observer = new ResizeObserver(measure)
  onMounted(() => {
    measure()
    for (const element of [scroller.value, ruler.value]) if (element) observer.observe(element)
  })
  onBeforeUnmount(() => observer.disconnect())

  const canvasPx = computed(() => scale.value.canvasPx + rowPx.value)
  return { topPx, leftPx, viewPx, bodyPx, rowPx, canvasPx, onScroll, placeBar, scrollTo, scrollToLeft }
}

/** Maximum height of the canvas; browsers limit the height of elements, the strictest to about 17.8 million px. */
export const LARGEST_CANVAS_PX = 15_000_000

/**
 * Length of the zones at both ends in which one pixel of scrolling moves the rows by one pixel, even in the tallest
 * table.
 */
const EXACT_PX = 1_000_000

/** Largest step that counts as a turn of the wheel or a swipe; a larger one is a drag of the scroll bar. */
const LARGEST_STEP_PX = 10_000

/** Converts between the position of the scroll bar and the position in the rows. */
interface ScrollScale {
  canvasPx: number
  /** Returns how far the rows are scrolled, in pixels, at a position of the scroll bar. */
  topOf(scrollPx: number): number
  /** Returns the position of the scroll bar at which the rows are scrolled this far; the inverse of `topOf`. */
  scrollOf(topPx: number): number
  /**
   * Returns how far the rows are scrolled after the scroll bar moved. A small step moves the rows by the same number of
   * pixels; after a jump, the position of the scroll bar decides.
   */
  follow(topPx: number, fromScrollPx: number, toScrollPx: number): number
}

/** Creates the scale for rows that together may be taller than any element can be. */
export function scrollScale(contentPx: number, viewPx: number): ScrollScale {
  const canvasPx = Math.min(contentPx, LARGEST_CANVAS_PX)
  const mostScroll = Math.max(0, canvasPx - viewPx)
  const mostTop = Math.max(0, contentPx - viewPx)
  const exactPx = Math.min(EXACT_PX, mostScroll / 2)
  const ratio = mostTop === mostScroll ? 1 : (mostTop - 2 * exactPx) / (mostScroll - 2 * exactPx)

  const topOf = (scroll: number) => {
    const at = Math.min(mostScroll, Math.max(0, scroll))
    if (at <= exactPx) return at
    if (at >= mostScroll - exactPx) return mostTop - (mostScroll - at)
    return exactPx + (at - exactPx) * ratio
  }
  const scrollOf = (top: number) => {
    const at = Math.min(mostTop, Math.max(0, top))
    if (at <= exactPx) return at
    if (at >= mostTop - exactPx) return mostScroll - (mostTop - at)
    return exactPx + (at - exactPx) / ratio
  }
  const follow = (top: number, from: number, to: number) => {
    const step = to - from
    const isAtEnd = to <= 0 || to >= mostScroll - 1
    if (ratio === 1 || isAtEnd || Math.abs(step) > LARGEST_STEP_PX) return topOf(to)
    return Math.min(mostTop, Math.max(0, top + step))
  }
  return { canvasPx, topOf, scrollOf, follow }
}

/** Computes the left edges of columns of these widths, plus the right edge of the last. */
export function edgesOf(widthsPx: readonly number[]): number[] {
  const edges = [0]
  for (const width of widthsPx) edges.push(edges[edges.length - 1] + width)
  return edges
}

/** Returns the half-open range of columns that are at least partly visible in a view from `leftPx`. */
export function columnsInView(edges: readonly number[], leftPx: number, widthPx: number): { from: number; to: number } {
  const last = edges.length - 1
  let from = 0
  while (from < last && edges[from + 1] <= leftPx) from += 1
  let to = from
  while (to < last && edges[to] < leftPx + widthPx) to += 1
  return { from, to }
}

/** Computes the scroll position that brings `start` to `end` into view; unchanged if it already is. */
export function scrollToShow(atPx: number, viewPx: number, start: number, end: number): number {
  if (start < atPx) return start
  return end > atPx + viewPx ? end - viewPx : atPx
}
