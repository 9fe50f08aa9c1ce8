import { computed, onBeforeUnmount, onMounted, shallowRef, watch, type Ref } from 'vue'
import { scrollScale } from './scrollScale.ts'

export interface ScrollDeps {
  scroller: Ref<HTMLElement | null>
  /** As high as one row of the present density, and as the header. */
  ruler: Ref<HTMLElement | null>
  rowCount: Ref<number>
}

/**
 * Where in its rows a table is. The content lies in a layer that stays put while the browser scrolls an empty canvas
 * beneath it, so that no scroll, however fast, shows a stretch that is not painted yet.
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

  /** Sets the bar to where the rows are; on tall tables steps leave it behind. */
  function placeBar(): void {
    const scrollPx = scale.value.scrollOf(topPx.value)
    // Setting it makes the browser lay everything out at once: only where it differs.
    if (!scroller.value || Math.abs(scrollPx - lastScrollPx) < 1) return
    scroller.value.scrollTop = scrollPx
    lastScrollPx = scrollPx
  }

  function scrollTo(top: number): void {
    const most = Math.max(0, rowCount.value * rowPx.value - bodyPx.value)
    topPx.value = Math.min(most, Math.max(0, top))
    placeBar()
  }

  function scrollToLeft(left: number): void {
    if (scroller.value) scroller.value.scrollLeft = left
    leftPx.value = scroller.value?.scrollLeft ?? 0
  }

  function measure(): void {
    const element = scroller.value
    if (!element) return
    viewPx.value = { width: element.clientWidth, height: element.clientHeight }
    const firstRow = topPx.value / rowPx.value
    const measured = ruler.value?.offsetHeight || rowPx.value
    if (measured === rowPx.value) return
    rowPx.value = measured
    topPx.value = firstRow * measured
  }

  // After the canvas has its new height: fewer rows may end above where the table is.
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
