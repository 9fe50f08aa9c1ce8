import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, periodDays } from '#shared/time/periods.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import { timeTableParquet, type TimeTable } from '#core/parquet/timeTable.ts'
import type { Clock } from '#core/ports.ts'
import { removeFile } from '#core/store/cacheFolder.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'

export interface StoredResultDeps {
  store: Store
  commit: ValidationPool['commit']
  clock: Clock
}

const FIRST_DAY = -200_000
const LAST_DAY = 200_000

/** Lists the files of a result that is stored as a series. */
export const resultFiles = ({ files }: Store, series: OwnedSeries): CachedFile[] =>
  files.ofSeries(series, FIRST_DAY, LAST_DAY)

/**
 * Stores the result of a test or query as a series, with one file per month. The files are pinned, because files that
 * were removed to free space could not be downloaded again. Months that only an earlier result covered are removed.
 */
export async function storeResult(
  { store, commit, clock }: StoredResultDeps,
  series: OwnedSeries,
  table: TimeTable | null,
  { etag, provenance }: { etag: string; provenance?: string },
): Promise<void> {
  const { root } = store.folder
  const rowsByMonth = new Map<string, number[]>()
  for (const [at, timeMs] of (table?.times ?? []).entries()) {
    const month = dayFromNumber(Math.floor(timeMs / MS_PER_DAY)).slice(0, 7)
    const rows = rowsByMonth.get(month)
    if (rows) rows.push(at)
    else rowsByMonth.set(month, [at])
  }
  const writtenFiles = await Promise.all(
    [...rowsByMonth].map(async ([period, rows]) => {
      const path = store.folder.pathOf(series, period)
      const bytes = [timeTableParquet(rowsOf(table!, rows), provenance)]
      const { sizeBytes, sha256, facts } = await commit({ path, root, bytes })
      const { start, end } = periodDays(period)!
      const nowMs = clock.nowMs()
      const file: CachedFile = {
        series,
        period,
        // The series must begin and end with its rows, or a chart of all data would show the rest of the month as
        // empty.
        startDay: Math.max(start, dayOfRow(table!, 0)),
        endDay: Math.min(end, dayOfRow(table!, -1) + 1),
        state: table!.times[rows.at(-1)!] >= (end - 1) * MS_PER_DAY ? 'final' : 'partial',
        origin: 'computed',
        sizeBytes,
        sha256,
        etag,
        fetchedAtMs: nowMs,
        usedAtMs: nowMs,
        pinned: true,
        changedUpstreamAtMs: null,
      }
      return { file, facts }
    }),
  )
  store.files.record(writtenFiles)
  const outdatedFiles = resultFiles(store, series).filter(({ period }) => !rowsByMonth.has(period))
  store.files.forget(outdatedFiles)
  await Promise.all(outdatedFiles.map(({ period }) => removeFile(store.folder.pathOf(series, period), root)))
}

const dayOfRow = ({ times }: TimeTable, row: number): number => Math.floor(times.at(row)! / MS_PER_DAY)

const rowsOf = ({ times, columns }: TimeTable, rows: readonly number[]): TimeTable => ({
  times: rows.map((at) => times[at]),
  columns: columns.map(({ name, values }) => ({ name, values: rows.map((at) => values[at]) })),
})
