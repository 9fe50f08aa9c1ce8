import { averageRanks } from '#shared/statistics/ranks.ts'
import { rowsWhere, takeRows, missingColumn, setCell, type DailyMatrix } from './dailySeries.ts'

interface CrossSectionRank {
  /** Rank from 1 for the lowest; ties get their mean rank. Null if the value is missing. */
  rank: number | null
  /** Percentile from 0 (lowest) to 1 (highest); null with fewer than 2 values. */
  percentile: number | null
}

/** Ranks the values that are present; the result has an entry for every value. */
export function crossSectionRanks(values: readonly (number | null)[]): CrossSectionRank[] {
  const present = values.flatMap((value, at) => (value === null || !Number.isFinite(value) ? [] : [at]))
  const ranks = averageRanks(Float64Array.from(present, (at) => values[at] ?? 0))
  const all: CrossSectionRank[] = values.map(() => ({ rank: null, percentile: null }))
  present.forEach((at, place) => {
    const rank = ranks[place]
    all[at] = { rank, percentile: present.length < 2 ? null : (rank - 1) / (present.length - 1) }
  })
  return all
}

/** Computes each day's percentiles across tickers. Yields after every day, because it may take a long time. */
export function* percentileMatrix(matrix: DailyMatrix): Generator<void, DailyMatrix, void> {
  const width = matrix.tickers.length
  const cells = missingColumn('percentile', matrix.values.length)
  for (let start = 0; start < matrix.values.length; start += width) {
    const row = matrix.values.subarray(start, start + width)
    const places = rowsWhere(width, (at) => matrix.valid[start + at] === 1)
    if (places.length > 1)
      averageRanks(takeRows(row, places)).forEach((rank, at) =>
        setCell(cells, start + places[at], (rank - 1) / (places.length - 1)),
      )
    yield
  }
  return { ...matrix, values: cells.values, valid: cells.valid }
}
