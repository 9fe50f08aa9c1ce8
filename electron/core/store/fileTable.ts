/** Reads and writes the rows of cached files in the index, with the facts found at their validation. */
import type { DayNumber, Period } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { SERIES_COLUMNS, seriesOfRow, type OwnedSeries, type SeriesIndex, type SeriesRow } from './seriesIndex.ts'
import { areCells, valuesOf } from './portfolioCells.ts'
import type { Reads, Writes } from './sql.ts'
import { areFileColumns, storedJsonOr } from './storedJson.ts'

export interface CachedFile {
  series: OwnedSeries
  period: Period
  startDay: DayNumber
  /** First day after the file. */
  endDay: DayNumber
  /** State of the file; `partial` means that its period was not over when it was downloaded. */
  state: 'final' | 'partial'
  origin: 'service' | 'import' | 'computed'
  sizeBytes: number
  sha256: string
  /**
   * Version of the content at its origin: the ETag of the service or, for a computed file, an identification of what it
   * was computed from.
   */
  etag: string | null
  fetchedAtMs: number
  usedAtMs: number
  pinned: boolean
  /** Time at which a refresh downloaded different content; null if none did. */
  changedUpstreamAtMs: number | null
  /** Modification time of the file when it was validated; left out if an earlier version of the app validated it. */
  changedAtMs?: number
  /** Where the rows of an own dataset are: a file of several instruments, and the rows of this one in it. */
  own?: { path: string; rows: { from: number; to: number } }
}

export interface FileRow extends SeriesRow {
  period: Period
  start_day: number
  end_day: number
  state: CachedFile['state']
  origin: CachedFile['origin']
  size_bytes: number
  sha256: Uint8Array
  etag: string | null
  fetched_at_ms: number
  used_at_ms: number
  pinned: number
  changed_upstream_at_ms: number | null
  changed_at_ms: number | null
}

/** Columns of `FileRow` that are not those of its series. */
export const FILE_COLUMNS = `files.period, files.start_day, files.end_day, files.state, files.origin,
  files.size_bytes, files.sha256, files.etag, files.fetched_at_ms, files.used_at_ms, files.pinned, files.changed_upstream_at_ms, files.changed_at_ms`

export const SELECT_FILES = `SELECT ${SERIES_COLUMNS}, ${FILE_COLUMNS}
  FROM series JOIN files ON files.series_id = series.id`

export const fileOf = (row: FileRow): CachedFile => fileIn(seriesOfRow(row), row)

export const fileIn = (series: OwnedSeries, row: Omit<FileRow, keyof SeriesRow>): CachedFile => ({
  series,
  period: row.period,
  startDay: row.start_day,
  endDay: row.end_day,
  state: row.state,
  origin: row.origin,
  sizeBytes: row.size_bytes,
  sha256: Buffer.from(row.sha256).toString('hex'),
  etag: row.etag,
  fetchedAtMs: row.fetched_at_ms,
  usedAtMs: row.used_at_ms,
  pinned: row.pinned === 1,
  changedUpstreamAtMs: row.changed_upstream_at_ms,
  ...(row.changed_at_ms !== null && { changedAtMs: row.changed_at_ms }),
})

/** Facts about one column of a file. */
export interface ColumnFacts {
  name: string
  /** The Parquet type as text: `int64`, `double`, `timestamp[us, UTC]` … */
  type: string
  nulls: number
  /** Smallest value, without NaN and infinities; null if no value is comparable (text, all missing). */
  min: number | null
  max: number | null
}

/** Facts found when a file was validated, stored with its row so that the file need not be opened for them. */
export interface FileFacts {
  rows: number
  /** Milliseconds since the epoch; null for an empty file. */
  firstTimeMs: number | null
  lastTimeMs: number | null
  /** Step between rows if it is regular; null otherwise. */
  stepMs: number | null
  duplicateTimes: number
  columns: ColumnFacts[]
  /** Modification time of the file when it was validated; left out if unknown. */
  changedAtMs?: number
  /**
   * Indexes of the columns whose statistics SQL must not use; left out if the values have not been compared with the
   * statistics.
   */
  doubtfulColumns?: number[]
  /** Value of the metadata key `perpscope.provenance` in the file; left out if there is none. */
  provenance?: string
}

interface FactsRow {
  rows: number
  first_time_ms: number | null
  last_time_ms: number | null
  step_ms: number | null
  duplicate_times: number
  columns: string
  column_values: Uint8Array
  provenance: string | null
}

/** Packs the null count, minimum and maximum of each column into bytes: 24 per column. */
function packValues(columns: readonly ColumnFacts[]): Uint8Array {
  const values = new Float64Array(columns.length * 3)
  columns.forEach(({ nulls, min, max }, index) => values.set([nulls, min ?? NaN, max ?? NaN], index * 3))
  return new Uint8Array(values.buffer)
}

