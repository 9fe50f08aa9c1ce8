import type { NumberColumn } from '#shared/contract/frame.ts'
import { correlationOf, pairMomentsOf } from '#shared/statistics/pairMoments.ts'

export interface CorrelationMatrix {
  names: string[]
  /** Correlations row by row; null if a pair has fewer than 2 common rows or one column is constant there. */
  values: (number | null)[][]
  /** Number of common rows. */
  counts: number[][]
}

/**
 * Computes the Pearson correlation of every pair of columns over their common rows. Yields after every pair, because it
 * may take a long time.
 */
export function* correlationMatrix(columns: readonly NumberColumn[]): Generator<void, CorrelationMatrix, void> {
  const size = columns.length
  const values = Array.from({ length: size }, () => Array.from({ length: size }, (): number | null => null))
  const counts = Array.from({ length: size }, () => Array.from({ length: size }, () => 0))
  for (let row = 0; row < size; row++)
    for (let at = row; at < size; at++) {
      const [a, b] = [columns[row], columns[at]]
      const moments = pairMomentsOf(a.values, a.valid, b.values, b.valid)
      const correlation = correlationOf(moments)
      // The correlation with itself is exactly 1, despite rounding.
      values[row][at] = values[at][row] = row === at && correlation !== null ? 1 : correlation
      counts[row][at] = counts[at][row] = moments.count
      yield
    }
  return { names: columns.map(({ name }) => name), values, counts }
}
