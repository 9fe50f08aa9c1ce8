import { computed } from 'vue'
import { persistedRef } from './persistedRef.ts'

/** Default, minimum and maximum of the width or height of a pane that the user resizes by its edge. */
interface PaneBounds {
  defaultPx: number
  leastPx: number
  mostPx: number
}

/** Stores the size of a pane for later windows; `edge` has the properties and listeners for the pane's divider. */
export function usePaneSize(name: string, { defaultPx, leastPx, mostPx }: PaneBounds) {
  const isSize = (stored: unknown): stored is number =>
    typeof stored === 'number' && stored >= leastPx && stored <= mostPx
  const sizePx = persistedRef(name, defaultPx, isSize)
  const edge = computed(() => ({
    sizePx: sizePx.value,
    leastPx,
    mostPx,
    onResize: (wantedPx: number) => (sizePx.value = wantedPx),
    onReset: () => (sizePx.value = defaultPx),
  }))
  return { sizePx, edge }
}

export type PaneEdge = ReturnType<typeof usePaneSize>['edge']['value']
