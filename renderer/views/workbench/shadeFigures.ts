import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { isShade } from '#shared/workspace/expandFormula.ts'
import type { SeriesEntry } from '#shared/workspace/workspaceSchema.ts'
import { useSeries } from '../../stores/series.ts'
import type { ShadeFigures } from './chartModel.ts'
import type { useSeriesData } from './seriesData.ts'

/** Delay before the figures are computed, because a wheel changes the view many times per second. */
const SETTLED_AFTER_MS = 150

/** Computes how often each state that shades the chart is on, over all rows in view. */
export function useShadeFigures(
  seriesData: Pick<ReturnType<typeof useSeriesData>, 'loadedOf' | 'requests' | 'view'>,
  entries: () => readonly SeriesEntry[],
) {
  const series = useSeries()
  const figures = shallowRef<ReadonlyMap<string, ShadeFigures>>(new Map())
  const wanted = computed(() => {
    const { startMs, endMs } = seriesData.view.value
    return entries().flatMap((entry) => {
      const request = seriesData.requests.value.get(entry.id)
      const { whole } = seriesData.loadedOf(entry.id)
      if (entry.hidden || !isShade(entry) || request?.kind !== 'evaluate' || !whole) return []
      return [{ id: entry.id, whole, input: { ...request.input, startMs, endMs, originMs: whole.startMs } }]
    })
  })

  async function read({ id, input }: (typeof wanted.value)[number], signal: AbortSignal): Promise<void> {
    // A condition that cannot be computed has no figures; the chart says why.
    const { problem, mean: share, spells } = await series.statistics({ ...input, other: null }, signal)
    if (!signal.aborted && !problem) figures.value = new Map(figures.value).set(id, { share, spells })
  }

  let controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(timer)
    controller.abort()
  }
  watch(
    wanted,
    (now, before) => {
      const isSame = now.every(
        ({ whole, input }, at) =>
          whole === before?.at(at)?.whole && JSON.stringify(input) === JSON.stringify(before.at(at)?.input),
      )
      if (isSame && now.length === (before?.length ?? 0)) return
      stop()
      const { signal } = (controller = new AbortController())
      timer = setTimeout(() => now.forEach((one) => void read(one, signal).catch(() => {})), SETTLED_AFTER_MS)
    },
    { immediate: true },
  )
  onScopeDispose(stop)
  return figures
}
