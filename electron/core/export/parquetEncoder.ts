import type { Column, Frame, NumberColumn } from '#shared/contract/frame.ts'
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { numberCells } from '#core/parquet/negativeZero.ts'
import { createZstdWriter } from '#core/parquet/zstdWriter.ts'
import type { ExportColumn, RowEncoder } from './exportTask.ts'

const ROWS_PER_GROUP = 120_000

/**
 * Encodes rows as Parquet: times as UTC timestamps (milliseconds, or microseconds for events), numbers as doubles,
 * texts unchanged.
 */
export class ParquetEncoder implements RowEncoder {
  private readonly columns: readonly ExportColumn[]
  private readonly perMs: number
  private readonly bytes: ByteWriter
  private readonly writer: ParquetWriter

  constructor(columns: readonly ExportColumn[], isEvents: boolean) {
    this.columns = columns
    this.perMs = isEvents ? 1000 : 1
    const timestamp = {
      type: 'INT64',
      converted_type: isEvents ? 'TIMESTAMP_MICROS' : 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: isEvents ? 'MICROS' : 'MILLIS' },
    } as const
    const types = {
      number: { type: 'DOUBLE' },
      time: timestamp,
      text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    } as const
    const { bytes, writer } = createZstdWriter([
      { name: 'time', repetition_type: 'REQUIRED', ...timestamp },
      ...columns.map(({ label, kind }) => ({ name: label, repetition_type: 'OPTIONAL', ...types[kind] }) as const),
    ])
    this.bytes = bytes
    this.writer = writer
  }

  head(): Uint8Array {
    return this.takeBytes()
  }

  async rows({ rows, columns: [time, ...columns] }: Frame): Promise<Uint8Array[]> {
    if (rows === 0) return []
    const times = BigInt64Array.from({ length: rows }, (_, row) => this.toUnits(time.values[row]))
    await this.writer.write({
      columnData: [
        { name: 'time', data: times },
        ...this.columns.map(({ label, kind }, index) => {
          const column = columns[index]
          if (kind === 'number' && column.kind === 'number') return numberCells(label, numbersOf(column, rows))
          return { name: label, data: this.cells(kind, column, rows) }
        }),
      ],
      rowGroupSize: ROWS_PER_GROUP,
    })
    return [this.takeBytes()]
  }

  async end(provenance: string): Promise<Uint8Array> {
    this.writer.kvMetadata = [{ key: 'perpscope.provenance', value: provenance }]
    await this.writer.finish()
    return this.takeBytes()
  }

  private toUnits(timeMs: number): bigint {
    return BigInt(Math.round(timeMs * this.perMs))
  }

  /** Copies the bytes encoded so far, and empties the buffer. */
  private takeBytes(): Uint8Array {
    const encoded = new Uint8Array(this.bytes.buffer, 0, this.bytes.index).slice()
    this.bytes.index = 0
    return encoded
  }

  private cells(kind: ExportColumn['kind'], column: Column, rows: number): unknown[] {
    // If the column has another type in a source file, its values become missing, and a warning says so.
    if (column.kind !== kind) return Array.from({ length: rows }, () => null)
    return Array.from({ length: rows }, (_, row) => {
      if (column.valid && !column.valid[row]) return null
      const value = column.values[row]
      if (column.kind === 'text') return column.dictionary[value]
      return column.kind === 'time' ? this.toUnits(value) : value
    })
  }
}

function numbersOf({ values, valid }: NumberColumn, rows: number): Float64Array | (number | null)[] {
  if (!valid) return values
  return Array.from({ length: rows }, (_, row) => (valid[row] ? values[row] : null))
}
