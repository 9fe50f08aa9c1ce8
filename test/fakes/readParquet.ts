import { parquetMetadata, parquetRead, type FileMetaData } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

export interface ParquetTable {
  metadata: FileMetaData
  rows: number
  /** By name; timestamps as whole numbers of the file's own unit, missing values null. */
  columns: Record<string, unknown[]>
  /** The same as numbers. */
  numbers: (name: string) => number[]
}

/** A whole Parquet file in memory, by columns. */
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

/** The `time` column in milliseconds, whatever unit the file keeps. */
export function timesMs({ metadata, columns }: ParquetTable): number[] {
  const element = metadata.schema.find(({ name }) => name === 'time')
  const unit = element?.logical_type?.type === 'TIMESTAMP' ? element.logical_type.unit : 'MILLIS'
  const perMs = unit === 'NANOS' ? 1_000_000n : unit === 'MICROS' ? 1000n : 1n
  return columns.time.map((value) => Number((value as bigint) / perMs))
}
