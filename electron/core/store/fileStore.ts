import type { DayNumber, Period } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { readFacts, writeFacts, type FileFacts } from './fileFacts.ts'
import { rangeCondition, seriesCondition, type FileFilter } from './fileFilter.ts'
import { SERIES_COLUMNS, seriesOf, type OwnedSeries, type SeriesIndex, type SeriesRow } from './seriesIndex.ts'

export interface CachedFile {
  series: OwnedSeries
  period: Period
  startDay: DayNumber
  /** Exclusive. */
  endDay: DayNumber
  /** `partial`: the period was still running when it was fetched. */
  state: 'final' | 'partial'
  origin: 'service' | 'import' | 'computed'
  sizeBytes: number
  sha256: string
  /** Names the content where it came from: the service's word, or of computed files the events they were made from. */
  etag: string | null
  fetchedAtMs: number
  usedAtMs: number
  pinned: boolean
  /** When a refresh brought other content than before; null where it never did. */
  changedUpstreamAtMs: number | null
}

/** Hears of every way a file comes into the cache or leaves it: fetched, imported, computed, repaired, pruned, replaced. */
export interface FileListener {
  came(files: readonly CachedFile[]): void
  /** Contents that no longer lie where they did, by their sha256. */
  went(sha256s: readonly string[]): void
}

export interface FileSpan {
  startDay: DayNumber
  endDay: DayNumber
  isFinal: boolean
}

/** The index of the files that are here. Rows follow the files: written after a file is whole, dropped before it goes. */
export interface FileStore {
  /** The files of one series that touch the range, by period; what every chart and plan asks. */
  ofSeries(series: OwnedSeries, startDay: DayNumber, endDay: DayNumber): CachedFile[]
  /** The same as bare numbers, for plans over many series. */
  spans(series: OwnedSeries, startDay: DayNumber, endDay: DayNumber): FileSpan[]
  find(series: OwnedSeries, period: Period): CachedFile | undefined
  facts(series: OwnedSeries, period: Period): FileFacts | undefined
  /** Pages by connection, series and period; `after` is the last file of the page before. */
  page(filter: FileFilter, after: { series: OwnedSeries; period: Period } | null, limit: number): CachedFile[]
  totals(filter: FileFilter): { files: number; sizeBytes: number }
  /** Bytes a file of this dataset and interval usually has, from what was fetched before; null where nothing like it was. */
  usualBytes(dataset: string, interval: string, days: number): number | null
  /** One transaction for all. Clears a remembered absence of the same period. */
  record(files: readonly { file: CachedFile; facts: FileFacts }[]): void
  forget(files: readonly { series: OwnedSeries; period: Period }[]): void
  setPinned(series: OwnedSeries, period: Period, pinned: boolean): void
  /** Least recently used first, without pinned ones and ones that jobs wait for; `after` is the last one of the page before. */
  oldestUnused(limit: number, after?: CachedFile): CachedFile[]
  /** Remembered at once, written with `flushTouches`: reading a chart must not write to disk. */
  touch(series: OwnedSeries, period: Period, nowMs: number): void
  flushTouches(): void
  /** One listener, of this process's own changes. */
  listen(listener: FileListener): void
}

interface FileRow extends SeriesRow {
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
}

const SELECT = `SELECT ${SERIES_COLUMNS}, files.period, files.start_day, files.end_day, files.state, files.origin,
  files.size_bytes, files.sha256, files.etag, files.fetched_at_ms, files.used_at_ms, files.pinned, files.changed_upstream_at_ms
  FROM series JOIN files ON files.series_id = series.id`

const fileOf = (row: FileRow): CachedFile => ({
  series: seriesOf(row),
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
})

function spanOf(packed: number): FileSpan {
  const days = packed >> 1
  return { startDay: days >> 6, endDay: (days >> 6) + (days & 63), isFinal: (packed & 1) === 1 }
}

/** No period is longer: a month. Lets an index on the first day find files that began before a range. */
const LONGEST_PERIOD_DAYS = 31

