import { metricDataset } from '#shared/catalog/metricDatasets.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { PlannedDatasetId } from '#shared/engines/plan.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'

/**
 * Asks for the rows of a query as fixed numbers of 8 bytes: time, the number of all rows, then the columns with NaN for null.
 * Each row says how many there are, because an answer that was cut, or goes on with a message of the server, could otherwise
 * pass for a whole one.
 */
export function rowsQuery(dataset: PlannedDatasetId, sql: string): string {
  const columns = metricDataset(dataset).columns.map(({ name }) => `ifNull(toFloat64(${name}), nan)`)
  const selected = ['toInt64(time) AS row_time', 'toFloat64(count() OVER ())', ...columns].join(', ')
  return `SELECT ${selected} FROM (\n${sql}\n) ORDER BY row_time FORMAT RowBinary`
}

/** Reads the answer of `rowsQuery`; refuses one that is not whole or has times that no row of the day can have. */
export function metricRowsOf(
  dataset: PlannedDatasetId,
  bytes: Uint8Array,
  { startMs, stepMs }: { startMs: number; stepMs: number },
): MetricRows {
  const { columns } = metricDataset(dataset)
  const rowBytes = (columns.length + 2) * 8
  const count = bytes.length / rowBytes
  if (!Number.isInteger(count)) throw notWhole(dataset, bytes)
  const cells = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const timeMs = new Float64Array(count)
  const values = columns.map(() => new Float64Array(count))
  for (let row = 0; row < count; row++) {
    const at = row * rowBytes
    timeMs[row] = Number(cells.getBigInt64(at, true))
    const isOfDay =
      timeMs[row] >= startMs && timeMs[row] < startMs + 86_400_000 && (timeMs[row] - startMs) % stepMs === 0
    const isNext = row === 0 || timeMs[row] === timeMs[row - 1] + stepMs
    if (!isOfDay || !isNext || cells.getFloat64(at + 8, true) !== count) throw notWhole(dataset, bytes)
    for (const [j, column] of values.entries()) column[row] = cells.getFloat64(at + 16 + j * 8, true)
  }
  return { dataset, timeMs, columns: values }
}

function notWhole(dataset: string, bytes: Uint8Array): AppError {
  const own = /Code: \d+\. DB::Exception: [^\0]*/.exec(Buffer.from(bytes.subarray(-4096)).toString())?.[0]
  const reason = own ? ` (${own.replace(/\s+/g, ' ').slice(0, 300)})` : ''
  return new AppError('bad-answer', `ClickHouse: the answer for ${dataset} is not whole${reason}.`)
}
