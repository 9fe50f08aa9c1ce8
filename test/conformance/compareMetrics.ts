import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers } from '#core/parquet/readColumn.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { isCancelling } from '#shared/engines/agreement.ts'

/** Columns that only this machine computes, which the values computed elsewhere may lack. */
const localColumns = new Set(
  metricDatasets.flatMap(({ columns }) => columns.filter(({ origin }) => origin === 'local').map(({ name }) => name)),
)

export interface Table {
  time: Float64Array
  columns: Map<string, Float64Array>
}

/** Reads all number columns of a metric file; null becomes NaN. */
export function readTable(path: string): Table {
  using file = new ParquetFile(path)
  const all = { from: 0, to: file.rows }
  const read = (name: string) => {
    const values = new Float64Array(file.rows)
    readNumbers(file, name, all, { values, at: 0 })
    return values
  }
  const columns = new Map(file.columns.map(({ name }) => [name, read(name)]))
  const time = columns.get('time')!
  columns.delete('time')
  return { time, columns }
}

/**
 * Lists the columns in which `actual` differs from `expected` by more than the column's tolerance, one line per column.
 */
export function differences(expected: Table, actual: Table, rtol = 1e-9): string[] {
  const same = expected.time.length === actual.time.length && expected.time.every((t, i) => t === actual.time[i])
  if (!same) return [`rows: ${expected.time.length} expected, ${actual.time.length} found, or other times`]
  const problems: string[] = []
  const names = [...actual.columns.keys()].filter((name) => expected.columns.has(name) || !localColumns.has(name))
  if ([...expected.columns.keys()].join() !== names.join()) problems.push('other columns')
  for (const [name, values] of expected.columns) {
    const found = actual.columns.get(name)
    const problem = found && columnProblem(name, values, found, rtol)
    if (problem) problems.push(problem)
  }
  return problems
}

function columnProblem(name: string, expected: Float64Array, actual: Float64Array, rtol: number): string | null {
  const isLoose = isCancelling(name)
  const sizes = expected.map(Math.abs).filter((size) => size > 0)
  const floor = isLoose && sizes.length > 0 ? 1e-7 * sizes.sort()[sizes.length >> 1] : 0
  const relative = isLoose ? Math.max(1e-6, rtol) : rtol
  let count = 0
  let first = -1
  for (let i = 0; i < expected.length; i++) {
    const isNull = Number.isNaN(expected[i])
    const isRight = isNull
      ? Number.isNaN(actual[i])
      : Math.abs(actual[i] - expected[i]) <= relative * Math.abs(expected[i]) + floor
    if (isRight) continue
    count++
    if (first < 0) first = i
  }
  return count === 0 ? null : `${name}: ${count} rows, first at row ${first}: ${expected[first]} != ${actual[first]}`
}
