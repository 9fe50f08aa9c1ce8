import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Field,
  Float64,
  Int64,
  makeData,
  Message,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow'
import { cellOf, type Column, type Frame } from '#shared/contract/frame.ts'
import { type ResultUnit, dayNumber, microseconds, type ResultEncoder, storedKind, uniqueNames } from './resultFile.ts'
import type { ResultColumn } from './sqlTask.ts'

type ArrowColumn = ResultColumn & Partial<ResultUnit>

/** Collects the output of the Apache Arrow writer, so that a large file can be passed on part by part. */
class PieceWriter extends RecordBatchFileWriter {
  private pieces: Uint8Array[] = []
  private readonly isStream: boolean

  constructor(isStream: boolean) {
    super({ autoDestroy: false })
    this.isStream = isStream
  }

  /** Writes the schema at the start of a stream; a file has the schema in its footer. */
  protected override _writeSchema(schema: Schema): this {
    return this.isStream ? this._writeMessage(Message.from(schema)) : super._writeSchema(schema)
  }

  protected override _write(chunk: ArrayBufferView | ArrayBufferLike): this {
    if (!this._started) return this
    const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(chunk) ? chunk : new Uint8Array(chunk)
    this._position += byteLength
    if (byteLength > 0) this.pieces.push(new Uint8Array(buffer, byteOffset, byteLength))
    return this
  }

  takeBytes(): Uint8Array {
    const bytes = Buffer.concat(this.pieces)
    this.pieces = []
    return bytes
  }
}

/**
 * Writes a result as an Arrow IPC file or stream. The schema metadata has the provenance, the field metadata the type,
 * unit and warning of each column.
 */
export class ArrowResult implements ResultEncoder {
  private readonly columns: readonly ArrowColumn[]
  private readonly isStream: boolean
  private readonly writer: PieceWriter
  private schema = new Schema()

  constructor(columns: readonly ArrowColumn[], { isStream = false } = {}) {
    this.columns = columns
    this.isStream = isStream
    this.writer = new PieceWriter(isStream)
  }

  head(provenance: string): Uint8Array {
    const names = uniqueNames(this.columns)
    const fields = this.columns.map((column, at) => new Field(names[at], arrowType(column), true, metadataOf(column)))
    this.schema = new Schema(fields, new Map([['perpscope.provenance', provenance]]))
    this.writer.reset(undefined, this.schema)
    return this.writer.takeBytes()
  }

  rows(frame: Frame): Promise<Uint8Array> {
    const { fields } = this.schema
    const children = frame.columns.map((column, at) => arrowData(column, this.columns[at], frame.rows))
    const data = makeData({ type: new Struct(fields), length: frame.rows, nullCount: 0, children })
    this.writer.write(new RecordBatch(this.schema, data))
    return Promise.resolve(this.writer.takeBytes())
  }

  end(): Promise<Uint8Array> {
    this.writer.finish()
    const bytes = this.writer.takeBytes()
    return Promise.resolve(this.isStream ? bytes.subarray(0, END_OF_STREAM_BYTES) : bytes)
  }
}

/** Length of the marker at the end of the batches; in a file, the footer follows it. */
const END_OF_STREAM_BYTES = 8

const metadataOf = ({ type, unit = null, warning = null }: ArrowColumn): Map<string, string> =>
  new Map([
    ['perpscope.type', type],
    ...(unit === null ? [] : [['perpscope.unit', unit] as const]),
    ...(warning === null ? [] : [['perpscope.warning', warning] as const]),
  ])

function arrowType(column: ResultColumn): DataType {
  const kind = storedKind(column)
  if (kind === 'day') return new DateDay()
  if (kind === 'instant') return new TimestampMicrosecond('UTC')
  if (kind === 'boolean') return new Bool()
  if (kind === 'integer') return new Int64()
  return kind === 'double' ? new Float64() : new Utf8()
}

/** Converts the cells of a column to Arrow's layout: values, a validity bitmap, and offsets of texts. */
function arrowData(column: Column, resultColumn: ResultColumn, length: number): Data {
  const { bits: nullBitmap, count } = packBits(length, (row) => !column.valid || column.valid[row] !== 0)
  const common = { length, nullCount: length - count, nullBitmap }
  const numberAt = (row: number) => Number(cellOf(column, row) ?? 0)
  const longs = (longOf: (value: number) => bigint) => BigInt64Array.from({ length }, (_, row) => longOf(numberAt(row)))
  const kind = storedKind(resultColumn)
  if (kind === 'day')
    return makeData({
      type: new DateDay(),
      ...common,
      data: Int32Array.from({ length }, (_, row) => dayNumber(numberAt(row))),
    })
  if (kind === 'instant')
    return makeData({
      type: new TimestampMicrosecond('UTC'),
      ...common,
      data: longs(microseconds),
    })
  if (kind === 'integer') return makeData({ type: new Int64(), ...common, data: longs(BigInt) })
  if (kind === 'double')
    return makeData({ type: new Float64(), ...common, data: (column.values as Float64Array).slice(0, length) })
  if (kind === 'boolean') {
    const { bits } = packBits(length, (row) => cellOf(column, row) === 'true')
    return makeData({ type: new Bool(), ...common, data: bits })
  }
  return makeData({ type: new Utf8(), ...common, ...packTexts(column, length) })
}

/** Packs one bit per row, the first row in the lowest bit, and counts the bits that are set. */
function packBits(length: number, isSet: (row: number) => boolean): { bits: Uint8Array; count: number } {
  const bits = new Uint8Array(Math.ceil(length / 8))
  let count = 0
  for (let row = 0; row < length; row++) {
    if (!isSet(row)) continue
    bits[row >> 3] |= 1 << (row & 7)
    count += 1
  }
  return { bits, count }
}

function packTexts(column: Column, length: number): { valueOffsets: Int32Array; data: Uint8Array } {
  const encoded = column.kind === 'text' ? column.dictionary.map((text) => Buffer.from(text)) : []
  const valueOffsets = new Int32Array(length + 1)
  const pieces: Uint8Array[] = []
  for (let row = 0; row < length; row++) {
    const isPresent = !column.valid || column.valid[row] !== 0
    if (isPresent) pieces.push(encoded[column.values[row]])
    valueOffsets[row + 1] = valueOffsets[row] + (isPresent ? encoded[column.values[row]].byteLength : 0)
  }
  return { valueOffsets, data: Buffer.concat(pieces) }
}
