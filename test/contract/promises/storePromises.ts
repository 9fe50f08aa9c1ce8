import Sqlite from 'better-sqlite3'
import { sortedSet, type Promises } from './promises.ts'

interface Column {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

/** Lists tables, columns, indexes and version of an index database, as SQLite describes them. */
export function storePromises(indexPath: string): Promises {
  const database = new Sqlite(indexPath, { readonly: true })
  try {
    const all = <Row>(sql: string, ...values: unknown[]) => database.prepare(sql).all(...values) as Row[]
    const itemsOfType = (type: string) =>
      all<{ name: string; tbl_name: string; sql: string | null }>(
        "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite_%'",
        type,
      )
    const tables = itemsOfType('table')
    const columns = tables.flatMap(({ name }) =>
      all<Column>('SELECT * FROM pragma_table_xinfo(?)', name).map((column) => `${name}.${describe(column)}`),
    )
    // Versions increase in steps of ten, so that a folder of any earlier version can be opened.
    const versions = Math.floor(Number(database.pragma('user_version', { simple: true })) / 10)
    return {
      'database version': Array.from({ length: versions }, (_, step) => `user_version ${(step + 1) * 10}`),
      tables: sortedSet(tables.map(({ name, sql }) => `${name}${tableOptions(sql)}`)),
      'table columns': sortedSet(columns),
      indexes: sortedSet(itemsOfType('index').map(({ sql }) => oneLine(sql))),
      'triggers and views': sortedSet(
        [...itemsOfType('trigger'), ...itemsOfType('view')].map(({ sql }) => oneLine(sql)),
      ),
    }
  } finally {
    database.close()
  }
}

const describe = ({ name, type, notnull, dflt_value: byDefault, pk }: Column) =>
  [
    name,
    type,
    notnull ? 'NOT NULL' : '',
    byDefault === null ? '' : `DEFAULT ${byDefault}`,
    pk ? `PRIMARY KEY ${pk}` : '',
  ]
    .filter(Boolean)
    .join(' ')

const oneLine = (sql: string | null) => (sql ?? '').replace(/\s+/g, ' ').trim()

/** Returns the table options `WITHOUT ROWID` and `STRICT`, which follow the columns in the statement. */
const tableOptions = (sql: string | null) => {
  const options = oneLine(sql).replace(/^.*\)/, '').trim()
  return options && ` ${options}`
}
