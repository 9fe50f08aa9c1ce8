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
  INTEGER,
  TIMESTAMP,
  timestampValue,
  VARCHAR,
} from '@duckdb/node-api'
import type { Column, TextColumn } from '#shared/contract/frame.ts'
import type { AppTable } from '#core/sql/sqlTask.ts'
import type { SqlColumn, SqlType } from '#core/sql/tableCatalog.ts'
import { quoteText } from './openDatabase.ts'

const duckDbTypes: Readonly<Record<SqlType, DuckDBType>> = {
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

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * Minimum number of rows for which repeated texts are passed as numbers, which is much faster than passing each text.
 */
const LEAST_CODED_ROWS = 10_000
const MOST_CODED_TEXTS = LEAST_CODED_ROWS / 10

const isCoded = ({ values, dictionary }: TextColumn): boolean =>
  values.length >= LEAST_CODED_ROWS && dictionary.length <= MOST_CODED_TEXTS

/** Creates a table of the app in the engine and fills it. */
export async function loadAppTable(
  connection: DuckDBConnection,
  { schema, name, columns, frame }: AppTable,
): Promise<void> {
  const table = `${quoteName(schema)}.${quoteName(name)}`
  const codedColumns = frame.columns.filter((column) => column.kind === 'text').filter(isCoded)
  const codedNames = new Set(codedColumns.map((column) => column.name))
  const types = columns.map((column) => (codedNames.has(column.name) ? INTEGER : duckDbTypes[column.type]))
  const definitions = columns.map(
    (column, at) => `${quoteName(column.name)} ${column.type === 'JSON' ? 'JSON' : types[at]}`,
  )
  await connection.run(`CREATE TABLE ${table} (${definitions.join(', ')})`)
  const appender = await connection.createAppender(name, schema)
  for (let from = 0; from < frame.rows; from += ROWS_PER_CHUNK) {
    const rows = Math.min(ROWS_PER_CHUNK, frame.rows - from)
    const chunk = DuckDBDataChunk.create(types, rows)
    columns.forEach((column, at) => chunk.setColumnValues(at, cellsOf(column, frame.columns[at], from, rows)))
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
  for (const column of codedColumns) {
    const texts = column.dictionary.map(quoteText).join(', ')
    const code = quoteName(column.name)
    await connection.run(`ALTER TABLE ${table} ALTER ${code} TYPE VARCHAR USING ([${texts}]::VARCHAR[])[${code} + 1]`)
  }
}

function cellsOf({ type }: SqlColumn, column: Column, from: number, rows: number): DuckDBValue[] {
  const { values, valid } = column
  const valueAt = (at: number): DuckDBValue => {
    if (column.kind !== 'text') return valueOf(values[at], type)
    return isCoded(column) ? values[at] : column.dictionary[values[at]]
  }
  const cells = new Array<DuckDBValue>(rows)
  for (let row = 0; row < rows; row++) cells[row] = valid?.[from + row] === 0 ? null : valueAt(from + row)
  return cells
}

function valueOf(value: number, type: SqlType): DuckDBValue {
  if (type === 'TIMESTAMP') return timestampValue(BigInt(Math.round(value * 1000)))
  if (type === 'DATE') return dateValue(Math.floor(value / DAY_MS))
  if (type === 'BIGINT') return BigInt(value)
  return type === 'BOOLEAN' ? value === 1 : value
}
