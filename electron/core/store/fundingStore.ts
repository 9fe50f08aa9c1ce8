import type { Database } from './database.ts'
import { filesCondition, seriesCondition, type FileFilter } from './fileFilter.ts'
import { SERIES_COLUMNS, seriesOfRow, type OwnedSeries, type SeriesRow } from './seriesIndex.ts'
import type { Reads } from './sql.ts'

/** A cached file that may tell about funding periods, with what it tells if it was read before. */
export interface FundingFile {
  period: string
  startDay: number
  endDay: number
  /** Null if the file was not read before. */
  evidence: Float64Array | null
  /** Content of a file that was not read before; null for any other. */
  unread: UnreadContent | null
}

interface UnreadContent {
  sha256: string
  sizeBytes: number
  changedAtMs: number | null
}

/** A series that has files which may tell about funding periods. */
export interface FundingSeries {
  series: OwnedSeries
  /** List of the files as a text, which says all that the files tell unless one of them was not read before. */
  listed: string
  /** Lists the files in the order of their days; of equal starts the longest first. */
  files(): FundingFile[]
}

/** What cached files tell about funding periods, by their content. */
export interface FundingStore {
  /** Lists the series that have files that match a filter, by their ids. */
  series(filter: FileFilter): FundingSeries[]
  /** Lists the instruments whose series match a filter, whether or not they have files. */
  instruments(filter: FileFilter): { exchange: string; symbol: string }[]
  save(evidence: readonly { sha256: string; evidence: Float64Array }[]): void
}

/** Stands for the evidence of a file that was not read before. */
const UNREAD = '?'

export function createFundingStore({ reads, writes }: Database): FundingStore {
  return {
    series(filter) {
      const series = seriesCondition(filter)
      const wanted = filesCondition(filter)
      // The files of a series come as one text, because thousands of rows with buffers would take most of the time.
      // They are read in the order of the table, because the index of the days would look each of them up there.
      const rows = reads.all<SeriesRow & { files: string | null }>(
        `SELECT ${SERIES_COLUMNS}, (
           SELECT group_concat(
             period || ',' || start_day || ',' || end_day || ',' || iif(evidence IS NULL, '${UNREAD}', hex(evidence)), ';'
           ) FROM files INDEXED BY sqlite_autoindex_files_1
             LEFT JOIN funding_evidence ON funding_evidence.sha256 = files.sha256
           WHERE files.series_id = series.id AND ${wanted.sql}
         ) AS files FROM series WHERE ${series.sql} ORDER BY series.id`,
        ...wanted.values,
        ...series.values,
      )
      return rows.flatMap((row) => {
        const listed = row.files
        if (listed === null) return []
        return { series: seriesOfRow(row), listed, files: () => filesOf(listed, contentIn(reads, row.series_id)) }
      })
    },
    instruments(filter) {
      const { sql, values } = seriesCondition(filter)
      return reads
        .all<{ exchange: string; symbol: string }>(
          `SELECT DISTINCT exchange, symbol FROM series WHERE ${sql} ORDER BY exchange, symbol`,
          ...values,
        )
        .map((row) => ({ ...row }))
    },
    save(all) {
      writes.inTransaction(() => {
        for (const { sha256, evidence } of all)
          writes.run(
            'INSERT OR REPLACE INTO funding_evidence (sha256, evidence) VALUES (?, ?)',
            Buffer.from(sha256, 'hex'),
            new Uint8Array(evidence.buffer, evidence.byteOffset, evidence.byteLength),
          )
      })
    },
  }
}

/** Returns a function that finds the content of a file that was not read; null if the file is gone meanwhile. */
const contentIn =
  (reads: Reads, seriesId: number) =>
  (period: string): UnreadContent | null => {
    const row = reads.first<{ sha256: Uint8Array; size_bytes: number; changed_at_ms: number | null }>(
      'SELECT sha256, size_bytes, changed_at_ms FROM files WHERE series_id = ? AND period = ?',
      seriesId,
      period,
    )
    return row
      ? {
          sha256: Buffer.from(row.sha256).toString('hex'),
          sizeBytes: row.size_bytes,
          changedAtMs: row.changed_at_ms,
        }
      : null
  }

/** Reads the files of a series from their text. */
function filesOf(text: string, contentOf: (period: string) => UnreadContent | null): FundingFile[] {
  const rows = text.split(';').map((row) => row.split(','))
  const bytes = Buffer.from(rows.map(([, , , evidence]) => (evidence === UNREAD ? '' : evidence)).join(''), 'hex')
  // A copy, because the bytes in the buffer may not be aligned for doubles.
  const doubles = new Float64Array(new Uint8Array(bytes).buffer)
  let at = 0
  const files = rows.map(([period, startDay, endDay, evidence]): FundingFile => {
    const days = { startDay: Number(startDay), endDay: Number(endDay) }
    if (evidence === UNREAD) return { period, ...days, evidence: null, unread: contentOf(period) }
    return { period, ...days, evidence: doubles.subarray(at, (at += evidence.length / HEX_PER_DOUBLE)), unread: null }
  })
  return files.sort((a, b) => a.startDay - b.startDay || b.endDay - a.endDay)
}

/** Number of hexadecimal digits of a double. */
const HEX_PER_DOUBLE = 16
