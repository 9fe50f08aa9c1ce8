import type { TestTable } from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type DayTable, dayTable, dayTableCsv, weightTable } from '#shared/lab/portfolio/portfolioTables.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { parseDay } from '#shared/time.ts'
import { timeTableParquet, type TimeTable } from '#core/parquet/timeTable.ts'

/** Writes the days or the weights of a tested portfolio as a CSV file, or as a Parquet file that holds its provenance. */
export function writeTestTable(
  result: PortfolioResult,
  { table, format, provenance }: { table: TestTable; format: 'csv' | 'parquet'; provenance: string },
): Uint8Array {
  const rows = table === 'days' ? dayTable(result) : weightTable(result)
  if (!rows) throw new AppError('too-large', 'The weights of this test were not kept because there are too many.')
  return format === 'csv' ? new TextEncoder().encode(dayTableCsv(rows)) : timeTableParquet(timeTable(rows), provenance)
}

/** Puts the start of each day in its place. */
export const timeTable = ({ days, columns }: DayTable): TimeTable => ({
  times: days.map((day) => parseDay(day) ?? 0),
  columns,
})
