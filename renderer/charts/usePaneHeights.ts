import { shallowRef } from 'vue'
import type { Pane } from './model.ts'

const DIVIDER_PX = 7
const LEAST_PX = 48

/** How the height is shared: by weights, so that it fits any window. */
export function usePaneHeights(panes: () => readonly Pane[], totalPx: () => number, legendPx: (pane: Pane) => number) {
  const weights = shallowRef<ReadonlyMap<string, number>>(new Map())
  const weightOf = (id: string) => weights.value.get(id) ?? 1

  const sharedPx = () => {
    const legendsPx = panes().reduce((sum, pane) => sum + legendPx(pane), 0)
    return Math.max(0, totalPx() - legendsPx - Math.max(0, panes().length - 1) * DIVIDER_PX)
  }
  const sum = () => panes().reduce((all, { id }) => all + weightOf(id), 0)

  function plotPx(id: string): number {
    return Math.max(LEAST_PX, Math.floor((sharedPx() * weightOf(id)) / sum()))
  }

  /** Gives pixels of the lower pane to the upper one; negative ones the other way. */
  function move(upper: string, lower: string, byPx: number): void {
    const both = plotPx(upper) + plotPx(lower)
    const upperPx = Math.max(LEAST_PX, Math.min(both - LEAST_PX, plotPx(upper) + byPx))
    const perPx = sum() / Math.max(1, sharedPx())
    weights.value = new Map([...weights.value, [upper, upperPx * perPx], [lower, (both - upperPx) * perPx]])
  }

  const percent = (id: string): number => Math.round((weightOf(id) / sum()) * 100)

  return { plotPx, move, percent }
}
