import {
  DuckDBArrayType,
  DuckDBArrayValue,
  DuckDBBlobValue,
  type DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBGeometryValue,
  DuckDBListType,
  DuckDBListValue,
  DuckDBMapType,
  DuckDBMapValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
} from '@duckdb/node-api'
import { type Column, type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import type { ResultColumn } from '#core/sql/sqlTask.ts'
import { isNestedType, parseResultType, type ResultType } from '#shared/sql/resultType.ts'
import { exactNumber } from '#shared/units/numbers.ts'

const plainNumberTypes: ReadonlySet<number> = new Set([
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
])
const longNumberTypes: ReadonlySet<number> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
])

const DAY_MS = 86_400_000
/** Largest time in milliseconds that a JavaScript date can represent. */
const LAST_MS = 8.64e15
/** Time in milliseconds up to which a number can represent every microsecond (year 2109). */
const LAST_EXACT_MS = 2 ** 42

/** Chunks of rows of a result, in memory or spilled to the engine's folder. */
export interface ChunkSource {
  rowCount: number
  chunkCount: number
  getChunk(index: number): DuckDBDataChunk
  columnNames(): readonly string[]
  columnTypeId(index: number): DuckDBTypeId
  columnType(index: number): DuckDBType
}

/** Reads ranges of rows from a result. */
export class ResultReader {
  readonly columns: ResultColumn[]
  readonly rows: number
  private readonly typedColumns: TypedColumn[]
  private readonly result: ChunkSource
  private readonly typeIds: number[]
  /** Number of the first row of each chunk read so far. */
  private readonly firstRows = [0]

  constructor(result: ChunkSource, rows: number) {
    this.result = result
    this.rows = rows
    const names = result.columnNames()
    this.typeIds = names.map((_, index) => result.columnTypeId(index))
    const kinds = this.kindsOf()
    this.columns = names.map((name, index) => ({
      name,
      type: String(result.columnType(index)),
      kind: kinds[index],
    }))
    this.typedColumns = this.columns.map((column) => ({
      ...column,
      isNested: isNestedType(column.type),
      shape: parseResultType(column.type),
    }))
  }

  /** Reads at most `count` rows, starting at `from`. */
  frame(from: number, count: number): Frame {
    const to = Math.min(this.rows, from + count)
    const cells: Cell[][] = this.columns.map(() => [])
    for (
      let index = this.chunkAt(from);
      index < this.result.chunkCount && (this.firstRows[index] ?? Infinity) < to;
      index++
    ) {
      const chunk = this.result.getChunk(index)
      const start = this.firstRows[index]
      this.firstRows[index + 1] = start + chunk.rowCount
      const first = Math.max(0, from - start)
      const end = Math.min(chunk.rowCount, to - start)
      this.typedColumns.forEach((column, at) => appendCells(cells[at], chunk, at, { column, first, end }))
    }
    const rows = Math.max(0, to - from)
    return { rows, columns: this.columns.map(({ name, kind }, at) => columnOf(name, kind, cells[at])) }
  }

  private chunkAt(row: number): number {
    let index = this.firstRows.findLastIndex((start) => start <= row)
    while (index < this.result.chunkCount - 1) {
      const next = this.firstRows[index + 1] ?? this.firstRows[index] + this.result.getChunk(index).rowCount
      this.firstRows[index + 1] = next
      if (next > row) break
      index++
    }
    return index
  }

  /**
   * Determines the kind of each column. A column of long integers or of times becomes text if JavaScript cannot
   * represent one of its values exactly.
   */
  private kindsOf(): ResultColumn['kind'][] {
    const kinds = this.typeIds.map((id): ResultColumn['kind'] => {
      if (plainNumberTypes.has(id) || longNumberTypes.has(id)) return 'number'
      return isTime(id) ? 'time' : 'text'
    })
    const columnsToCheck = [...this.typeIds.keys()].filter(
      (at) => longNumberTypes.has(this.typeIds[at]) || isTime(this.typeIds[at]),
    )
    if (columnsToCheck.length === 0) return kinds
    for (let index = 0, row = 0; index < this.result.chunkCount && row < this.rows; index++) {
      const chunk = this.result.getChunk(index)
      row += chunk.rowCount
      for (const at of columnsToCheck)
        if (kinds[at] !== 'text' && !chunk.getColumnValues(at).every((value) => isRepresentable(value)))
          kinds[at] = 'text'
    }
    return kinds
  }
}

