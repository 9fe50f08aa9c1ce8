import { parquetWriteBuffer } from 'hyparquet-writer'
import type { TestTable } from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type DayTable, dayTable, dayTableCsv, weightTable } from '#shared/lab/portfolio/portfolioTables.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { parseDay } from '#shared/time.ts'
import { numberCells } from '#core/parquet/negativeZero.ts'

/** Writes the days or the weights of a tested portfolio as a CSV file, or as a Parquet file that holds its provenance. */
export function writeTestTable(
  result: PortfolioResult,
  { table, format, provenance }: { table: TestTable; format: 'csv' | 'parquet'; provenance: string },
): Uint8Array {
  const rows = table === 'days' ? dayTable(result) : weightTable(result)
  if (!rows) throw new AppError('too-large', 'The weights of this test were not kept because there are too many.')
  return format === 'csv' ? new TextEncoder().encode(dayTableCsv(rows)) : dayTableParquet(rows, provenance)
}

/** Writes a table as Parquet, with the start of the day as its time. */
export function dayTableParquet({ days, columns }: DayTable, provenance = ''): Uint8Array {
  const times = BigInt64Array.from(days, (day) => BigInt(parseDay(day) ?? 0))
  const buffer = parquetWriteBuffer({
    ...(provenance && { kvMetadata: [{ key: 'perpscope.provenance', value: provenance }] }),
    columnData: [
      { name: 'time', data: times, type: 'INT64', nullable: false },
      ...columns.map(({ name, values }) => ({
        ...numberCells(name, [...values]),
        type: 'DOUBLE' as const,
        nullable: true,
      })),
    ],
  })
  return new Uint8Array(buffer)
}
