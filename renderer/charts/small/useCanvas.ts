import { onBeforeUnmount, onMounted, shallowRef, watch, type Ref } from 'vue'
import type { ChartColours } from '../chartColours.ts'
import { useColours } from '../useColours.ts'
import { useSize } from '../useSize.ts'
import './small.css'

export interface Paint {
  context: CanvasRenderingContext2D
  widthPx: number
  heightPx: number
  colours: ChartColours
}

/** A canvas as large as its place, painted anew when the size, the theme or what `paint` reads changes, once it is in sight. */
export function useCanvas(canvas: Ref<HTMLCanvasElement | null>, paint: (target: Paint) => void) {
  const size = useSize(canvas)
  const colours = useColours(canvas)
  const isOutOfSight = shallowRef(false)
  const observer = new IntersectionObserver((seen) => (isOutOfSight.value = !seen.at(-1)!.isIntersecting))
  let isDue = false

  function draw(): void {
    isDue = isOutOfSight.value
    // Setting a font makes the browser work out the styles of the whole page: not for what nobody sees.
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