type Cell = number | string | null

interface TypedColumn extends ResultColumn {
  isNested: boolean
  shape: ResultType
}

const isTime = (id: number) =>
  id === DuckDBTypeId.TIMESTAMP ||
  id === DuckDBTypeId.TIMESTAMP_MS ||
  id === DuckDBTypeId.TIMESTAMP_S ||
  id === DuckDBTypeId.TIMESTAMP_TZ ||
  id === DuckDBTypeId.DATE

const isRepresentable = (value: DuckDBValue) =>
  typeof value === 'bigint' ? Number.isSafeInteger(Number(value)) : isExactInMilliseconds(value)

function appendCells(
  cells: Cell[],
  chunk: DuckDBDataChunk,
  at: number,
  { column, first, end }: { column: TypedColumn; first: number; end: number },
): void {
  const { type } = chunk.getColumnVector(at)
  if (column.isNested) numberFields(type)
  const values = chunk.getColumnValues(at)
  for (let row = first; row < end; row++) cells.push(cellOf(values[row], column))
}

/**
 * Renames the fields of structs in a type to their positions. The binding keeps a struct in an object, in which fields
 * without a name, or with the name `__proto__`, would be lost.
 */
function numberFields(type: DuckDBType): void {
  if (type instanceof DuckDBStructType) {
    const names = type.entryNames as string[]
    names.forEach((_, at) => (names[at] = String(at)))
    type.entryTypes.forEach(numberFields)
  }
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) numberFields(type.valueType)
  if (type instanceof DuckDBMapType) [type.keyType, type.valueType].forEach(numberFields)
  if (type instanceof DuckDBUnionType) type.memberTypes.forEach(numberFields)
}

function cellOf(value: DuckDBValue, { kind, isNested, shape }: TypedColumn): Cell {
  if (value === null) return null
  if (kind === 'number') return Number(value)
  if (kind === 'time') return millisecondsOf(value)
  return isNested ? jsonText(value, shape) : plainText(value)
}

/** Formats a value as JSON, exactly: what JSON cannot say becomes a string, a tuple an array. */
function jsonText(value: DuckDBValue, type: ResultType): string {
  if (value === null) return 'null'
  if (value instanceof DuckDBVariantValue) return variantText(value)
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    const items = 'items' in type ? type.items : type
    return `[${value.items.map((item) => jsonText(item, items)).join(',')}]`
  }
  if (value instanceof DuckDBMapValue && 'key' in type) {
    const entries = value.entries.map(
      (entry) => `{"key":${jsonText(entry.key, type.key)},"value":${jsonText(entry.value, type.value)}}`,
    )
    return `[${entries.join(',')}]`
  }
  if (value instanceof DuckDBUnionValue && 'fields' in type) {
    const member = type.fields.find(({ name }) => name === value.tag)
    return `{${JSON.stringify(value.tag)}:${jsonText(value.value, member?.type ?? { name: 'VARCHAR' })}}`
  }
  if (value instanceof DuckDBStructValue && 'fields' in type) {
    const texts = type.fields.map((field, at) => jsonText(value.entries[at] ?? null, field.type))
    if ('isTuple' in type && type.isTuple) return `[${texts.join(',')}]`
    return `{${texts.map((text, at) => `${JSON.stringify(type.fields[at].name)}:${text}`).join(',')}}`
  }
  return plainJsonText(value, type.name)
}

/** Formats a value of the type VARIANT, which says only with each value of which type it is. */
function variantText({ value }: DuckDBVariantValue): string {
  return textOf(value)

  function textOf(each: DuckDBValue): string {
    if (each === null) return 'null'
    if (each instanceof DuckDBVariantValue) return textOf(each.value)
    if (each instanceof DuckDBListValue) return `[${each.items.map(textOf).join(',')}]`
    if (each instanceof DuckDBStructValue)
      return `{${Object.entries(each.entries)
        .map(([name, inner]) => `${JSON.stringify(name)}:${textOf(inner)}`)
        .join(',')}}`
    return plainJsonText(each, '')
  }
}

