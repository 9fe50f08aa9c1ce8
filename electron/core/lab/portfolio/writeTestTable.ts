import type { TestFormat, TestTable } from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type DayTable, dayTable, dayTableCsv, weightTable } from '#shared/lab/portfolio/portfolioTables.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { parseDay } from '#shared/time.ts'
import { timeTableParquet, type TimeTable } from '#core/parquet/timeTable.ts'

/**
 * Writes the days or the weights of a tested portfolio: as CSV, as JSON in the matrix format of the portfolio service,
 * or as Parquet with its provenance.
 */
export function writeTestTable(
  result: PortfolioResult,
  { table, format, provenance }: { table: TestTable; format: TestFormat; provenance: string },
): Uint8Array {
  const rows = table === 'days' ? dayTable(result) : weightTable(result)
  if (!rows) throw new AppError('too-large', 'The weights of this test were not kept because there are too many.')
  if (format === 'parquet') return timeTableParquet(timeTable(rows), provenance)
  return new TextEncoder().encode(format === 'csv' ? dayTableCsv(rows) : matrixJson(rows))
}

/** Writes a table as the portfolio service returns a matrix: one row per day, one value per column. */
const matrixJson = ({ days, columns }: DayTable): string =>
  `${JSON.stringify({
    data: days.map((_, index) => columns.map(({ values }) => values[index])),
    index: days,
    columns: columns.map(({ name }) => name),
  })}\n`

/** Replaces each day by its start time. */
export const timeTable = ({ days, columns }: DayTable): TimeTable => ({
  times: days.map((day) => parseDay(day) ?? 0),
  columns,
})
