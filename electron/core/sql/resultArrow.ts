import {
  Binary,
  Bool,
  BufferType,
  Data,
  type DataType,
  DateDay,
  Decimal,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  Int8,
  List,
  makeData,
  Map_,
  Message,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  TimeMicrosecond,
  TimeNanosecond,
  TimestampMicrosecond,
  TimestampNanosecond,
  Uint16,
  Uint32,
  Uint64,
  Uint8,
  Utf8,
} from 'apache-arrow'
import { cellOf, type Column, type Frame } from '#shared/contract/frame.ts'
import { parseResultType } from '#shared/sql/resultType.ts'
import { type ResultUnit, type ResultEncoder, uniqueNames } from './resultFile.ts'
import type { ResultColumn } from './sqlTask.ts'
import { type StoredType, storedTypeOf, type StoredValue, storedValue } from './storedValues.ts'

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
  private readonly types: StoredType[]
  private readonly isStream: boolean
  private readonly writer: PieceWriter
  private schema = new Schema()

  constructor(columns: readonly ArrowColumn[], { isStream = false } = {}) {
    this.columns = columns
    this.types = columns.map(({ type }) => storedTypeOf(parseResultType(type)))
    this.isStream = isStream
    this.writer = new PieceWriter(isStream)
  }

  head(provenance: string): Uint8Array {
    const names = uniqueNames(this.columns)
    const fields = this.columns.map(
      (column, at) => new Field(names[at], arrowType(this.types[at]), true, metadataOf(column)),
    )
    this.schema = new Schema(fields, new Map([['perpscope.provenance', provenance]]))
    this.writer.reset(undefined, this.schema)
    return this.writer.takeBytes()
  }

  rows(frame: Frame): Promise<Uint8Array> {
    const { fields } = this.schema
    const children = frame.columns.map((column, at) => columnData(column, this.types[at], frame.rows))
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

const integerTypes = { 8: [Int8, Uint8], 16: [Int16, Uint16], 32: [Int32, Uint32], 64: [Int64, Uint64] } as const
const DECIMAL_BITS = 128

function arrowType(type: StoredType): DataType {
  switch (type.kind) {
    case 'boolean':
      return new Bool()
    case 'integer':
      return new integerTypes[type.bits][type.isSigned ? 0 : 1]()
    case 'decimal':
      return new Decimal(type.scale, type.width, DECIMAL_BITS)
    case 'float':
      return new Float32()
    case 'double':
      return new Float64()
    case 'day':
      return new DateDay()
    case 'instant':
      return type.unit === 'nanos' ? new TimestampNanosecond('UTC') : new TimestampMicrosecond('UTC')
    case 'timeOfDay':
      return type.unit === 'nanos' ? new TimeNanosecond() : new TimeMicrosecond()
    case 'bytes':
      return new Binary()
    case 'text':
      return new Utf8()
    case 'list': {
      const items = new Field('item', arrowType(type.items), true)
      return type.length === null ? new List(items) : new FixedSizeList(type.length, items)
    }
    case 'struct':
      return new Struct(type.fields.map((field) => new Field(field.name, arrowType(field.type), true)))
    case 'map': {
      const fields = [new Field('key', arrowType(type.key), false), new Field('value', arrowType(type.value), true)]
      return new Map_(new Field('entries', new Struct<{ key: DataType; value: DataType }>(fields), false))
    }
  }
}

/** Converts a column to Arrow's layout. */
function columnData(column: Column, type: StoredType, length: number): Data {
  if (type.kind !== 'double') {
    const values = Array.from({ length }, (_, row) => storedValue(cellOf(column, row), type))
    return arrowData(values, type)
  }
  const { bits, count } = packBits(length, (row) => !column.valid || column.valid[row] !== 0)
  const buffers = { [BufferType.VALIDITY]: bits, [BufferType.DATA]: (column.values as Float64Array).slice(0, length) }
  return new Data(new Float64(), 0, length, length - count, buffers)
}

/** Converts values to Arrow's layout: a bitmap of those that are there, offsets of texts and lists, and the values. */
function arrowData(values: readonly StoredValue[], type: StoredType): Data {
  const { bits, count } = packBits(values.length, (row) => values[row] !== null)
  const { buffers = {}, children = [] } = layoutOf(values, type)
  const allBuffers = { [BufferType.VALIDITY]: bits, ...buffers }
  return new Data(arrowType(type), 0, values.length, values.length - count, allBuffers, children)
}

interface Layout {
  buffers?: Partial<Data['buffers']>
  children?: Data[]
}

function layoutOf(values: readonly StoredValue[], type: StoredType): Layout {
  switch (type.kind) {
    case 'text':
    case 'bytes': {
      const pieces = values.map((value) => (value === null ? EMPTY : Buffer.from(value as string | Uint8Array)))
      return { buffers: { [BufferType.OFFSET]: offsetsOf(pieces), [BufferType.DATA]: Buffer.concat(pieces) } }
    }
    case 'list': {
      const lists = values as readonly (StoredValue[] | null)[]
      const missing = new Array<StoredValue>(type.length ?? 0).fill(null)
      const children = [
        arrowData(
          lists.flatMap((list) => list ?? missing),
          type.items,
        ),
      ]
      return type.length === null ? { buffers: { [BufferType.OFFSET]: offsetsOf(lists) }, children } : { children }
    }
    case 'map': {
      const maps = values as readonly (StoredValue[] | null)[]
      const fields = [
        { name: 'key', type: type.key },
        { name: 'value', type: type.value },
      ]
      const entries = arrowData(
        maps.flatMap((map) => map ?? []),
        { kind: 'struct', fields },
      )
      return { buffers: { [BufferType.OFFSET]: offsetsOf(maps) }, children: [entries] }
    }
    case 'struct': {
      const structs = values as readonly (Record<string, StoredValue> | null)[]
      const partsOf = (name: string) => structs.map((struct) => struct && struct[name])
      return { children: type.fields.map(({ name, type: of }) => arrowData(partsOf(name), of)) }
    }
    case 'boolean':
      return { buffers: { [BufferType.DATA]: packBits(values.length, (row) => values[row] === true).bits } }
    case 'decimal':
      return { buffers: { [BufferType.DATA]: packDecimals(values as readonly (bigint | null)[]) } }
    default: {
      const { ArrayType } = arrowType(type)
      const packed = new ArrayType(values.length) as { [row: number]: StoredValue }
      values.forEach((value, row) => {
        if (value !== null) packed[row] = value
      })
      return { buffers: { [BufferType.DATA]: packed } }
    }
  }
}

const EMPTY = Buffer.alloc(0)

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

/** Returns where each part begins, and where the last one ends. */
function offsetsOf(parts: readonly ({ length: number } | null)[]): Int32Array {
  const offsets = new Int32Array(parts.length + 1)
  parts.forEach((part, at) => (offsets[at + 1] = offsets[at] + (part?.length ?? 0)))
  return offsets
}

/** Packs unscaled decimals into 128 bits each, the lowest word first. */
function packDecimals(values: readonly (bigint | null)[]): Uint32Array {
  const words = new BigUint64Array(values.length * 2)
  values.forEach((value, row) => {
    words[row * 2] = value ?? 0n
    words[row * 2 + 1] = (value ?? 0n) >> 64n
  })
  return new Uint32Array(words.buffer)
}
