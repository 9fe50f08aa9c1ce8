import {
  BIGINT,
  BOOLEAN,
  DATE,
  dateValue,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  TIMESTAMP,
  timestampValue,
  VARCHAR,
} from '@duckdb/node-api'
import { cellOf, type Column } from '#shared/contract/frame.ts'
import type { HandedTable } from '#core/sql/sqlTask.ts'
import type { SqlColumn, SqlType } from '#core/sql/tableCatalog.ts'

const types: Readonly<Record<SqlType, DuckDBType>> = {
  VARCHAR,
  JSON: VARCHAR,
  DOUBLE,
  BIGINT,
  BOOLEAN,
  TIMESTAMP,
  DATE,
}
const ROWS_PER_CHUNK = 2048
const DAY_MS = 86_400_000

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Creates a table of the app in the engine and fills it. */
export async function handOver(
  connection: DuckDBConnection,
  { schema, name, columns, frame }: HandedTable,
): Promise<void> {
  const list = columns.map((column) => `${quotedName(column.name)} ${column.type === 'JSON' ? 'VARCHAR' : column.type}`)
  await connection.run(`CREATE TABLE ${quotedName(schema)}.${quotedName(name)} (${list.join(', ')})`)
  const appender = await connection.createAppender(name, schema)
  for (let from = 0; from < frame.rows; from += ROWS_PER_CHUNK) {
    const rows = Math.min(ROWS_PER_CHUNK, frame.rows - from)
    const chunk = DuckDBDataChunk.create(
      columns.map(({ type }) => types[type]),
      rows,
    )
    columns.forEach((column, at) => chunk.setColumnValues(at, cellsOf(column, frame.columns[at], from, rows)))
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
}

function cellsOf({ type }: SqlColumn, column: Column, from: number, rows: number): DuckDBValue[] {
  return Array.from({ length: rows }, (_, row) => {
    const cell = cellOf(column, from + row)
    return cell === null ? null : valueOf(cell, type)
  })
}

function valueOf(cell: number | string, type: SqlType): DuckDBValue {
  if (type === 'TIMESTAMP') return timestampValue(BigInt(Math.round(Number(cell) * 1000)))
  if (type === 'DATE') return dateValue(Math.floor(Number(cell) / DAY_MS))
  if (type === 'BIGINT') return BigInt(cell)
  return type === 'BOOLEAN' ? cell === 1 : cell
}
