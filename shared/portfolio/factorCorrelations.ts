import { correlationOf, pairMomentsOf } from '#shared/statistics/pairMoments.ts'
import { averageRanks } from '#shared/statistics/ranks.ts'
import type { CorrelationMatrix } from './correlations.ts'
import { rowOfDay, type DailyMatrix, matrixCell } from './dailySeries.ts'

/** Minimum number of tickers for a rank correlation to be meaningful. */
const LEAST_TICKERS = 3

/**
 * Computes how similarly factors rank the same tickers: per pair, the mean over days of the Spearman correlation across
 * tickers that have both values; `counts` are the numbers of days. Yields after every day, because it may take a long
 * time.
 */
export function* factorCorrelations(
  factors: readonly { name: string; matrix: DailyMatrix }[],
): Generator<void, CorrelationMatrix, void> {
  const values = factors.map(() => factors.map((): number | null => null))
  const counts = factors.map(() => factors.map(() => 0))
  for (let row = 0; row < factors.length; row++)
    for (let at = row; at < factors.length; at++) {
      const { mean, days } = yield* meanRankCorrelation(factors[row].matrix, factors[at].matrix)
      values[row][at] = values[at][row] = mean
      counts[row][at] = counts[at][row] = days
    }
  return { names: factors.map(({ name }) => name), values, counts }
}

function* meanRankCorrelation(
  a: DailyMatrix,
  b: DailyMatrix,
): Generator<void, { mean: number | null; days: number }, void> {
  const columns = a.tickers.map((ticker) => b.tickers.indexOf(ticker))
  let sum = 0
  let days = 0
  for (let row = 0; row < a.days.length; row++) {
    yield
    const otherRow = rowOfDay(b.days, a.days[row])
    const correlation = otherRow < 0 ? null : rankCorrelation(commonValues(a, row, b, otherRow, columns))
    if (correlation === null) continue
    sum += correlation
    days++
  }
  return { mean: days === 0 ? null : sum / days, days }
}

function commonValues(a: DailyMatrix, row: number, b: DailyMatrix, otherRow: number, columns: readonly number[]) {
  const x: number[] = []
  const y: number[] = []
  columns.forEach((column, ticker) => {
    const valueA = matrixCell(a, row, ticker)
    const valueB = column < 0 ? null : matrixCell(b, otherRow, column)
    if (valueA === null || valueB === null) return
    x.push(valueA)
    y.push(valueB)
  })
  return { x: Float64Array.from(x), y: Float64Array.from(y) }
}

function rankCorrelation({ x, y }: { x: Float64Array; y: Float64Array }): number | null {
  if (x.length < LEAST_TICKERS) return null
  return correlationOf(pairMomentsOf(averageRanks(x), null, averageRanks(y), null))
}
