import type { MetricRows } from '#shared/metrics/metricRows.ts'
import type { FileFaults } from '../faults/faults.ts'

/** Every so many rows one stands twice. */
const DUPLICATE_EVERY = 37

/** Rows taken in another order; a negative number −k−1 stands for an outdated version of row k. */
function reordered(rows: MetricRows, order: number[]): MetricRows {
  // Doubled, so that counts stay whole.
  const pick = (column: Float64Array, outdated: number) =>
    Float64Array.from(order, (at) => (at < 0 ? column[-at - 1] * outdated : column[at]))
  return { ...rows, timeMs: pick(rows.timeMs, 1), columns: rows.columns.map((column) => pick(column, 2)) }
}

/** The rows as a careless writer leaves them: some twice, the outdated version first; the second half before the first. */
export function spoiltRows(rows: MetricRows, { duplicates, unsorted }: FileFaults): MetricRows {
  if (!duplicates && !unsorted) return rows
  let order = Array.from(rows.timeMs, (_, index) => index)
  if (unsorted) order = [...order.slice(order.length / 2), ...order.slice(0, order.length / 2)]
  if (duplicates) order = order.flatMap((at) => (at % DUPLICATE_EVERY === 1 ? [-at - 1, at] : [at]))
  return reordered(rows, order)
}
