import type { Database } from './database.ts'
import { filesCondition, seriesCondition, type FileFilter } from './fileFilter.ts'
import { SERIES_COLUMNS, seriesOf, type OwnedSeries, type SeriesRow } from './seriesIndex.ts'

/** A cached file that may tell about funding periods, with what it tells if it was read before. */
export interface FundingFile {
  series: OwnedSeries
  period: string
  startDay: number
  endDay: number
  /** Null if the file was not read before. */
  evidence: Float64Array | null
  /** Content of a file that was not read before; null for any other. */
  unread: { sha256: string; sizeBytes: number; changedAtMs: number | null } | null
}

/** What cached files tell about funding periods, by their content. */
export interface FundingStore {
  /** Lists the files that match a filter, by series and in the order of their days; of equal starts the longest first. */
  files(filter: FileFilter): FundingFile[]
  /** Lists the instruments whose series match a filter, whether or not they have files. */
  instruments(filter: FileFilter): { exchange: string; symbol: string }[]
  save(evidence: readonly { sha256: string; evidence: Float64Array }[]): void
}

interface FundingRow {
  series_id: number
  period: string
  start_day: number
  end_day: number
  evidence: Uint8Array | null
  /** Null if the file was read before. */
  sha256: Uint8Array | null
  size_bytes: number
  changed_at_ms: number | null
}

export function createFundingStore({ reads, writes }: Database): FundingStore {
  return {
    files(filter) {
      const series = seriesCondition(filter)
      const wanted = filesCondition(filter)
      // There are many files of few series, so the names of a series are read once.
      const seriesById = new Map(
        reads
          .all<SeriesRow>(`SELECT ${SERIES_COLUMNS} FROM series WHERE ${series.sql}`, ...series.values)
          .map((row) => [row.series_id, seriesOf(row)]),
      )
      return reads
        .all<FundingRow>(
          `SELECT series.id AS series_id, files.period, files.start_day, files.end_day, funding_evidence.evidence,
             iif(funding_evidence.evidence IS NULL, files.sha256, NULL) AS sha256, files.size_bytes, files.changed_at_ms
           FROM series JOIN files ON files.series_id = series.id
             LEFT JOIN funding_evidence ON funding_evidence.sha256 = files.sha256
           WHERE ${series.sql} AND ${wanted.sql} ORDER BY series.id, files.start_day, files.end_day DESC`,
          ...series.values,
          ...wanted.values,
        )
        .flatMap((row) => fundingFileOf(row, seriesById.get(row.series_id)) ?? [])
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

/** Builds a file; null if its series was added since the series were read. */
const fundingFileOf = (row: FundingRow, series: OwnedSeries | undefined): FundingFile | null =>
  series === undefined
    ? null
    : {
        series,
        period: row.period,
        startDay: row.start_day,
        endDay: row.end_day,
        // A copy, because the bytes in the row may not be aligned for doubles.
        evidence: row.evidence && new Float64Array(new Uint8Array(row.evidence).buffer),
        unread: row.sha256 && {
          sha256: Buffer.from(row.sha256).toString('hex'),
          sizeBytes: row.size_bytes,
          changedAtMs: row.changed_at_ms,
        },
      }
