import { averageRanks } from '#shared/statistics/ranks.ts'
import type { DailyMatrix } from './dailyMatrix.ts'
import { missingColumn, setCell } from './missingColumn.ts'

export interface CrossSectionRank {
  /** From 1, the lowest; equal values share the mean of theirs. Null where the value is missing. */
  rank: number | null
  /** 0 the lowest, 1 the highest; null with fewer than 2 values. */
  percentile: number | null
}

/** Ranks among the values that are present. */
export function crossSectionRanks(values: readonly (number | null)[]): CrossSectionRank[] {
  const present = values.flatMap((value, at) => (value === null || !Number.isFinite(value) ? [] : [at]))
  const ranks = averageRanks(Float64Array.from(present, (at) => values[at] ?? 0))
  const found: CrossSectionRank[] = values.map(() => ({ rank: null, percentile: null }))
  present.forEach((at, place) => {
    const rank = ranks[place]
    found[at] = { rank, percentile: present.length < 2 ? null : (rank - 1) / (present.length - 1) }
  })
  return found
}

/** Each day's percentiles of its tickers. */
export function percentileMatrix(matrix: DailyMatrix): DailyMatrix {
  const width = matrix.tickers.length
  const cells = missingColumn('percentile', matrix.values.length)
  matrix.days.forEach((_, row) => {
    const start = row * width
    const values = matrix.tickers.map((_, at) => (matrix.valid[start + at] ? matrix.values[start + at] : null))
    crossSectionRanks(values).forEach(({ percentile }, at) => setCell(cells, start + at, percentile))
  })
  return { ...matrix, values: cells.values, valid: cells.valid }
}
