import { sqlTokens } from '#shared/sql/sqlTokens.ts'
import type { QueryRefusal } from './sqlTask.ts'
import { findTable, OWN_SCHEMA, sqlSchemas } from './tableCatalog.ts'

/** A value in the tree written by DuckDB's `json_serialize_sql`. */
export type TreeValue = string | number | boolean | null | TreeNode | TreeValue[]
export interface TreeNode {
  [key: string]: TreeValue | undefined
}

export const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOf = (value: TreeValue | undefined): string => (typeof value === 'string' ? value : '')

export const nodesOf = (value: TreeValue | undefined): TreeNode[] => (Array.isArray(value) ? value.filter(isNode) : [])

/**
 * Calls the visitor with every node of a tree. It loops rather than recursing, because queries may be nested to any
 * depth.
 */
export function walkTree(root: TreeValue, visit: (node: TreeNode) => void): void {
  const unvisitedValues: TreeValue[] = [root]
  for (let value = unvisitedValues.pop(); value !== undefined; value = unvisitedValues.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (isNode(value)) visit(value)
    for (const child of Object.values(value)) if (child !== undefined) unvisitedValues.push(child)
  }
}

/** Table functions that read only their arguments and the definitions of the tables. */
const tableFunctions = new Set([
  'range',
  'generate_series',
  'unnest',
  'repeat',
  'repeat_row',
  'json_each',
  'json_tree',
  'duckdb_columns',
  'duckdb_functions',
  'duckdb_keywords',
  'duckdb_schemas',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
])

/** DuckDB's own tables that describe what can be queried. */
const systemTables = new Set([
  'duckdb_columns',
  'duckdb_schemas',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'information_schema.columns',
  'information_schema.schemata',
  'information_schema.tables',
])

/** Functions that access something outside the query, change the engine's state, run SQL passed as text, or wait. */
const refusedFunctions = new Set([
  'getenv',
  'getvariable',
  'current_setting',
  'query',
  'query_table',
  'json_execute_serialized_sql',
  'json_deserialize_sql',
  'json_serialize_plan',
  'write_log',
  'sleep_ms',
  'setseed',
  'nextval',
  'currval',
  'read_text',
  'read_blob',
  'read_csv',
  'read_csv_auto',
  'read_json',
  'read_json_auto',
  'read_ndjson',
  'read_ndjson_auto',
  'read_parquet',
  'parquet_scan',
  'glob',
  'enable_logging',
  'enable_profiling',
  'checkpoint',
  'force_checkpoint',
])

const queryNodes = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE'])

const fromTypes = new Set([
  'BASE_TABLE',
  'SUBQUERY',
  'JOIN',
  'TABLE_FUNCTION',
  'EXPRESSION_LIST',
  'EMPTY',
  'EMPTY_FROM',
  'PIVOT',
  'SHOW_REF',
])

/** Matches the names, without a schema, of DuckDB's own views, which show the engine's settings and files. */
const systemNamePattern = /^(?:pg|duckdb|sqlite|pragma)_/i
const fileNamePattern = /[./\\*?:[\]{}]/
/** Matches names that become a file's name with the schema before them, because DuckDB reads `metrics.csv` as a file. */
const fileExtensionPattern =
  /^(?:parquet|csv|tsv|txt|json|jsonl|ndjson|geojson|gz|zst|xlsx|avro|arrow|arrows|ipc|db|ddb|duckdb)$/i

/** The common table expressions that a part of a statement sees, innermost first. */
interface CteScope {
  name: string
  /** True within a recursive expression, which may read all of its rows so far as `recurring.name`. */
  isRecurring: boolean
  outer: CteScope | null
}

/** Lower-cases as DuckDB does: other letters differ from their capitals, so they are other names. */
const lowerAscii = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

function isVisible(scope: CteScope | null, name: string, isRecurring = false): boolean {
  for (let each = scope; each; each = each.outer)
    if (each.name === lowerAscii(name) && (each.isRecurring || !isRecurring)) return true
  return false
}

/**
 * Calls the visitor with every node of a statement and the common table expressions that are visible there: an
 * expression is visible to those after it in the same list and to the query of the list, and to itself only if it is
 * recursive.
 */
