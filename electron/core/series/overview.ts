import type { OverviewPoints, SeriesOverview } from '#shared/contract/areas/series.ts'
import { bucketWidthMs, summaryWidthMs } from '#shared/overview/bucketWidths.ts'
import { gridOver } from '#shared/overview/columnBuckets.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import {
  absentColumns,
  findFiles,
  type OpenRange,
  type SeriesFiles,
  type SeriesName,
  stepMsOf,
  taskOf,
} from './seriesFiles.ts'
import { describeFiles, type SeriesParts, tellUnread } from './seriesParts.ts'

export interface OverviewQuestion extends SeriesName, OpenRange {
  columns: readonly string[]
  points: number
}

/** Columns over any length of history with about so many points: rows as they are, or buckets of them. */
export async function overview(
  parts: SeriesParts,
  question: OverviewQuestion,
  signal: AbortSignal,
): Promise<SeriesOverview> {
  const { store, reader, touch } = parts
  const found = findFiles(store, question, question)
  const absent = absentColumns(store, found, question.columns)
  const stepMs = stepMsOf(found.series)
  const columns = [...question.columns]
  touch(found)
  if (rowsIn(parts, found) <= question.points) {
    const reading = reader.run('rows', { ...taskOf(store, found), columns }, signal)
    reading.catch(() => {})
    const known = describeFiles(parts, found)
    const { frame, unread } = await reading
    const points: OverviewPoints = { kind: 'rows', bucketMs: null, stepMs, frame }
    return { points, range: found.range, absentColumns: absent, ...known, unread: tellUnread(parts, unread) }
  }
  const { startMs, endMs } = found.range
  const bucketMs = bucketWidthMs(endMs - startMs, question.points, stepMs)
  // Whole buckets, so that a point stays what it is when the view moves.
  const grid = gridOver(startMs, endMs, bucketMs)
  const wide = { startMs: grid.startMs, endMs: grid.startMs + grid.buckets * bucketMs }
  const whole = findFiles(store, question, wide)
  const base = taskOf(store, whole)
  const stretches = base.stretches.map((stretch, at) => ({
    ...stretch,
    summaryPath: store.folder.summaryPathOf(whole.stretches[at].file.sha256, question.timestamp),
  }))
  const summaryMs = summaryWidthMs(stepMs)
  const asked = { ...base, ...wide, stretches, columns, bucketMs, summaryMs }
  const reading = reader.run('overview', asked, signal)
  // Heard below, unless something goes wrong before.
  reading.catch(() => {})
  // While a thread reads.
  const known = describeFiles(parts, found)
  const { frame, unread, withoutSummary } = await reading
  const wanted = whole.stretches.filter((_, at) => withoutSummary.includes(base.stretches[at].path))
  if (wanted.length > 0) parts.summaries.want([...new Set(wanted.map(({ file }) => file))], question.timestamp)
  const points: OverviewPoints = { kind: 'buckets', bucketMs, stepMs, frame }
  return { points, range: found.range, absentColumns: absent, ...known, unread: tellUnread(parts, unread) }
}

/** About how many rows the files have in the range. */
function rowsIn({ store }: SeriesParts, { series, stretches }: SeriesFiles): number {
  const stepMs = stepMsOf(series)
  let rows = 0
  for (const { file, startMs, endMs } of stretches) {
    const perMs =
      stepMs === null
        ? (store.files.facts(series, file.period)?.rows ?? 0) / ((file.endDay - file.startDay) * MS_PER_DAY)
        : 1 / stepMs
    rows += perMs * (endMs - startMs)
  }
  return rows
}
