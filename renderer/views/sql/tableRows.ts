import { normaliseForSearch } from '#shared/catalog/normaliseForSearch.ts'
import type { SqlDictionary, SqlDictionaryColumn, SqlDictionaryTable } from '#shared/contract/areas/sql.ts'

interface RowPlace {
  key: string
  name: string
  /** Place among its siblings, from 1, and their number. */
  place: number
  siblings: number
}

/** A row of the tree of tables that is in sight: a schema, a table of an open schema, or a column of an open table. */
export type TreeRow =
  | (RowPlace & { level: 1; isOpen: boolean; tables: number })
  | (RowPlace & { level: 2; isOpen: boolean; table: SqlDictionaryTable })
  | (RowPlace & { level: 3; column: SqlDictionaryColumn })

export interface SearchedTable {
  table: SqlDictionaryTable
  text: string
  columns: readonly { column: SqlDictionaryColumn; text: string }[]
}

/** Prepares the tables for a search by the words of their names and descriptions, and by those of their columns. */
export const searchedTables = ({ views }: SqlDictionary): SearchedTable[] =>
  views.map((table) => ({
    table,
    text: normaliseForSearch(`${table.schema}.${table.name} ${table.description}`),
    columns: table.columns.map((column) => ({ column, text: normaliseForSearch(`${column.name} ${column.label}`) })),
  }))

const isEmpty = ({ held }: SqlDictionaryTable): boolean => held?.count === 0

interface ShownTable {
  table: SqlDictionaryTable
  columns: readonly SqlDictionaryColumn[]
  /** True if the table is open unless the user closes it. */
  startsOpen: boolean
}

/** Lists the tables that a search finds; of one with found columns, only these. */
function found(tables: readonly SearchedTable[], search: string): ShownTable[] {
  const words = normaliseForSearch(search).split(/\s+/).filter(Boolean)
  const matches = (text: string) => words.every((word) => text.includes(word))
  if (words.length === 0) return tables.map(({ table }) => ({ table, columns: table.columns, startsOpen: false }))
  return tables.flatMap(({ table, text, columns }): ShownTable[] => {
    const hits = columns.filter((each) => matches(each.text)).map(({ column }) => column)
    if (hits.length > 0) return [{ table, columns: hits, startsOpen: true }]
    return matches(text) ? [{ table, columns: table.columns, startsOpen: false }] : []
  })
}

/**
 * Lists the rows of the tree. Tables with data come before the empty ones, and schemas without any start closed unless
 * the user searches.
 * @param toggled what the user opened and closed, by the key of the row
 */
export function treeRows(
  tables: readonly SearchedTable[],
  search: string,
  toggled: ReadonlyMap<string, boolean>,
): TreeRow[] {
  const bySchema = [...Map.groupBy(found(tables, search), ({ table }) => table.schema)]
  return bySchema.flatMap(([schema, shown], at): TreeRow[] => {
    const startsOpen = search.trim() !== '' || shown.some(({ table }) => !isEmpty(table))
    const isOpen = toggled.get(schema) ?? startsOpen
    const sorted = isOpen ? shown.toSorted((a, b) => Number(isEmpty(a.table)) - Number(isEmpty(b.table))) : []
    return [
      { level: 1, key: schema, name: schema, isOpen, tables: shown.length, place: at + 1, siblings: bySchema.length },
      ...sorted.flatMap((each, place) => tableRows(each, { place: place + 1, siblings: sorted.length }, toggled)),
    ]
  })
}

function tableRows(
  { table, columns, startsOpen }: ShownTable,
  place: { place: number; siblings: number },
  toggled: ReadonlyMap<string, boolean>,
): TreeRow[] {
  const key = `${table.schema}.${table.name}`
  const isOpen = toggled.get(key) ?? startsOpen
  return [
    { level: 2, key, name: table.name, isOpen, table, ...place },
    ...(isOpen ? columns : []).map((column, at) => ({
      ...{ level: 3 as const, key: `${key}.${column.name}`, name: column.name, column },
      ...{ place: at + 1, siblings: columns.length },
    })),
  ]
}
