import { onBeforeUnmount, onMounted, type Ref, shallowRef, watch } from 'vue'
import './small/small.css'
import { type ChartColours, useColours } from './chartColours.ts'

/** Tracks the inner size of an element in CSS pixels, independent of the zoom of the window. */
export function useSize(element: Ref<HTMLElement | null>) {
  const size = shallowRef({ widthPx: 0, heightPx: 0 })
  const measure = () => {
    const { clientWidth: widthPx = 0, clientHeight: heightPx = 0 } = element.value ?? {}
    if (widthPx !== size.value.widthPx || heightPx !== size.value.heightPx) size.value = { widthPx, heightPx }
  }
  const observer = new ResizeObserver(measure)
  onMounted(() => {
    measure()
    if (element.value) observer.observe(element.value)
  })
  onBeforeUnmount(() => observer.disconnect())
  return size
}

/**
 * Returns the screen pixels per CSS pixel of an element, because pointers report the former and layout uses the latter.
 */
export const zoomOf = (element: HTMLElement): number =>
  element.offsetWidth > 0 ? element.getBoundingClientRect().width / element.offsetWidth : 1

export interface Paint {
  context: CanvasRenderingContext2D
  widthPx: number
  heightPx: number
  colours: ChartColours
}

/**
 * Fits a canvas to its place and repaints it when the size, the theme or the inputs of `paint` change, once it is
 * visible.
 */
export function useCanvas(canvas: Ref<HTMLCanvasElement | null>, paint: (target: Paint) => void) {
  const size = useSize(canvas)
  const colours = useColours(canvas)
  const isOutOfSight = shallowRef(false)
  const observer = new IntersectionObserver((seen) => (isOutOfSight.value = !seen.at(-1)!.isIntersecting))
  let isDue = false

  function draw(): void {
    isDue = isOutOfSight.value
    // Canvases out of sight are not painted, because setting a font makes the browser compute the styles of the whole page.
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
  onMounted(() => {
    watch([size, colours, () => paint], draw, { immediate: true })
    if (canvas.value) observer.observe(canvas.value)
  })
  onBeforeUnmount(() => observer.disconnect())
  return { size, draw }
}
