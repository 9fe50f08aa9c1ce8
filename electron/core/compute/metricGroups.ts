import type { ColumnSource, ParquetWriter } from 'hyparquet-writer'
import { areMostlyDistinct } from '#core/parquet/distinctNumbers.ts'
import { numberCells } from '#core/parquet/negativeZero.ts'
import { createZstdWriter, type SchemaColumn } from '#core/parquet/zstdWriter.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'

/** Rows per row group: a day has 5,760 rows of 15 seconds, so a reader of one day skips most of a file of a year. */
export const rowsPerGroup = 50_000
/** Page size that puts each column into one page, because the writer then need not add up the sizes of the values. */
const ONE_PAGE = 0

/** Consecutive rows of a dataset, and where their row groups start in the file. */
export interface RowsToEncode {
  parts: readonly MetricRows[]
  startByte: number
}

export interface EncodedRows {
  bytes: Uint8Array<ArrayBuffer>
  /** Entries of the row groups for the footer. */
  rowGroups: ParquetWriter['row_groups']
  rows: number
}

/** Returns the schema of a metric file: `time` as INT64 milliseconds, everything else as DOUBLE, null if undefined. */
export const metricSchema = (dataset: MetricDatasetId): SchemaColumn[] => [
  { name: 'time', type: 'INT64', repetition_type: 'REQUIRED' },
  ...metricDataset(dataset).columns.map(({ name }): SchemaColumn => ({
    name,
    type: 'DOUBLE',
    repetition_type: 'OPTIONAL',
  })),
]

/** Encodes rows as row groups of a metric file; any thread can do that, because the rest of the file is not needed. */
export async function encodeRows({ parts, startByte }: RowsToEncode): Promise<EncodedRows> {
  const { dataset } = parts[0]
  const { bytes, writer } = createZstdWriter(metricSchema(dataset))
  // The writer has already written the start of a file, which is dropped: these row groups continue another file.
  bytes.index = 0
  bytes.offset = startByte
  const times = concatenate(parts, ({ timeMs }) => timeMs)
  const columnData: ColumnSource[] = [
    { name: 'time', data: BigInt64Array.from(times, BigInt), encoding: 'PLAIN' },
    ...metricDataset(dataset).columns.map(({ name }, j) =>
      columnSource(
        name,
        concatenate(parts, ({ columns }) => columns[j]),
      ),
    ),
  ]
  await writer.write({ columnData, rowGroupSize: rowsPerGroup, pageSize: ONE_PAGE })
  const encoded = new Uint8Array(bytes.buffer, 0, bytes.index)
  return { bytes: encoded, rowGroups: writer.row_groups, rows: times.length }
}

function concatenate(
  parts: readonly MetricRows[],
  valuesOf: (part: MetricRows) => Float64Array,
): Float64Array<ArrayBuffer> {
  const values = new Float64Array(parts.reduce((sum, { timeMs }) => sum + timeMs.length, 0))
  let offset = 0
  for (const part of parts) {
    values.set(valuesOf(part), offset)
    offset += part.timeMs.length
  }
  return values
}

function columnSource(name: string, values: Float64Array<ArrayBuffer>): ColumnSource {
  if (areMostlyDistinct(values)) return { name, data: nullForNaN(values), encoding: 'PLAIN' }
  return numberCells(name, nullForNaN(values))
}

/**
 * Returns the values with null for NaN, as the writer expects. Values without NaN stay a typed array, because boxing
 * them would take longer than encoding them.
 */
const nullForNaN = (values: Float64Array): Float64Array | (number | null)[] =>
  values.some(Number.isNaN) ? Array.from(values, (value) => (Number.isNaN(value) ? null : value)) : values
