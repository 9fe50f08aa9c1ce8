import { isShade } from '#shared/workspace/chartStyle.ts'
import type { SeriesEntry } from '#shared/workspace/workspaceSchema.ts'
import { useSeries } from '../../stores/series.ts'
import type { ShadeFigures } from './chartModel.ts'
import { type FigureOfView, useOfView } from './ofView.ts'
import type { useSeriesData } from './seriesData.ts'

/** Computes how often each state that shades the chart is on, over all rows in view. */
export function useShadeFigures(
  seriesData: Pick<ReturnType<typeof useSeriesData>, 'loadedOf' | 'requests' | 'view'>,
  entries: () => readonly SeriesEntry[],
) {
  const series = useSeries()
  return useOfView(() =>
    entries().flatMap((entry): FigureOfView<ShadeFigures>[] => {
      const request = seriesData.requests.value.get(entry.id)
      const { whole } = seriesData.loadedOf(entry.id)
      if (entry.hidden || !isShade(entry) || request?.kind !== 'evaluate' || !whole) return []
      const { startMs, endMs } = seriesData.view.value
      const input = { ...request.input, startMs, endMs, originMs: whole.startMs, other: null }
      const read = async (signal: AbortSignal) => {
        const { mean: share, spells } = await series.statistics(input, signal)
        return { share, spells }
      }
      return [{ id: entry.id, key: JSON.stringify(input), dependsOn: [whole], read }]
    }),
  )
}