function unpackColumns(list: string, packed: Uint8Array): ColumnFacts[] {
  const values = areCells(packed) ? valuesOf(packed) : new Float64Array()
  const numberOrNull = (value: number) => (Number.isNaN(value) ? null : value)
  return storedJsonOr(list, areFileColumns, []).map(([name, type], index) => ({
    name,
    type,
    nulls: values.at(index * 3) ?? 0,
    min: numberOrNull(values[index * 3 + 1]),
    max: numberOrNull(values[index * 3 + 2]),
  }))
}

export function readFacts(reads: Reads, seriesId: number, period: string): FileFacts | undefined {
  const row = reads.first<FactsRow>(
    `SELECT rows, first_time_ms, last_time_ms, step_ms, duplicate_times, columns, column_values, provenance
     FROM file_facts JOIN column_lists ON column_lists.id = column_list_id WHERE series_id = ? AND period = ?`,
    seriesId,
    period,
  )
  return (
    row && {
      rows: row.rows,
      firstTimeMs: row.first_time_ms,
      lastTimeMs: row.last_time_ms,
      stepMs: row.step_ms,
      duplicateTimes: row.duplicate_times,
      columns: unpackColumns(row.columns, row.column_values),
      ...(row.provenance !== null && { provenance: row.provenance }),
    }
  )
}

function writeFacts(writes: Writes, seriesId: number, period: string, facts: FileFacts): void {
  const list = JSON.stringify(facts.columns.map(({ name, type }) => [name, type]))
  writes.run('INSERT INTO column_lists (columns) VALUES (?) ON CONFLICT (columns) DO NOTHING', list)
  writes.run(
    `INSERT OR REPLACE INTO file_facts
       (series_id, period, rows, first_time_ms, last_time_ms, step_ms, duplicate_times, column_list_id, column_values, provenance)
     VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM column_lists WHERE columns = ?), ?, ?)`,
    seriesId,
    period,
    facts.rows,
    facts.firstTimeMs,
    facts.lastTimeMs,
    facts.stepMs,
    facts.duplicateTimes,
    list,
    packValues(facts.columns),
    facts.provenance ?? null,
  )
}

function writeDoubtful(
  { reads, writes }: Pick<Database, 'reads' | 'writes'>,
  seriesId: number,
  { period, sha256 }: CachedFile,
  doubtfulColumns: readonly number[] | null,
): void {
  const all = readFacts(reads, seriesId, period)?.columns.map((_, index) => index) ?? []
  writes.run(
    'UPDATE files SET doubtful_columns = ? WHERE series_id = ? AND period = ? AND sha256 = ?',
    (doubtfulColumns ?? all).join(','),
    seriesId,
    period,
    Buffer.from(sha256, 'hex'),
  )
}

/** Called for every file that is added to the cache or removed from it, for any reason. */
interface FileListener {
  added(files: readonly CachedFile[]): void
  /** @param sha256s hashes of the contents that were removed or replaced */
  removed(sha256s: readonly string[]): void
}

/** A file that came, with the facts found at its validation. */
export interface RecordedFile {
  file: CachedFile
  facts: FileFacts
  /** When it came, if that is not the time at which it was fetched; null if it is not known. */
  arrivedAtMs?: number | null
}

/** Records which files are cached. A row is written after its file is complete, and deleted before the file is. */
export interface FileRecords {
  /** Records files in one transaction and clears stored absences of the same periods. */
  record(files: readonly RecordedFile[]): void
  forget(files: readonly { series: OwnedSeries; period: Period }[]): void
  /** Records the columns whose statistics must not be used, unless the file has been replaced; null for all columns. */
  recordChecked(file: CachedFile, doubtfulColumns: readonly number[] | null): void
  /** Adds a listener for changes made by this process. */
  listen(listener: FileListener): void
}

