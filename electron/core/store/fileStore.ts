import { toAppError } from '#shared/contract/errors.ts'
import type { DayNumber, Period } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { filesCondition, seriesCondition, type FileFilter } from './fileFilter.ts'
import {
  createFileRecords,
  FILE_COLUMNS,
  fileIn,
  fileOf,
  readFacts,
  SELECT_FILES,
  type CachedFile,
  type FileFacts,
  type FileRecords,
  type FileRow,
} from './fileTable.ts'
import { type OwnedSeries, SERIES_COLUMNS, type SeriesIndex, seriesOfRow, type SeriesRow } from './seriesIndex.ts'

/** The index of the cached files. */
export interface FileStore extends FileRecords, FilesOfSeries, FileLists, FileUse {}

export const createFileStore = (database: Database, seriesIndex: SeriesIndex): FileStore => ({
  ...createFileRecords(database, seriesIndex),
  ...createSeriesFiles(database, seriesIndex),
  ...createFileLists(database, seriesIndex),
  ...createFileUse(database, seriesIndex),
})

/** Days that a file covers, and whether the file is final. */
export interface FileRange {
  startDay: DayNumber
  endDay: DayNumber
  isFinal: boolean
}

/** Finds the files of one series. */
interface FilesOfSeries {
  /** Returns the files that overlap the range, in the order of their periods, for charts and plans. */
  ofSeries(series: OwnedSeries, startDay: DayNumber, endDay: DayNumber): CachedFile[]
  /** Returns only the days of the files that overlap the range, for plans over many series. */
  ranges(series: OwnedSeries, startDay: DayNumber, endDay: DayNumber): FileRange[]
  find(series: OwnedSeries, period: Period): CachedFile | undefined
  /** Returns the periods of all files. */
  periods(series: OwnedSeries): Set<Period>
  facts(series: OwnedSeries, period: Period): FileFacts | undefined
}

/**
 * Length of the longest period, a month. A file that overlaps a range begins less than a month before the range, so an
 * index on the files' first days finds it.
 */
const LONGEST_PERIOD_DAYS = 31

function createSeriesFiles({ reads }: Database, seriesIndex: SeriesIndex): FilesOfSeries {
  return {
    ofSeries(series, startDay, endDay) {
      const id = seriesIndex.find(series)
      if (id === undefined) return []
      return reads
        .all<FileRow>(
          `${SELECT_FILES} WHERE files.series_id = ? AND files.start_day > ? AND files.start_day < ? AND files.end_day > ?
           ORDER BY files.start_day, files.end_day`,
          id,
          startDay - LONGEST_PERIOD_DAYS,
          endDay,
          startDay,
        )
        .map(fileOf)
    },
    ranges(series, startDay, endDay) {
      const id = seriesIndex.find(series)
      if (id === undefined) return []
      // The query returns a single text, because building one object per row would take longer than the search.
      const row = reads.first<{ ranges: string }>(
        // A later download takes over from metric files that were imported.
        `SELECT json_group_array((start_day * 64 + (end_day - start_day)) * 2
           + (state = 'final' AND (origin <> 'import' OR ${Number(series.kind === 'raw')}))) AS ranges FROM files
         WHERE series_id = ? AND start_day > ? AND start_day < ? AND end_day > ?`,
        id,
        startDay - LONGEST_PERIOD_DAYS,
        endDay,
        startDay,
      )
      return (JSON.parse(row?.ranges ?? '[]') as number[]).map(fileRangeOf)
    },
    find(series, period) {
      const id = seriesIndex.find(series)
      if (id === undefined) return undefined
      const row = reads.first<FileRow>(`${SELECT_FILES} WHERE files.series_id = ? AND files.period = ?`, id, period)
      return row && fileOf(row)
    },
    periods(series) {
      const id = seriesIndex.find(series)
      const rows = reads.all<{ period: Period }>('SELECT period FROM files WHERE series_id = ?', id ?? -1)
      return new Set(rows.map(({ period }) => period))
    },
    facts(series, period) {
      const id = seriesIndex.find(series)
      return id === undefined ? undefined : readFacts(reads, id, period)
    },
  }
}

function fileRangeOf(packedRange: number): FileRange {
  const days = packedRange >> 1
  return { startDay: days >> 6, endDay: (days >> 6) + (days & 63), isFinal: (packedRange & 1) === 1 }
}

/** A file with the facts about its rows that panels of many series need; facts that are not in the index are null. */
export interface PanelSourceFile {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  period: Period
  startDay: DayNumber
  endDay: DayNumber
  isFinal: 0 | 1
  sha256: string
  sizeBytes: number
  /** Modification time of the file when it was validated; null if it was not recorded. */
  changedAtMs: number | null
  fetchedAtMs: number
  rows: number | null
  firstTimeMs: number | null
  /** Step between rows; null if it is not regular. */
  stepMs: number | null
  duplicateTimes: number | null
}

