import { parquetWriteBuffer } from 'hyparquet-writer'
import { numberCells } from './negativeZero.ts'

/** Columns of numbers by time, the form in which computed series are stored. */
export interface TimeTable {
  /** Milliseconds since the epoch, ascending and unique. */
  times: readonly number[]
  columns: { name: string; values: readonly (number | null)[] }[]
}

/** Writes a table as Parquet, with its provenance in the metadata. */
export function timeTableParquet({ times, columns }: TimeTable, provenance = ''): Uint8Array {
  const buffer = parquetWriteBuffer({
    ...(provenance && { kvMetadata: [{ key: 'perpscope.provenance', value: provenance }] }),
    columnData: [
      { name: 'time', data: BigInt64Array.from(times, BigInt), type: 'INT64', nullable: false },
      ...columns.map(({ name, values }) => ({
        ...numberCells(name, [...values]),
        type: 'DOUBLE' as const,
        nullable: true,
      })),
    ],
  })
  return new Uint8Array(buffer)
}