export function createFileStore({ reads, writes }: Database, seriesIndex: SeriesIndex): FileStore {
  const touched = new Map<string, { id: number; period: Period; usedAtMs: number }>()
  let listener: FileListener | null = null

  function find(series: OwnedSeries, period: Period): CachedFile | undefined {
    const id = seriesIndex.find(series)
    if (id === undefined) return undefined
    const row = reads.first<FileRow>(`${SELECT} WHERE files.series_id = ? AND files.period = ?`, id, period)
    return row && fileOf(row)
  }

  /** @returns the content that was there */
  function forgetOne(id: number, period: Period): string | null {
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

  /** @returns the other content that it takes the place of */
  function recordOne(file: CachedFile, facts: FileFacts): string | null {
    const id = seriesIndex.idOf(file.series)
    const before = forgetOne(id, file.period)
    writes.run(
      `INSERT INTO files (series_id, period, start_day, end_day, state, origin, size_bytes, sha256, etag, fetched_at_ms,
         used_at_ms, pinned, changed_upstream_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    )
    writeFacts(writes, id, file.period, facts)
    return before === file.sha256 ? null : before
  }

  function tellWent(contents: readonly (string | null)[]): void {
    const went = contents.filter((sha256) => sha256 !== null)
    if (went.length > 0) listener?.went(went)
  }

  /** Updates the records beside the rows of files, for all files committed together. */
  function noteRecorded(files: readonly CachedFile[]): void {
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
      `UPDATE series SET files = series.files + came.files, size_bytes = series.size_bytes + came.size_bytes
       FROM (SELECT value ->> 0 AS id, count(*) AS files, sum(value ->> 2) AS size_bytes FROM json_each(?) GROUP BY 1) AS came
       WHERE series.id = came.id`,
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

  return {
    find,
    ofSeries(series, startDay, endDay) {
      const id = seriesIndex.find(series)
      if (id === undefined) return []
      return reads
        .all<FileRow>(
          `${SELECT} WHERE files.series_id = ? AND files.start_day > ? AND files.start_day < ? AND files.end_day > ?
           ORDER BY files.start_day, files.end_day`,
          id,
          startDay - LONGEST_PERIOD_DAYS,
          endDay,
          startDay,
        )
        .map(fileOf)
    },
    spans(series, startDay, endDay) {
      const id = seriesIndex.find(series)
      if (id === undefined) return []
      // One row with one text: making an object per row in the driver would cost more than the search.
      const row = reads.first<{ spans: string }>(
        `SELECT json_group_array((start_day * 64 + (end_day - start_day)) * 2 + (state = 'final')) AS spans FROM files
         WHERE series_id = ? AND start_day > ? AND start_day < ? AND end_day > ?`,
        id,
        startDay - LONGEST_PERIOD_DAYS,
        endDay,
        startDay,
      )
      return (JSON.parse(row?.spans ?? '[]') as number[]).map(spanOf)
    },
    facts(series, period) {
      const id = seriesIndex.find(series)
      return id === undefined ? undefined : readFacts(reads, id, period)
    },
    page(filter, after, limit) {
      const series = seriesCondition(filter)
      const range = rangeCondition(filter)
      const afterId = (after && seriesIndex.find(after.series)) ?? 0
      return reads
        .all<FileRow>(
          `${SELECT} WHERE ${series.sql} AND ${range.sql} AND (files.series_id, files.period) > (?, ?)
           ORDER BY files.series_id, files.period LIMIT ?`,
          ...series.values,
          ...range.values,
          afterId,
          after?.period ?? '',
          limit,
        )
        .map(fileOf)
    },
    totals(filter) {
      const series = seriesCondition(filter)
      const isWhole = filter.startDay === undefined && filter.endDay === undefined
      const range = rangeCondition(filter)
      const sql = isWhole
        ? `SELECT total(files) AS files, total(size_bytes) AS size_bytes FROM series WHERE ${series.sql}`
        : `SELECT count(*) AS files, total(files.size_bytes) AS size_bytes
           FROM series JOIN files ON files.series_id = series.id WHERE ${series.sql} AND ${range.sql}`
      const row = reads.first<{ files: number; size_bytes: number }>(
        sql,
        ...series.values,
        ...(isWhole ? [] : range.values),
      )
      return { files: row?.files ?? 0, sizeBytes: row?.size_bytes ?? 0 }
    },
    usualBytes(dataset, interval, days) {
      const row = reads.first<{ mean: number }>(
        'SELECT 1.0 * size_bytes / files AS mean FROM usual_sizes WHERE dataset = ? AND interval = ? AND monthly = ?',
        dataset,
        interval,
        days > 1 ? 1 : 0,
      )
      return row ? Math.round(row.mean) : null
    },
    record(files) {
      seriesIndex.ensure(files.map(({ file }) => file.series))
      if (files.length === 0) return
      const came = files.map(({ file }) => file)
      const went = writes.inTransaction(() => {
        const replaced = files.map(({ file, facts }) => recordOne(file, facts))
        noteRecorded(came)
        return replaced
      })
      tellWent(went)
      listener?.came(came)
    },
    forget(files) {
      const forgotten = writes.inTransaction(() =>
        files.map(({ series, period }) => {
          const id = seriesIndex.find(series)
          return id === undefined ? null : forgetOne(id, period)
        }),
      )
      tellWent(forgotten)
    },
    listen: (wanted) => (listener = wanted),
    setPinned(series, period, pinned) {
      const id = seriesIndex.find(series)
      if (id !== undefined)
        writes.run('UPDATE files SET pinned = ? WHERE series_id = ? AND period = ?', pinned ? 1 : 0, id, period)
    },
    oldestUnused: (limit, after) =>
      reads
        .all<FileRow>(
          `${SELECT} WHERE files.pinned = 0 AND (files.used_at_ms, files.series_id, files.period) > (?, ?, ?) AND NOT EXISTS (
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
      writes.inTransaction(() => {
        for (const { id, period, usedAtMs } of touched.values()) {
          writes.run(
            'UPDATE files SET used_at_ms = max(used_at_ms, ?) WHERE series_id = ? AND period = ?',
            usedAtMs,
            id,
            period,
          )
        }
      })
      touched.clear()
    },
  }
}
