import { onBeforeUnmount, onMounted, shallowRef, type Ref, type ShallowRef } from 'vue'
import { chartColours, onThemeChange, type ChartColours } from './chartColours.ts'

/** The theme's colours on an element, read anew when the theme changes; null until it is mounted. */
export function useColours(element: Ref<HTMLElement | null>): ShallowRef<ChartColours | null> {
  const colours = shallowRef<ChartColours | null>(null)
  const read = () => {
    if (element.value) colours.value = chartColours(element.value)
  }
  let end = () => {}
  onMounted(() => {
    read()
    end = onThemeChange(read)
  })
  onBeforeUnmount(() => end())
  return colours
}
