import {
  DuckDBArrayValue,
  type DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { type Column, type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import type { ResultColumn } from '#core/sql/sqlTask.ts'
import { exactJson } from '#shared/units/exactJson.ts'

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
      this.columns.forEach((column, at) => appendCells(cells[at], chunk, at, { column, first, end }))
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
  { column, first, end }: { column: ResultColumn; first: number; end: number },
): void {
  const values = chunk.getColumnValues(at)
  for (let row = first; row < end; row++) cells.push(cellOf(values[row], column.kind))
}

function cellOf(value: DuckDBValue, kind: ResultColumn['kind']): Cell {
  if (value === null) return null
  if (kind === 'number') return Number(value)
  if (kind === 'time') return millisecondsOf(value)
  const nested = nestedOf(value)
  return nested === undefined ? (exactTimeText(value) ?? String(value)) : exactJson(nested)
}

/** Converts a list, struct or map to JSON values; undefined for any other value. */
function nestedOf(value: DuckDBValue): unknown {
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(jsonValueOf)
  if (value instanceof DuckDBMapValue)
    return value.entries.map((entry) => ({ key: jsonValueOf(entry.key), value: jsonValueOf(entry.value) }))
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([key, each]) => [key, jsonValueOf(each)]))
  return value instanceof DuckDBUnionValue ? jsonValueOf(value.value) : undefined
}

function jsonValueOf(value: DuckDBValue): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object' || value === null) return value
  return nestedOf(value) ?? exactTimeText(value) ?? String(value)
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
  const timeMs = value instanceof DuckDBTimestampNanosecondsValue ? Number(value.nanos) / 1e6 : millisecondsOf(value)
  if (timeMs === null) return null
  if (!isFiniteTime(value)) return timeMs > 0 ? 'infinity' : '-infinity'
  if (Math.abs(timeMs) > LAST_MS) return String(value)
  if (value instanceof DuckDBDateValue) return new Date(timeMs).toISOString().slice(0, -14)
  if (value instanceof DuckDBTimestampNanosecondsValue) return isoText(value.nanos, 1_000_000n)
  return isoText(microsOf(value) ?? BigInt(timeMs) * 1000n, 1000n)
}

const isFiniteTime = (value: DuckDBValue) =>
  typeof value !== 'object' || value === null || !('isFinite' in value) || value.isFinite

/** Formats a time in ISO 8601, given as a count of units since the epoch; `perMillisecond` units are a millisecond. */
function isoText(count: bigint, perMillisecond: bigint): string {
  const rest = ((count % perMillisecond) + perMillisecond) % perMillisecond
  const wholeMs = Number((count - rest) / perMillisecond)
  const digits = String(perMillisecond).length - 1
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${String(rest).padStart(digits, '0')}Z`
}
