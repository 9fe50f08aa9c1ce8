import { MS_PER_DAY } from '#shared/time.ts'
import type { Clock } from '#core/ports.ts'
import { planSeries, uncovered, type Stretch, type TimeRange } from '#core/readers/seriesPlan.ts'
import type { SeriesRows, SeriesTask } from '#core/readers/seriesTask.ts'
import type { ThreadPool } from '#core/readers/threadPool.ts'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import type { CachedFile, FileStore } from '#core/store/fileStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'

export interface SeriesQuestion extends TimeRange {
  series: OwnedSeries
  /** Empty for all. */
  columns: readonly string[]
  /** Which clock orders raw events. */
  timestamp: 'exchange' | 'true'
  /** About how many rows are wanted at once; what is beyond comes with the next question. */
  limitRows: number
}

export interface SeriesAnswer extends SeriesRows {
  /** Where the next question starts; null where all of the range was read. */
  nextMs: number | null
  /** Parts of what was read that are not here. */
  missing: TimeRange[]
  /** What the rows come from. */
  stretches: Stretch<CachedFile>[]
  /** Columns that were asked for and that no file of the range has. */
  absentColumns: string[]
}

export interface CachedSeriesParts {
  files: FileStore
  folder: CacheFolder
  reader: ThreadPool<SeriesTask, SeriesRows>
  clock: Clock
}

/** Rows of a series from the files that are here. */
export function createCachedSeries({ files, folder, reader, clock }: CachedSeriesParts) {
  return async (question: SeriesQuestion, signal: AbortSignal): Promise<SeriesAnswer> => {
    const { series, columns, timestamp, startMs, endMs, limitRows } = question
    const found = files.ofSeries(series, Math.floor(startMs / MS_PER_DAY), Math.ceil(endMs / MS_PER_DAY))
    const facts = new Map(found.map((file) => [file, files.facts(series, file.period)]))
    const rowsOf = (file: CachedFile) => facts.get(file)?.rows ?? 0
    const known = new Set([...facts.values()].flatMap((each) => each?.columns.map(({ name }) => name) ?? []))
    const timeColumn = series.kind === 'raw' ? eventTimeColumns[timestamp] : 'time'
    const names = (columns.length > 0 ? columns : [...known]).filter((name) => name !== 'time' && name !== timeColumn)
    const { stretches, nextMs } = firstRows(planSeries(found, { startMs, endMs }), limitRows, rowsOf)
    const rows = await reader.run(
      {
        stretches: stretches.map((stretch) => ({
          path: folder.pathOf(series, stretch.file.period),
          startMs: stretch.startMs,
          endMs: stretch.endMs,
        })),
        columns: names,
        timeColumn,
        keepEqualTimes: series.kind === 'raw',
      },
      signal,
    )
    for (const { file } of stretches) files.touch(series, file.period, clock.nowMs())
    return {
      ...rows,
      nextMs,
      stretches,
      missing: uncovered(stretches, { startMs, endMs: nextMs ?? endMs }),
      absentColumns: found.length > 0 ? names.filter((name) => !known.has(name)) : [],
    }
  }
}

const eventTimeColumns = { exchange: 'exchange_timestamp', true: 'local_timestamp' } as const

/** The stretches that together have about so many rows; a long one is cut in time. */
function firstRows(
  stretches: readonly Stretch<CachedFile>[],
  limitRows: number,
  rowsOf: (file: CachedFile) => number,
): { stretches: Stretch<CachedFile>[]; nextMs: number | null } {
  const first: Stretch<CachedFile>[] = []
  let room = limitRows
  for (const stretch of stretches) {
    const { file, startMs, endMs } = stretch
    if (room <= 0) return { stretches: first, nextMs: startMs }
    const rowsPerMs = rowsOf(file) / ((file.endDay - file.startDay) * MS_PER_DAY)
    const cutMs = startMs + Math.max(1, Math.ceil(room / rowsPerMs))
    if (rowsPerMs > 0 && cutMs < endMs) return { stretches: [...first, { ...stretch, endMs: cutMs }], nextMs: cutMs }
    first.push(stretch)
    room -= rowsPerMs * (endMs - startMs)
  }
  return { stretches: first, nextMs: null }
}
