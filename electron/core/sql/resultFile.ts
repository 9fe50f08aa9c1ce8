import type { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { cellOf, type Column, type Frame } from '#shared/contract/frame.ts'
import type { ColumnKind } from '#shared/catalog/column.ts'
import { isFreeText, timeText } from '#shared/sql/resultText.ts'
import { csvCellOf, csvLine } from '#shared/units/csvCell.ts'
import { markdownLine } from '#shared/units/markdownCell.ts'
import { numberCells } from '#core/parquet/negativeZero.ts'
import { createZstdWriter } from '#core/parquet/zstdWriter.ts'
import { isIntegerType, isNestedType, isNumberType, parseResultType } from '#shared/sql/resultType.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import {
  columnKind,
  columnUnit,
  commonUnit,
  parseUnit,
  unitText,
  UNIT_UNKNOWN,
  type UnitFacts,
} from '#shared/units/measureUnits.ts'
import { hasFloats, parquetElements } from './parquetSchema.ts'
import { ANY_NAME } from './queryColumns.ts'
import type { CheckedQuery, ResultColumn, ResultLineage } from './sqlTask.ts'
import { type StoredType, storedTypeOf, storedValue } from './storedValues.ts'

export const resultFormats = ['csv', 'json', 'jsonl', 'parquet', 'arrow', 'markdown'] as const
export type ResultFormat = (typeof resultFormats)[number]

/** Encodes a result in parts, as text for text formats and as bytes for the others. */
export interface ResultEncoder {
  head(provenance: string): string | Uint8Array
  rows(frame: Frame): Promise<string | Uint8Array>
  end(provenance: string): Promise<string | Uint8Array>
}

export function createResultEncoder(
  format: Exclude<ResultFormat, 'arrow'>,
  columns: readonly ResultColumn[],
): ResultEncoder {
  if (format === 'parquet') return new ParquetResult(columns)
  if (format === 'markdown') return markdownResult(columns)
  return format === 'csv' ? csvResult(columns) : jsonResult(columns, format === 'jsonl')
}

function csvResult(columns: readonly ResultColumn[]): ResultEncoder {
  const cellFormatters = columns.map(({ type }) => csvCellOf(isFreeText(type) ? 'guarded' : 'exact'))
  return {
    head: () => csvLine(columns.map(({ name }) => name)),
    rows(frame) {
      const lines: string[] = []
      for (let row = 0; row < frame.rows; row++)
        lines.push(
          `${frame.columns.map((column, at) => cellFormatters[at](cellWithTimeText(column, columns[at], row))).join(',')}\n`,
        )
      return Promise.resolve(lines.join(''))
    },
    end: () => Promise.resolve(''),
  }
}

function cellWithTimeText(column: Column, resultColumn: ResultColumn, row: number): string | number | null {
  const cell = cellOf(column, row)
  return cell !== null && resultColumn.kind === 'time' ? timeText(resultColumn, Number(cell)) : cell
}

const plainText = (cell: string | number | null) => (typeof cell === 'number' ? exactNumber(cell) : (cell ?? ''))

/** Writes a Markdown table; vertical bars and line feeds are escaped because they would end a cell. */
function markdownResult(columns: readonly (ResultColumn & Partial<ResultUnit>)[]): ResultEncoder {
  const line = (cells: readonly string[]) => `${markdownLine(cells)}\n`
  const alignments = columns.map(({ type }) => (isNumberType(type) ? '---:' : '---'))
  const headingOf = ({ name, unit = null }: Partial<ResultUnit> & ResultColumn) =>
    unit === null || unit === 'none' ? name : `${name} (${unit})`
  return {
    head: () => `${line(columns.map(headingOf))}| ${alignments.join(' | ')} |\n`,
    rows(frame) {
      const rows = Array.from({ length: frame.rows }, (_, row) =>
        line(frame.columns.map((column, at) => plainText(cellWithTimeText(column, columns[at], row)))),
      )
      return Promise.resolve(rows.join(''))
    },
    end: () => Promise.resolve(''),
  }
}

