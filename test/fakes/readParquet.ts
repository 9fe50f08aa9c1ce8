import { parquetMetadata, parquetRead, type FileMetaData } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

export interface ParquetTable {
  metadata: FileMetaData
  rows: number
  /** Values by column name; timestamps are integers in the file's unit, missing values are null. */
  columns: Record<string, unknown[]>
  /** Returns a column as numbers, NaN where a value is missing. */
  numbers: (name: string) => number[]
}

/** Reads a whole Parquet file into columns. */
export async function readParquet(bytes: Uint8Array): Promise<ParquetTable> {
  const file = bytes.slice().buffer as ArrayBuffer
  const metadata = parquetMetadata(file)
  const names = metadata.schema.slice(1).map(({ name }) => name)
  const columns: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]))
  const whole = (value: bigint) => value
  await parquetRead({
    file,
    metadata,
    compressors,
    parsers: { timestampFromMilliseconds: whole, timestampFromMicroseconds: whole, timestampFromNanoseconds: whole },
    onComplete: (rows) => {
      for (const row of rows as unknown as unknown[][])
        names.forEach((name, index) => columns[name].push(row[index] ?? null))
    },
  })
  return {
    metadata,
    rows: Number(metadata.num_rows),
    columns,
    numbers: (name) => columns[name].map((value) => (value === null ? Number.NaN : Number(value))),
  }
}

/** Returns the `time` column in milliseconds, whatever unit the file uses. */
export function timesMs({ metadata, columns }: ParquetTable): number[] {
  const element = metadata.schema.find(({ name }) => name === 'time')
  const unit = element?.logical_type?.type === 'TIMESTAMP' ? element.logical_type.unit : 'MILLIS'
  const perMs = unit === 'NANOS' ? 1_000_000n : unit === 'MICROS' ? 1000n : 1n
  return columns.time.map((value) => Number((value as bigint) / perMs))
}