function walkScopes(statement: TreeNode, visit: (node: TreeNode, scope: CteScope | null) => void): void {
  const unvisited: { value: TreeValue; scope: CteScope | null }[] = [{ value: statement, scope: null }]
  for (let next = unvisited.pop(); next; next = unvisited.pop()) {
    const { value } = next
    let { scope } = next
    if (typeof value !== 'object' || value === null) continue
    if (!isNode(value)) {
      for (const each of value) unvisited.push({ value: each, scope })
      continue
    }
    const { cte_map: ctes, ...others } = value
    for (const { key, ...cte } of isNode(ctes) ? nodesOf(ctes.map) : []) {
      unvisited.push({ value: cte, scope })
      scope = { name: lowerAscii(textOf(key)), isRecurring: false, outer: scope }
    }
    visit(value, scope)
    for (const [key, child] of Object.entries(others)) {
      if (child === undefined) continue
      const isRecurring = value.type === 'RECURSIVE_CTE_NODE' && key === 'right'
      const own = isRecurring ? { name: lowerAscii(textOf(value.cte_name)), isRecurring, outer: scope } : scope
      unvisited.push({ value: child, scope: own })
    }
  }
}

/**
 * Finds anything in a parsed statement that must not run.
 * @returns null for a harmless statement
 */
export function refusalOf(statement: TreeNode): QueryRefusal | null {
  let refusal: QueryRefusal | null = null
  let nodes = 0
  walkScopes(statement, (node, scope) => {
    if (isQueryPart(node)) nodes++
    refusal ??= refusalOfNode(node, scope)
  })
  return nodes > MOST_NODES ? { reason: 'size', name: 'nodes' } : refusal
}

/** Maximum number of expressions, tables and queries in a statement. */
const MOST_NODES = 10_000

const isQueryPart = ({ class: kind, type }: TreeNode): boolean =>
  typeof kind === 'string' || (typeof type === 'string' && (fromTypes.has(type) || queryNodes.has(type)))

function refusalOfNode(node: TreeNode, scope: CteScope | null): QueryRefusal | null {
  const type = textOf(node.type)
  if (type.endsWith('_NODE') && !queryNodes.has(type)) return { reason: 'statement', name: statementOfNode(type) }
  for (const key of ['from_table', 'source'] as const) {
    const from = node[key]
    if (isNode(from) && typeof from.type === 'string' && !fromTypes.has(from.type))
      return { reason: 'statement', name: from.type }
  }
  if (type === 'JOIN' && 'join_type' in node) {
    for (const side of [node.left, node.right])
      if (isNode(side) && !fromTypes.has(textOf(side.type))) return { reason: 'statement', name: textOf(side.type) }
  }
  if (type === 'BASE_TABLE') return refusalOfTable(node, scope)
  if (type === 'TABLE_FUNCTION' && isNode(node.function)) return refusalOfTableFunction(node.function)
  if (node.class === 'FUNCTION' || node.class === 'WINDOW') {
    const name = textOf(node.function_name)
    if (refusedFunctions.has(name.toLowerCase())) return { reason: 'function', name }
  }
  return null
}

const statementOfNode = (type: string) => type.replace(/_NODE$/, '').replace(/_QUERY$/, '')

function refusalOfTableFunction(call: TreeNode): QueryRefusal | null {
  const name = textOf(call.function_name)
  const schema = textOf(call.schema).toLowerCase()
  const isKnown = tableFunctions.has(name.toLowerCase()) && ['', 'main'].includes(schema)
  return isKnown ? null : { reason: 'table-function', name: name || textOf(call.type) }
}

