import type { NumberColumn } from '#shared/contract/frame.ts'
import { correlationOf, pairMomentsOf } from '#shared/statistics/pairMoments.ts'

export interface CorrelationMatrix {
  names: string[]
  /** Row by row; null where a pair has fewer than 2 common rows or one side is constant there. */
  values: (number | null)[][]
  /** Rows that both have. */
  counts: number[][]
}

/** Pearson correlation of every pair of columns over the rows both have. Yields after every pair: it may take long. */
export function* correlationMatrix(columns: readonly NumberColumn[]): Generator<void, CorrelationMatrix, void> {
  const size = columns.length
  const values = Array.from({ length: size }, () => Array.from({ length: size }, (): number | null => null))
  const counts = Array.from({ length: size }, () => Array.from({ length: size }, () => 0))
  for (let row = 0; row < size; row++)
    for (let at = row; at < size; at++) {
      const [a, b] = [columns[row], columns[at]]
      const moments = pairMomentsOf(a.values, a.valid, b.values, b.valid)
      const correlation = correlationOf(moments)
      // With itself it is 1, whatever rounding makes of it.
      values[row][at] = values[at][row] = row === at && correlation !== null ? 1 : correlation
      counts[row][at] = counts[at][row] = moments.count
      yield
    }
  return { names: columns.map(({ name }) => name), values, counts }
}