/** Lists the files of many series and sums their sizes. */
interface FileLists {
  /** Returns a page of the files in order of series and period; `after` is the last file of the previous page. */
  page(filter: FileFilter, after: { series: OwnedSeries; period: Period } | null, limit: number): CachedFile[]
  totals(filter: FileFilter): { files: number; sizeBytes: number }
  /** Returns the last day that any file covers; null without files. */
  lastDay(filter: FileFilter): DayNumber | null
  /** Returns all files that match a filter, sorted by venue, symbol and day, with the known facts about their rows. */
  withPanelFacts(filter: FileFilter): PanelSourceFile[]
  /** Returns the files with any of these hashes. */
  withContent(sha256: readonly string[]): CachedFile[]
  /**
   * Returns the mean size of the earlier downloads of this dataset and interval whose files covered one day, or several
   * if `days` is above 1; null if there were none.
   */
  sizeEstimate(dataset: string, interval: string, days: number): number | null
  /**
   * Returns a page of the files that came in before values were compared with statistics; `after` is the last file of
   * the previous page.
   */
  unchecked(after: CachedFile | null, limit: number): CachedFile[]
  /** Returns the series whose names are longest, and which therefore have the longest paths. */
  longestNamed(limit: number): OwnedSeries[]
}

function createFileLists({ reads }: Database, seriesIndex: SeriesIndex): FileLists {
  return {
    longestNamed: (limit) =>
      reads
        .all<SeriesRow>(
          `SELECT ${SERIES_COLUMNS} FROM series
           ORDER BY length(connection_id) + length(dataset) + length(exchange) + length(symbol) + length(interval) DESC LIMIT ?`,
          limit,
        )
        .map(seriesOfRow),
    unchecked: (after, limit) =>
      reads
        .all<FileRow>(
          `${SELECT_FILES} WHERE files.doubtful_columns IS NULL AND (files.series_id, files.period) > (?, ?)
           ORDER BY files.series_id, files.period LIMIT ?`,
          (after && seriesIndex.find(after.series)) ?? 0,
          after?.period ?? '',
          limit,
        )
        .map(fileOf),
    page(filter, after, limit) {
      const series = seriesCondition(filter)
      const files = filesCondition(filter)
      const afterId = (after && seriesIndex.find(after.series)) ?? 0
      return reads
        .all<FileRow>(
          // SQLite would find the series by their names and sort all of their files for each page; in the order of their
          // ids it only continues.
          `SELECT files.series_id, ${FILE_COLUMNS} FROM series NOT INDEXED CROSS JOIN files ON files.series_id = series.id
           WHERE series.id >= ? AND files.period > CASE series.id WHEN ? THEN ? ELSE '' END AND ${series.sql} AND ${files.sql}
           ORDER BY series.id, files.period LIMIT ?`,
          afterId,
          afterId,
          after?.period ?? '',
          ...series.values,
          ...files.values,
          limit,
        )
        .map((row) => fileIn(seriesIndex.byId(row.series_id)!, row))
    },
    totals(filter) {
      const series = seriesCondition(filter)
      const files = filesCondition(filter)
      // The counts of whole series are stored; with a condition on files, the files must be counted.
      const countsWholeSeries = files.values.length === 0
      const sql = countsWholeSeries
        ? `SELECT total(files) AS files, total(size_bytes) AS size_bytes FROM series WHERE ${series.sql}`
        : `SELECT count(*) AS files, total(files.size_bytes) AS size_bytes
           FROM series JOIN files ON files.series_id = series.id WHERE ${series.sql} AND ${files.sql}`
      const row = reads.first<{ files: number; size_bytes: number }>(
        sql,
        ...series.values,
        ...(countsWholeSeries ? [] : files.values),
      )
      return { files: row?.files ?? 0, sizeBytes: row?.size_bytes ?? 0 }
    },
    lastDay(filter) {
      const series = seriesCondition(filter)
      const files = filesCondition(filter)
      const row = reads.first<{ end: number | null }>(
        `SELECT max(files.end_day) AS end FROM series JOIN files ON files.series_id = series.id
         WHERE ${series.sql} AND ${files.sql}`,
        ...series.values,
        ...files.values,
      )
      return row === undefined || row.end === null ? null : row.end - 1
    },
    withPanelFacts(filter) {
      const series = seriesCondition(filter)
      const files = filesCondition(filter)
      return reads.all<PanelSourceFile>(
        `SELECT series.dataset, series.exchange, series.symbol, series.interval, files.period, files.start_day AS startDay,
           files.end_day AS endDay, files.state = 'final' AS isFinal, hex(files.sha256) AS sha256,
           files.size_bytes AS sizeBytes, files.changed_at_ms AS changedAtMs,
           files.fetched_at_ms AS fetchedAtMs, file_facts.rows,
           file_facts.first_time_ms AS firstTimeMs, file_facts.step_ms AS stepMs, file_facts.duplicate_times AS duplicateTimes
         FROM series JOIN files ON files.series_id = series.id
           LEFT JOIN file_facts ON file_facts.series_id = files.series_id AND file_facts.period = files.period
         WHERE ${series.sql} AND ${files.sql} ORDER BY series.exchange, series.symbol, files.start_day, files.end_day`,
        ...series.values,
        ...files.values,
      )
    },
    withContent: (sha256) =>
      reads
        .all<FileRow>(
          `${SELECT_FILES} WHERE files.sha256 IN (SELECT unhex(value) FROM json_each(?)) ORDER BY files.series_id, files.period`,
          JSON.stringify(sha256),
        )
        .map(fileOf),
    sizeEstimate(dataset, interval, days) {
      const row = reads.first<{ mean: number }>(
        'SELECT 1.0 * size_bytes / files AS mean FROM usual_sizes WHERE dataset = ? AND interval = ? AND monthly = ?',
        dataset,
        interval,
        days > 1 ? 1 : 0,
      )
      return row ? Math.round(row.mean) : null
    },
  }
}

