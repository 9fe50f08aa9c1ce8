import { onScopeDispose, shallowRef, watch } from 'vue'
import type { SeriesEntry } from '#shared/workspace/workspace.ts'
import type { RowsAround, RowsAtCursor } from '../../charts/model.ts'
import { drawnSeries } from './chartModel.ts'
import { drawnColumn, partFor, type useSeriesData } from './seriesData.ts'

/** Pause of the pointer before rows are read, because a moving pointer crosses a row every few milliseconds. */
const RESTED_AFTER_MS = 40

/**
 * Reads the row at the cursor for every series whose points on screen are reduced, so that all values of the legend
 * belong to the same instant at any zoom.
 */
export function useRowsAtCursor(
  data: Pick<ReturnType<typeof useSeriesData>, 'of' | 'rowsAround' | 'view'>,
  entries: () => readonly SeriesEntry[],
  cursorMs: () => number | null,
) {
  const found = shallowRef<RowsAtCursor | null>(null)
  let reading = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  const isReduced = ({ id, hidden }: SeriesEntry) =>
    !hidden && partFor(data.of(id), data.view.value)?.points.kind === 'buckets'

  async function readRow(entry: SeriesEntry, timeMs: number, signal: AbortSignal): Promise<[string, RowsAround][]> {
    const part = await data.rowsAround(entry.id, timeMs, signal)
    if (!part) return []
    const { rows } = drawnSeries(part.points, drawnColumn(entry), false)
    return [[entry.id, { ...rows, stepMs: part.points.stepMs }]]
  }

  async function read(timeMs: number): Promise<void> {
    reading = new AbortController()
    const { signal } = reading
    // A series that cannot be read keeps the value of its drawn points, marked as near.
    const each = entries()
      .filter(isReduced)
      .map((entry) => readRow(entry, timeMs, signal).catch(() => []))
    const rows = (await Promise.all(each)).flat()
    if (!signal.aborted) found.value = { timeMs, rows: new Map(rows) }
  }

  watch(cursorMs, (timeMs) => {
    clearTimeout(timer)
    reading.abort()
    if (timeMs !== null) timer = setTimeout(() => void read(timeMs), RESTED_AFTER_MS)
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    reading.abort()
  })
  return found
}