function refusalOfTable(node: TreeNode, scope: CteScope | null): QueryRefusal | null {
  const name = textOf(node.table_name)
  const schema = textOf(node.schema_name).toLowerCase()
  const catalog = textOf(node.catalog_name).toLowerCase()
  const fullName = [catalog, schema, name].filter((part) => part !== '').join('.')
  if (catalog !== '' && catalog !== 'memory') return { reason: 'table', name: fullName }
  const isFileName = fileNamePattern.test(name) || fileExtensionPattern.test(name)
  if (catalog === '' && schema === '' && isVisible(scope, name)) return null
  if (catalog === '' && schema === 'recurring' && isVisible(scope, name, true)) return null
  if (schema === '' || schema === 'main') {
    if (systemTables.has(name.toLowerCase())) return null
    if (systemNamePattern.test(name)) return { reason: 'table', name }
    // An unknown name is an error that DuckDB explains best; only a file name is an attempt to read a file.
    const isFile = fileNamePattern.test(name) || (schema !== '' && isFileName)
    return isFile ? { reason: 'file', name: fullName } : null
  }
  const isKnown = findTable(schema, name) !== undefined || systemTables.has(`${schema}.${name.toLowerCase()}`)
  const isPossible = isKnown || sqlSchemas.includes(schema) || schema === OWN_SCHEMA
  return isPossible && !isFileName ? null : { reason: 'table', name: fullName }
}

/** Statements that only read, by their first word. */
const readingStatements = new Set('SELECT WITH VALUES FROM TABLE DESCRIBE SUMMARIZE SHOW'.split(' '))
const pivotStarts = new Set(['PIVOT', 'PIVOT_WIDER'])

/**
 * Says why a text that DuckDB cannot serialise as queries is refused: for its first statement that does more than read,
 * or for a PIVOT, which needs several statements; if every statement only reads, for the first one.
 */
export function refusalOfUnserialised(sql: string): QueryRefusal {
  const { names, hasPivot } = statementsOf(sql)
  const name = names.find(isWriting) ?? names.at(0) ?? ''
  const isPivot = hasPivot && (readingStatements.has(name) || pivotStarts.has(name))
  return isPivot ? { reason: 'pivot', name: 'PIVOT' } : { reason: 'statement', name }
}

/** Says why a text is refused as it stands, without parsing it: for its first statement that does more than read. */
export function refusalOfWriting(sql: string): QueryRefusal | null {
  const name = statementsOf(sql).names.find(isWriting)
  return refusalOfText(sql) ?? (name === undefined ? null : { reason: 'statement', name })
}

const isWriting = (name: string): boolean => !readingStatements.has(name) && !pivotStarts.has(name)

/** Names the statements of a text, and tells whether one is a PIVOT. */
function statementsOf(sql: string): { names: string[]; hasPivot: boolean } {
  const names: string[] = []
  let isStart = true
  let hasPivot = false
  for (const { kind, text, start } of sqlTokens(sql)) {
    if (kind === 'space' || kind === 'comment') continue
    if ((kind === 'name' || kind === 'keyword') && pivotStarts.has(text.toUpperCase())) hasPivot = true
    const isEnd = kind === 'sign' && text === ';'
    if (isStart && !isEnd && text !== '(') names.push(statementName(sql.slice(start, start + 100)))
    isStart = isEnd || (isStart && text === '(')
  }
  return { names, hasPivot }
}

/**
 * Names a statement by its first word in capitals, or by its first characters if it does not begin with a word.
 */
const statementName = (sql: string): string => (/^[\p{L}_]+/u.exec(sql)?.[0] ?? sql.slice(0, 20)).toUpperCase()

const MOST_BYTES = 100_000

/** Characters of operators in DuckDB's grammar. */
const operatorRunPattern = /[~!@#^&|`?+\-*/%<>=]{20,}/g
/**
 * Largest cost of all runs of operator characters in a text, which takes DuckDB's parser a fifth of a second. It reads a run that
 * has a sign or the start of a comment again from each of its characters, which takes the third power of the length.
 */
const MOST_RUN_COST = 2e8

/** Refuses a text that would take long to parse; comments and strings are not told apart here, so that none is missed. */
export function refusalOfText(sql: string): QueryRefusal | null {
  if (Buffer.byteLength(sql) > MOST_BYTES) return { reason: 'size', name: 'bytes' }
  // DuckDB ends a text at a NUL character, so the text that it runs would differ from the text that was checked.
  if (sql.includes('\0') || !sql.isWellFormed()) return { reason: 'text', name: '' }
  const costs = Array.from(sql.matchAll(operatorRunPattern), ([run]) =>
    /[+-]|\/\*/.test(run) && !/^-+$/.test(run) ? run.length ** 3 : 0,
  )
  return costs.reduce((sum, cost) => sum + cost, 0) > MOST_RUN_COST ? { reason: 'size', name: 'operators' } : null
}