function plainJsonText(value: DuckDBValue, typeName: string): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? exactNumber(value) : `"${value}"`
  if (typeof value === 'bigint' && typeName !== 'BIGNUM' && Number.isSafeInteger(Number(value))) return String(value)
  return JSON.stringify(plainText(value))
}

/** Formats a value that is neither a number nor nested. */
function plainText(value: DuckDBValue): string {
  if (value instanceof DuckDBBlobValue || value instanceof DuckDBGeometryValue) return blobText(value.bytes)
  return exactTimeText(value) ?? String(value)
}

/** Formats bytes as DuckDB does; the binding leaves the backslash as it is, so that two values would look alike. */
const blobText = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x27 && byte !== 0x5c
    text += isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

function columnOf(name: string, kind: ResultColumn['kind'], cells: Cell[]): Column {
  if (kind === 'text') return textColumn(name, cells as (string | null)[])
  return kind === 'time' ? timeColumn(name, cells as (number | null)[]) : numberColumn(name, cells as (number | null)[])
}

const microsOf = (value: DuckDBValue): bigint | null =>
  value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue ? value.micros : null

/** Converts a time to milliseconds, with microseconds as a fraction; null for anything else. */
function millisecondsOf(value: DuckDBValue): number | null {
  const micros = microsOf(value)
  if (micros !== null) return Number(micros) / 1000
  if (value instanceof DuckDBTimestampMillisecondsValue) return Number(value.millis)
  if (value instanceof DuckDBTimestampSecondsValue) return Number(value.seconds) * 1000
  return value instanceof DuckDBDateValue ? value.days * DAY_MS : null
}

/** Tells whether a time can be read as milliseconds without losing its microseconds; true for anything else. */
function isExactInMilliseconds(value: DuckDBValue): boolean {
  const timeMs = millisecondsOf(value)
  if (timeMs === null || Math.abs(timeMs) <= LAST_EXACT_MS) return true
  if (Math.abs(timeMs) > LAST_MS) return false
  const micros = microsOf(value)
  return micros === null || micros % 1000n === 0n
}

/** Formats a time in ISO 8601 with all its digits, a date as a day; null for anything else. */
function exactTimeText(value: DuckDBValue): string | null {
  if (value instanceof DuckDBTimestampNanosecondsValue)
    return value.isFinite ? isoText(value.nanos, 1_000_000_000n) : infinityText(value.nanos)
  if (value instanceof DuckDBDateValue) return value.isFinite ? dayText(value.days) : infinityText(value.days)
  if (value instanceof DuckDBTimestampMillisecondsValue)
    return value.isFinite ? isoText(value.millis * 1000n, MICROS) : infinityText(value.millis)
  if (value instanceof DuckDBTimestampSecondsValue)
    return value.isFinite ? isoText(value.seconds * MICROS, MICROS) : infinityText(value.seconds)
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue)
    return value.isFinite ? isoText(value.micros, MICROS) : infinityText(value.micros)
  return null
}

const MICROS = 1_000_000n
const SECONDS_PER_DAY = 86_400n

const infinityText = (count: number | bigint) => (count > 0 ? 'infinity' : '-infinity')

/** Formats a time in ISO 8601, given as a count of units since the epoch. */
function isoText(count: bigint, perSecond: bigint): string {
  const rest = ((count % perSecond) + perSecond) % perSecond
  const seconds = (count - rest) / perSecond
  const second = ((seconds % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY
  const days = Number((seconds - second) / SECONDS_PER_DAY)
  const clock = new Date(Number(second) * 1000).toISOString().slice(11, 19)
  return `${dayText(days)}T${clock}.${String(rest).padStart(String(perSecond).length - 1, '0')}Z`
}

/** Days of 400 years, after which the Gregorian calendar repeats. */
const CYCLE_DAYS = 146_097

/** Formats a day in ISO 8601, with a sign and at least six digits if the year does not have four. */
function dayText(days: number): string {
  const cycles = Math.floor(days / CYCLE_DAYS)
  const date = new Date((days - cycles * CYCLE_DAYS) * DAY_MS)
  const year = date.getUTCFullYear() + cycles * 400
  const yearText =
    year >= 0 && year <= 9999
      ? String(year).padStart(4, '0')
      : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`
  return `${yearText}-${date.toISOString().slice(5, 10)}`
}
