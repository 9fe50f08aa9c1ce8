import { onScopeDispose, shallowRef, watch } from 'vue'
import type { SeriesEntry, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import type { MeasureEnds, RowsWithStep, RowsAtCursor } from '../../charts/model.ts'
import { drawnSeries } from './chartModel.ts'
import { drawnColumn, partFor, type useSeriesData } from './seriesData.ts'

/**
 * Time that the pointer must rest before rows are read, because a moving pointer crosses a row every few milliseconds.
 */
const RESTED_AFTER_MS = 40

/** Reads the last rows of a series up to an instant from its full data; null if it is not loaded or has a problem. */
export async function readRowsUpTo(
  seriesData: Pick<ReturnType<typeof useSeriesData>, 'rowsUpTo'>,
  entry: SeriesEntry,
  timeMs: number,
  signal: AbortSignal,
): Promise<RowsWithStep | null> {
  const part = await seriesData.rowsUpTo(entry.id, timeMs, signal)
  if (!part) return null
  const { rows } = drawnSeries(part.points, drawnColumn(entry), false)
  return { ...rows, stepMs: part.points.stepMs }
}

/**
 * Reads the full row at the cursor for every series whose drawn points are reduced, so that all values in the legend
 * belong to the same instant at any zoom.
 */
export function useRowsAtCursor(
  seriesData: Pick<ReturnType<typeof useSeriesData>, 'loadedOf' | 'rowsUpTo' | 'view'>,
  entries: () => readonly SeriesEntry[],
  cursorMs: () => number | null,
) {
  const found = shallowRef<RowsAtCursor | null>(null)
  let controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  const isReduced = ({ id, hidden }: SeriesEntry) =>
    !hidden && partFor(seriesData.loadedOf(id), seriesData.view.value)?.points.kind === 'bins'

  async function readRow(entry: SeriesEntry, timeMs: number, signal: AbortSignal): Promise<[string, RowsWithStep][]> {
    const rows = await readRowsUpTo(seriesData, entry, timeMs, signal)
    return rows ? [[entry.id, rows]] : []
  }

  async function read(timeMs: number): Promise<void> {
    controller = new AbortController()
    const { signal } = controller
    // A series that cannot be read keeps the value of its drawn points, marked as approximate.
    const reads = entries()
      .filter(isReduced)
      .map((entry) => readRow(entry, timeMs, signal).catch(() => []))
    const rows = (await Promise.all(reads)).flat()
    if (!signal.aborted) found.value = { timeMs, rows: new Map(rows) }
  }

  watch(cursorMs, (timeMs) => {
    clearTimeout(timer)
    controller.abort()
    if (timeMs !== null) timer = setTimeout(() => void read(timeMs), RESTED_AFTER_MS)
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    controller.abort()
  })
  return found
}

type StoredMeasure = WorkspaceDocument['measures'][number]

/**
 * Reads the full rows at both ends of every measured range for the first visible series of each pane, because drawn
 * points change with the zoom. Rows are read again when the series or its files change, not when the view does.
 */
export function useMeasureEnds(
  seriesData: Pick<ReturnType<typeof useSeriesData>, 'loadedOf' | 'rowsUpTo'>,
  document: () => Pick<WorkspaceDocument, 'panes' | 'measures'>,
) {
  const found = shallowRef<ReadonlyMap<string, ReadonlyMap<string, MeasureEnds>>>(new Map())
  let controller = new AbortController()

  type Ends = [measureId: string, paneId: string, ends: MeasureEnds]
  async function read(
    measure: StoredMeasure,
    paneId: string,
    entry: SeriesEntry,
    signal: AbortSignal,
  ): Promise<Ends[]> {
    const ends = [measure.startMs, measure.endMs].map((timeMs) => readRowsUpTo(seriesData, entry, timeMs, signal))
    const [start, end] = await Promise.all(ends)
    return start && end ? [[measure.id, paneId, { start, end }]] : []
  }

  /** Returns everything that the rows depend on; the loaded points change when files do. */
  const dependencies = () => {
    const firstSeries = document().panes.flatMap(({ id: paneId, series }) => {
      const entry = series.find(({ hidden }) => !hidden)
      const whole = entry && seriesData.loadedOf(entry.id).whole
      return whole ? [{ paneId, entry, whole }] : []
    })
    return document().measures.flatMap((measure) =>
      firstSeries.map((first) => ({ measure, ...first, key: JSON.stringify([measure, first.paneId, first.entry]) })),
    )
  }

  watch(
    dependencies,
    async (now, before) => {
      const isSame = (at: number) => now[at].key === before?.[at]?.key && now[at].whole === before[at].whole
      if (now.length === (before?.length ?? 0) && now.every((_, at) => isSame(at))) return
      controller.abort()
      controller = new AbortController()
      const { signal } = controller
      // A series that cannot be read keeps the measurement of its drawn points, marked as approximate.
      const reads = now.map(({ measure, paneId, entry }) => read(measure, paneId, entry, signal).catch(() => []))
      const rows = (await Promise.all(reads)).flat()
      if (signal.aborted) return
      const byMeasure = Map.groupBy(rows, ([measureId]) => measureId)
      found.value = new Map(
        [...byMeasure].map(([id, each]) => [id, new Map(each.map(([, paneId, ends]) => [paneId, ends]))]),
      )
    },
    { immediate: true },
  )
  onScopeDispose(() => controller.abort())
  return found
}
