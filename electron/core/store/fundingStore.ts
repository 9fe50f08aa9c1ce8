import type { Database } from './database.ts'
import { filesCondition, seriesCondition, type FileFilter } from './fileFilter.ts'
import { SERIES_COLUMNS, seriesOf, type OwnedSeries, type SeriesRow } from './seriesIndex.ts'

/** A cached file that may tell about funding periods, with what it tells if it was read before. */
export interface FundingFile {
  series: OwnedSeries
  period: string
  startDay: number
  endDay: number
  sha256: string
  sizeBytes: number
  changedAtMs: number | null
  evidence: Float64Array | null
}

/** What cached files tell about funding periods, by their content. */
export interface FundingStore {
  /** Lists the files that match a filter, by series and in the order of their days; of equal starts the longest first. */
  files(filter: FileFilter): FundingFile[]
  /** Lists the instruments whose series match a filter, whether or not they have files. */
  instruments(filter: FileFilter): { exchange: string; symbol: string }[]
  save(evidence: readonly { sha256: string; evidence: Float64Array }[]): void
}

interface FundingRow extends SeriesRow {
  period: string
  start_day: number
  end_day: number
  sha256: Uint8Array
  size_bytes: number
  changed_at_ms: number | null
  evidence: Uint8Array | null
}

export function createFundingStore({ reads, writes }: Database): FundingStore {
  return {
    files(filter) {
      const series = seriesCondition(filter)
      const wanted = filesCondition(filter)
      return reads
        .all<FundingRow>(
          `SELECT ${SERIES_COLUMNS}, files.period, files.start_day, files.end_day, files.sha256, files.size_bytes,
             files.changed_at_ms, funding_evidence.evidence
           FROM series JOIN files ON files.series_id = series.id
             LEFT JOIN funding_evidence ON funding_evidence.sha256 = files.sha256
           WHERE ${series.sql} AND ${wanted.sql} ORDER BY series.id, files.start_day, files.end_day DESC`,
          ...series.values,
          ...wanted.values,
        )
        .map(fundingFileOf)
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

const fundingFileOf = (row: FundingRow): FundingFile => ({
  series: seriesOf(row),
  period: row.period,
  startDay: row.start_day,
  endDay: row.end_day,
  sha256: Buffer.from(row.sha256).toString('hex'),
  sizeBytes: row.size_bytes,
  changedAtMs: row.changed_at_ms,
  // A copy, because the bytes in the row may not be aligned for doubles.
  evidence: row.evidence && new Float64Array(Uint8Array.from(row.evidence).buffer),
})