export function createFileRecords({ reads, writes }: Database, seriesIndex: SeriesIndex): FileRecords {
  const listeners = new Set<FileListener>()

  /**
   * Deletes the row of a file.
   * @returns hash of the removed content; null if there was no row
   */
  function deleteRow(id: number, period: Period): string | null {
    const row = writes.first<{ size_bytes: number; sha256: Uint8Array }>(
      'SELECT size_bytes, sha256 FROM files WHERE series_id = ? AND period = ?',
      id,
      period,
    )
    if (!row) return null
    writes.run('DELETE FROM files WHERE series_id = ? AND period = ?', id, period)
    writes.run('UPDATE series SET files = files - 1, size_bytes = size_bytes - ? WHERE id = ?', row.size_bytes, id)
    return Buffer.from(row.sha256).toString('hex')
  }

  /**
   * Writes the row of a file.
   * @returns hash of the replaced content; null if there was none or it was the same
   */
  function writeRow(file: CachedFile, facts: FileFacts): string | null {
    const id = seriesIndex.idOf(file.series)
    const replacedHash = deleteRow(id, file.period)
    writes.run(
      `INSERT INTO files (series_id, period, start_day, end_day, state, origin, size_bytes, sha256, etag, fetched_at_ms,
         used_at_ms, pinned, changed_upstream_at_ms, changed_at_ms, doubtful_columns)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      file.period,
      file.startDay,
      file.endDay,
      file.state,
      file.origin,
      file.sizeBytes,
      Buffer.from(file.sha256, 'hex'),
      file.etag,
      file.fetchedAtMs,
      file.usedAtMs,
      file.pinned ? 1 : 0,
      file.changedUpstreamAtMs,
      facts.changedAtMs ?? null,
      facts.doubtfulColumns?.join(',') ?? null,
    )
    writeFacts(writes, id, file.period, facts)
    return replacedHash === file.sha256 ? null : replacedHash
  }

  function reportRemoved(hashes: readonly (string | null)[]): void {
    const removedHashes = hashes.filter((sha256) => sha256 !== null)
    if (removedHashes.length > 0) for (const listener of listeners) listener.removed(removedHashes)
  }

  /** Updates totals, absences and size estimates for files that are recorded together. */
  function updateTotals(files: readonly CachedFile[]): void {
    const lines = JSON.stringify(
      files.map(({ series, period, sizeBytes, startDay, endDay, origin }) => [
        seriesIndex.idOf(series),
        period,
        sizeBytes,
        origin === 'service' ? series.dataset : null,
        series.interval,
        endDay - startDay > 1 ? 1 : 0,
      ]),
    )
    writes.run(
      `UPDATE series SET files = series.files + added.files, size_bytes = series.size_bytes + added.size_bytes
       FROM (SELECT value ->> 0 AS id, count(*) AS files, sum(value ->> 2) AS size_bytes FROM json_each(?) GROUP BY 1) AS added
       WHERE series.id = added.id`,
      lines,
    )
    writes.run(
      'DELETE FROM absences WHERE (series_id, period) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))',
      lines,
    )
    writes.run(
      `INSERT INTO usual_sizes (dataset, interval, monthly, files, size_bytes)
       SELECT value ->> 3, value ->> 4, value ->> 5, count(*), sum(value ->> 2) FROM json_each(?)
       WHERE value ->> 3 IS NOT NULL GROUP BY 1, 2, 3
       ON CONFLICT DO UPDATE SET files = files + excluded.files, size_bytes = size_bytes + excluded.size_bytes`,
      lines,
    )
  }

  /** Records when the first versions of files came; of a file that came before, nothing changes. */
  function noteArrivals(files: readonly RecordedFile[]): void {
    const served = files.filter(({ file }) => file.origin !== 'computed')
    if (served.length === 0) return
    const lines = JSON.stringify(
      served.map(({ file, arrivedAtMs = file.fetchedAtMs }) => [
        seriesIndex.idOf(file.series),
        file.startDay,
        file.endDay,
        arrivedAtMs,
      ]),
    )
    writes.run(
      `INSERT INTO arrival_series (kind, dataset, exchange, symbol, interval, timestamp)
       SELECT DISTINCT kind, dataset, exchange, symbol, interval, timestamp
       FROM json_each(?) JOIN series ON series.id = value ->> 0 WHERE true ON CONFLICT DO NOTHING`,
      lines,
    )
    writes.run(
      `INSERT INTO first_arrivals SELECT arrival_series.id, value ->> 1, value ->> 2, value ->> 3
       FROM json_each(?) JOIN series ON series.id = value ->> 0
         JOIN arrival_series USING (kind, dataset, exchange, symbol, interval, timestamp)
       WHERE true ON CONFLICT DO NOTHING`,
      lines,
    )
  }

  return {
    record(files) {
      seriesIndex.ensure(files.map(({ file }) => file.series))
      if (files.length === 0) return
      const addedFiles = files.map(({ file }) => file)
      const replacedHashes = writes.inTransaction(() => {
        const hashes = files.map(({ file, facts }) => writeRow(file, facts))
        updateTotals(addedFiles)
        noteArrivals(files)
        return hashes
      })
      reportRemoved(replacedHashes)
      for (const listener of listeners) listener.added(addedFiles)
    },
    recordChecked(file, doubtfulColumns) {
      const id = seriesIndex.find(file.series)
      if (id !== undefined) writeDoubtful({ reads, writes }, id, file, doubtfulColumns)
    },
    forget(files) {
      const removedHashes = writes.inTransaction(() =>
        files.map(({ series, period }) => {
          const id = seriesIndex.find(series)
          return id === undefined ? null : deleteRow(id, period)
        }),
      )
      reportRemoved(removedHashes)
    },
    listen: (listener) => void listeners.add(listener),
  }
}
