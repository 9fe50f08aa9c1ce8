import { join } from 'node:path'
import type { Snippet } from '#shared/contract/areas/series.ts'
import { snippetsOf } from '#shared/export/snippets.ts'
import { findFiles, type SeriesName, timeColumnOf } from '#core/series/seriesFiles.ts'
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import { seriesFolder } from '#core/store/partitions.ts'
import type { Store } from '#core/store/store.ts'

/** Builds snippets that read the cached files of a series in other tools. */
export function snippetsFor(
  store: Store,
  question: SeriesName & OpenTimeRange & { columns: readonly string[]; variable?: string },
): Snippet[] {
  const { series, columns, startMs, endMs, variable } = question
  const [first] = findFiles(store, question, question).stretches
  const timeColumn = timeColumnOf(question)
  const facts = first && store.files.facts(series, first.file.period)
  const type = facts?.columns.find(({ name }) => name === timeColumn)?.type ?? ''
  const isTimestamp = type.startsWith('timestamp') || series.kind === 'raw'
  const folder = join(store.folder.root, encodeURIComponent(series.connectionId), seriesFolder(series))
  return snippetsOf({
    folder: folder.replaceAll('\\', '/'),
    timeColumn,
    timeType: isTimestamp ? 'timestamp' : 'milliseconds',
    columns,
    startMs,
    endMs,
    variable,
  })
}
