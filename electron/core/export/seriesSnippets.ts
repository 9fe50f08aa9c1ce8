import { join } from 'node:path'
import type { Snippet } from '#shared/contract/areas/series.ts'
import { snippetsOf } from '#shared/export/snippets.ts'
import { type SeriesName, timeColumnOf } from '#core/series/seriesFiles.ts'
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import { fileColumnsOf } from './fileColumns.ts'
import { seriesFolder } from '#core/store/partitions.ts'
import type { Store } from '#core/store/store.ts'

/** Number of days before and after 1970 that include every file. */
const FARTHEST_DAY = 200_000

/** Builds snippets that read the cached files of a series in other tools. */
export function snippetsFor(
  store: Store,
  request: SeriesName & OpenTimeRange & { columns: readonly string[]; variable?: string },
): Snippet[] {
  const { series, columns, startMs, endMs, variable } = request
  const timeColumn = timeColumnOf(request)
  // Includes all files of the folder, because a snippet reads all of them before it filters rows by time.
  const files = store.files.ofSeries(series, -FARTHEST_DAY, FARTHEST_DAY)
  const folder = join(store.folder.ownerFolder(series.connectionId), seriesFolder(series))
  return snippetsOf({
    folder: folder.replaceAll('\\', '/'),
    timeColumn,
    ...fileColumnsOf(store, files, timeColumn),
    columns,
    startMs,
    endMs,
    variable,
  })
}