/** Records when files were last used, and finds those that may be removed to free space. */
interface FileUse {
  setPinned(series: OwnedSeries, period: Period, pinned: boolean): void
  /**
   * Returns a page of the files that are not pinned and that no open job downloads, least recently used first; `after`
   * is the last file of the previous page.
   */
  leastRecentlyUsed(limit: number, after?: CachedFile): CachedFile[]
  /** Notes the use of a file, in memory until `flushTouches`, because drawing a chart must not write to the disk. */
  touch(series: OwnedSeries, period: Period, nowMs: number): void
  /** Writes the noted uses; on a full disk they are kept for the next time, because no work should fail over them. */
  flushTouches(): void
  /**
   * Notes the modification times of files whose content is still what was validated, as after a copy of the folder; not
   * on a full disk, because no work should fail over them.
   */
  noteTimes(files: readonly ChangedTime[]): void
}

export interface ChangedTime {
  series: OwnedSeries
  period: Period
  changedAtMs: number
}

function createFileUse({ reads, writes }: Database, seriesIndex: SeriesIndex): FileUse {
  const touched = new Map<string, { id: number; period: Period; usedAtMs: number }>()

  /** Writes in one transaction. @returns whether the disk had room */
  function writeIfRoom(write: () => void): boolean {
    try {
      writes.inTransaction(write)
      return true
    } catch (thrown) {
      if (toAppError(thrown).code !== 'disk-full') throw thrown
      return false
    }
  }
  return {
    setPinned(series, period, pinned) {
      const id = seriesIndex.find(series)
      if (id !== undefined)
        writes.run('UPDATE files SET pinned = ? WHERE series_id = ? AND period = ?', pinned ? 1 : 0, id, period)
    },
    leastRecentlyUsed: (limit, after) =>
      reads
        .all<FileRow>(
          `${SELECT_FILES} WHERE files.pinned = 0 AND (files.used_at_ms, files.series_id, files.period) > (?, ?, ?) AND NOT EXISTS (
             SELECT 1 FROM jobs WHERE jobs.series_id = files.series_id AND jobs.period = files.period AND jobs.ended_at_ms IS NULL)
           ORDER BY files.used_at_ms, files.series_id, files.period LIMIT ?`,
          after?.usedAtMs ?? -1,
          (after && seriesIndex.find(after.series)) ?? 0,
          after?.period ?? '',
          limit,
        )
        .map(fileOf),
    touch(series, period, nowMs) {
      const id = seriesIndex.find(series)
      if (id !== undefined) touched.set(`${id}/${period}`, { id, period, usedAtMs: nowMs })
    },
    flushTouches() {
      if (touched.size === 0) return
      const isWritten = writeIfRoom(() => {
        for (const { id, period, usedAtMs } of touched.values()) {
          writes.run(
            'UPDATE files SET used_at_ms = max(used_at_ms, ?) WHERE series_id = ? AND period = ?',
            usedAtMs,
            id,
            period,
          )
        }
      })
      if (isWritten) touched.clear()
    },
    noteTimes(files) {
      if (files.length === 0) return
      writeIfRoom(() => {
        for (const { series, period, changedAtMs } of files) {
          const id = seriesIndex.find(series)
          if (id !== undefined)
            writes.run('UPDATE files SET changed_at_ms = ? WHERE series_id = ? AND period = ?', changedAtMs, id, period)
        }
      })
    },
  }
}
