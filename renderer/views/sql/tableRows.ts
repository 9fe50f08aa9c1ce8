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

/** Returns the words of a text, each after a space. */
const spacedWords = (text: string): string =>
  ` ${normaliseForSearch(text)}`.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trimEnd()

/** Prepares the tables for a search by the words of their names and descriptions, and by those of their columns. */
export const searchedTables = ({ views }: SqlDictionary): SearchedTable[] =>
  views.map((table) => ({
    table,
    text: spacedWords(`${table.schema}.${table.name} ${table.description}`),
    columns: table.columns.map((column) => ({ column, text: spacedWords(`${column.name} ${column.label}`) })),
  }))

const isEmpty = ({ held }: SqlDictionaryTable): boolean => held?.count === 0

interface ShownTable {
  table: SqlDictionaryTable
  columns: readonly SqlDictionaryColumn[]
  /** True if the table is open unless the user closes it. */
  startsOpen: boolean
  /** Place among the tables of its schema; those of the same rank stay in order. */
  rank: number
}

/**
 * Lists the tables that a search finds, and of one with found columns, only these. The table of just this name comes
 * first, then those with data before the empty ones, and those that are found themselves before those of which columns
 * are. Words are found by their beginning, or, if nothing is, by any part.
 */
function found(tables: readonly SearchedTable[], search: string): ShownTable[] {
  const wanted = spacedWords(search)
  const words = wanted.match(/ [^ ]+/g) ?? []
  const byBeginning = foundBy(tables, words, wanted)
  if (byBeginning.length > 0) return byBeginning
  const parts = words.map((word) => word.slice(1))
  return foundBy(tables, parts, wanted)
}

function foundBy(tables: readonly SearchedTable[], words: readonly string[], wanted: string): ShownTable[] {
  const matches = (text: string) => words.every((word) => text.includes(word))
  return tables.flatMap(({ table, text, columns }): ShownTable[] => {
    const isNamed = matches(text)
    const hits = words.length === 0 ? [] : columns.filter((each) => matches(each.text)).map(({ column }) => column)
    if (!isNamed && hits.length === 0) return []
    const rank = wanted === spacedWords(table.name) ? -1 : (isEmpty(table) ? 2 : 0) + (isNamed ? 0 : 1)
    return [{ table, columns: hits.length > 0 ? hits : table.columns, startsOpen: hits.length > 0, rank }]
  })
}

const leastRank = (tables: readonly ShownTable[]): number => Math.min(...tables.map(({ rank }) => rank))

/**
 * Lists the rows of the tree. Schemas without any data start closed unless the user searches; then the schema with the
 * best table comes first.
 * @param toggled what the user opened and closed, by the key of the row
 */
export function treeRows(
  tables: readonly SearchedTable[],
  search: string,
  toggled: ReadonlyMap<string, boolean>,
): TreeRow[] {
  const isSearching = search.trim() !== ''
  const inOrder = [...Map.groupBy(found(tables, search), ({ table }) => table.schema)]
  const bySchema = isSearching ? inOrder.toSorted(([, a], [, b]) => leastRank(a) - leastRank(b)) : inOrder
  return bySchema.flatMap(([schema, shown], at): TreeRow[] => {
    const startsOpen = isSearching || shown.some(({ table }) => !isEmpty(table))
    const isOpen = toggled.get(schema) ?? startsOpen
    const sorted = isOpen ? shown.toSorted((a, b) => a.rank - b.rank) : []
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