/** Makes column names unique by adding a number to every name that occurred before. */
export function uniqueNames(columns: readonly ResultColumn[]): string[] {
  const takenNames = new Set<string>()
  return columns.map(({ name }) => {
    let uniqueName = name
    for (let number = 1; takenNames.has(uniqueName); number++) uniqueName = `${name}_${number}`
    takenNames.add(uniqueName)
    return uniqueName
  })
}

function jsonResult(columns: readonly ResultColumn[], isLines: boolean): ResultEncoder {
  const keys = uniqueNames(columns).map((name) => JSON.stringify(name))
  let writtenRows = 0
  const separator = () => (writtenRows++ === 0 ? '\n' : ',\n')
  return {
    head: () => (isLines ? '' : '['),
    rows(frame) {
      const pieces: string[] = []
      for (let row = 0; row < frame.rows; row++) {
        const fields = frame.columns.map((column, at) => `${keys[at]}:${jsonCell(column, columns[at], row)}`)
        pieces.push(isLines ? `{${fields.join(',')}}\n` : `${separator()}{${fields.join(',')}}`)
      }
      return Promise.resolve(pieces.join(''))
    },
    end: () => Promise.resolve(isLines ? '' : `${writtenRows > 0 ? '\n' : ''}]\n`),
  }
}

/**
 * Formats a cell as JSON: numbers that JSON cannot represent become strings, −0 keeps its sign, lists and structs keep
 * their form.
 */
export function jsonCell(column: Column, resultColumn: ResultColumn, row: number): string {
  const cell = cellOf(column, row)
  if (cell === null) return 'null'
  if (resultColumn.kind === 'time') return `"${timeText(resultColumn, Number(cell))}"`
  if (typeof cell === 'number') {
    if (!Number.isFinite(cell)) return `"${cell}"`
    return Object.is(cell, -0) ? '-0' : String(cell)
  }
  if (resultColumn.type === 'BOOLEAN' || isNestedType(resultColumn.type)) return cell
  // A safe integer is written as a number, whatever the other values of its column are.
  if (isIntegerType(resultColumn.type) && Number.isSafeInteger(Number(cell))) return String(Number(cell))
  return JSON.stringify(cell)
}

const ROWS_PER_GROUP = 120_000

class ParquetResult implements ResultEncoder {
  private readonly names: string[]
  private readonly types: StoredType[]
  private readonly bytes: ByteWriter
  private readonly writer: ParquetWriter

  constructor(columns: readonly ResultColumn[]) {
    this.names = uniqueNames(columns)
    this.types = columns.map(({ type }) => storedTypeOf(parseResultType(type)))
    const schema = this.types.map((type, at) => parquetElements(this.names[at], type))
    const { bytes, writer } = createZstdWriter(schema.flat(), {}, schema.length)
    this.bytes = bytes
    this.writer = writer
  }

  head(): Uint8Array {
    return this.takeBytes()
  }

  async rows(frame: Frame): Promise<Uint8Array> {
    if (frame.rows === 0) return new Uint8Array(0)
    await this.writer.write({
      columnData: frame.columns.map((column, at) => {
        const type = this.types[at]
        const data = Array.from({ length: frame.rows }, (_, row) => storedValue(cellOf(column, row), type))
        if (type.kind === 'double' || type.kind === 'float')
          return numberCells(this.names[at], data as (number | null)[])
        // A dictionary would lose the sign of −0.
        return { name: this.names[at], data, ...(hasFloats(type) && { encoding: 'PLAIN' as const }) }
      }),
      rowGroupSize: ROWS_PER_GROUP,
    })
    return this.takeBytes()
  }

  async end(provenance: string): Promise<Uint8Array> {
    this.writer.kvMetadata = [{ key: 'perpscope.provenance', value: provenance }]
    await this.writer.finish()
    return this.takeBytes()
  }

  private takeBytes(): Uint8Array {
    const encoded = new Uint8Array(this.bytes.buffer, 0, this.bytes.index).slice()
    this.bytes.index = 0
    return encoded
  }
}

export interface ResultUnit {
  /** Unit of the column; null if it is not documented. */
  unit: string | null
  /** Kind of quantity of the column; null if it is not documented or differs between the tables that are read. */
  quantity: ColumnKind | null
  /** Warning if the column mixes two units, or if it may count rows twice. */
  warning: string | null
}

