import { SERIES_COLOURS } from '#shared/workspace/chartStyle.ts'
import { onBeforeUnmount, onMounted, type Ref, shallowRef, type ShallowRef, watch } from 'vue'

/** Colours of the theme, resolved on an element. */
export interface ChartColours {
  canvas: string
  line: string
  lineStrong: string
  text: string
  textSoft: string
  textFaint: string
  accent: string
  positive: string
  negative: string
  warning: string
  series: readonly string[]
}

const cssVariables = {
  canvas: '--canvas',
  line: '--line',
  lineStrong: '--line-strong',
  text: '--text',
  textSoft: '--text-soft',
  textFaint: '--text-faint',
  accent: '--accent',
  positive: '--positive',
  negative: '--negative',
  warning: '--warning',
} as const

/** A place among the colours of series, or the colour of what rises or falls. */
export type SeriesColour = number | 'positive' | 'negative'

/** Returns the CSS colour of a series, for elements. */
export const seriesVariable = (colour: SeriesColour): string =>
  typeof colour === 'number' ? `var(--series-${(colour % SERIES_COLOURS) + 1})` : `var(${cssVariables[colour]})`

export function chartColours(element: Element): ChartColours {
  const style = getComputedStyle(element)
  const read = (name: string) => style.getPropertyValue(name).trim() || '#888888'
  const colours = Object.fromEntries(Object.entries(cssVariables).map(([key, name]) => [key, read(name)]))
  const series = Array.from({ length: SERIES_COLOURS }, (_, at) => read(`--series-${at + 1}`))
  return { ...(colours as Record<keyof typeof cssVariables, string>), series }
}

export const seriesColour = (colours: ChartColours, colour: SeriesColour): string =>
  typeof colour === 'number' ? colours.series[colour % colours.series.length] : colours[colour]

/**
 * Calls `onChange` when the theme of the page changes.
 * @returns a function that unsubscribes
 */
function onThemeChange(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

/**
 * Calls `onFound` with an element of the template once it exists: when the component is mounted, or later if that part
 * of the template is rendered only then.
 */
export function onElement<Found extends HTMLElement>(
  element: Ref<Found | null>,
  onFound: (element: Found) => void,
): void {
  onMounted(() => watch(element, (now) => now && onFound(now), { immediate: true, flush: 'post' }))
}

/** Returns the theme's colours on an element, updated when the theme changes; null until the element is mounted. */
export function useColours(element: Ref<HTMLElement | null>): ShallowRef<ChartColours | null> {
  const colours = shallowRef<ChartColours | null>(null)
  const update = () => {
    if (element.value) colours.value = chartColours(element.value)
  }
  let stopListening = () => {}
  onElement(element, update)
  onMounted(() => (stopListening = onThemeChange(update)))
  onBeforeUnmount(() => stopListening())
  return colours
}