/** A table that the query reads, and the venues whose files are read for it. */
export interface UnitSource {
  dataset: string
  exchanges: readonly string[]
  /** True if some rows are read from a served and from a computed file. */
  hasRowsTwice: boolean
  /** Columns with measured values; such a column without a unit has one that is not known. */
  measures: ReadonlySet<string>
  venues: UnitFacts
}

const UNKNOWN_UNIT: ResultUnit = { unit: null, quantity: null, warning: null }

/**
 * Finds the column that has the venue of each row; -1 if there is none, or if the query joins tables or gives the name
 * to something else.
 */
export const venueColumnOf = (
  { joinsTables, reassignedNames }: Pick<CheckedQuery, 'joinsTables' | 'reassignedNames'>,
  columns: readonly ResultColumn[],
): number =>
  joinsTables || reassignedNames.includes('exchange') || reassignedNames.includes(ANY_NAME)
    ? -1
    : columns.findIndex(({ name, kind }) => kind === 'text' && name.toLowerCase() === 'exchange')

/**
 * Determines the unit of each column of a result, as far as the query shows which columns it is computed from. A query
 * that does not name `origin` gets a warning if it reads a served and a computed row for the same time.
 */
export function resultUnits(
  checked: CheckedQuery,
  columns: readonly ResultColumn[],
  sources: readonly UnitSource[],
): ResultUnit[] {
  const units = documentedUnits(checked, columns, sources)
  const isOriginNamed = checked.columnNames?.includes('origin') ?? true
  const doubled = isOriginNamed ? undefined : sources.find(({ hasRowsTwice }) => hasRowsTwice)
  if (!doubled) return units
  const text = rowsTwice(doubled.dataset)
  return units.map((facts, at) => {
    const { warning } = facts
    return isNumberType(columns[at].type)
      ? { ...facts, warning: warning === null ? text : `${warning}; ${text}` }
      : facts
  })
}

const rowsTwice = (dataset: string) =>
  `metrics.${dataset} has served and computed rows for the same times; choose one with WHERE origin = 'service' or 'computed'`

function documentedUnits(
  { lineage, reassignedNames, isGroupedByExchange }: CheckedQuery,
  columns: readonly ResultColumn[],
  sources: readonly UnitSource[],
): ResultUnit[] {
  if (lineage.length !== columns.length || lineage.includes(null))
    return columns.map(({ name, type }) => {
      const isTableColumn =
        isNumberType(type) && !reassignedNames.includes(ANY_NAME) && !reassignedNames.includes(name.toLowerCase())
      return isTableColumn ? unitOf({ by: 'itself', columns: [name] }, sources, false) : UNKNOWN_UNIT
    })
  return columns.map(({ type }, at) => {
    const columnLineage = lineage[at]
    return columnLineage && isNumberType(type) ? unitOf(columnLineage, sources, isGroupedByExchange) : UNKNOWN_UNIT
  })
}

function unitOf(
  { by, columns }: ResultLineage,
  sources: readonly UnitSource[],
  isGroupedByExchange: boolean,
): ResultUnit {
  const unitLists = columns.map((column) => [
    ...new Set(
      sources.flatMap(({ dataset, exchanges, venues, measures }) =>
        exchanges.flatMap(
          (exchange) => columnUnit(dataset, column, exchange, venues) ?? (measures.has(column) ? UNIT_UNKNOWN : []),
        ),
      ),
    ),
  ])
  const mixedLists = unitLists.filter((units) => units.length > 1)
  if (mixedLists.length > 0 && by !== 'itself' && !isGroupedByExchange)
    return { ...UNKNOWN_UNIT, warning: unitText(commonUnit(mixedLists[0].map(parseUnit))) }
  // In a plain column, or in one aggregated by venue, each row has the unit of its venue, so the header names the
  // units of all venues.
  const units = by === 'expression' || unitLists.length !== 1 ? [] : unitLists[0]
  if (units.length === 0) return UNKNOWN_UNIT
  const kinds = new Set(sources.map(({ dataset, venues }) => columnKind(dataset, columns[0], venues)))
  kinds.delete(null)
  const [quantity = null] = kinds
  return { unit: units.join(' or '), quantity: kinds.size === 1 ? quantity : null, warning: null }
}
