import { sqlTokens } from '#shared/sql/sqlTokens.ts'
import type { QueryRefusal } from './sqlTask.ts'
import { findTable, sqlSchemas } from './tableCatalog.ts'

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

/** Collects the names of the common table expressions anywhere in a statement. */
function cteNamesIn(statement: TreeNode): Set<string> {
  const names = new Set<string>()
  walkTree(statement, (node) => {
    if (isNode(node.cte_map)) for (const { key } of nodesOf(node.cte_map.map)) names.add(textOf(key).toLowerCase())
    if (node.type === 'RECURSIVE_CTE_NODE') names.add(textOf(node.cte_name).toLowerCase())
  })
  return names
}

/**
 * Finds anything in a parsed statement that must not run.
 * @returns null for a harmless statement
 */
export function refusalOf(statement: TreeNode): QueryRefusal | null {
  const cteNames = cteNamesIn(statement)
  let refusal: QueryRefusal | null = null
  walkTree(statement, (node) => {
    refusal ??= refusalOfNode(node, cteNames)
  })
  return refusal
}

function refusalOfNode(node: TreeNode, cteNames: ReadonlySet<string>): QueryRefusal | null {
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
  if (type === 'BASE_TABLE') return refusalOfTable(node, cteNames)
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

function refusalOfTable(node: TreeNode, cteNames: ReadonlySet<string>): QueryRefusal | null {
  const name = textOf(node.table_name)
  const schema = textOf(node.schema_name).toLowerCase()
  const catalog = textOf(node.catalog_name).toLowerCase()
  const fullName = [catalog, schema, name].filter((part) => part !== '').join('.')
  if (catalog !== '' && catalog !== 'memory') return { reason: 'table', name: fullName }
  if (schema === '' || schema === 'main') {
    if (cteNames.has(name.toLowerCase()) || systemTables.has(name.toLowerCase())) return null
    if (systemNamePattern.test(name)) return { reason: 'table', name }
    // An unknown name is an error that DuckDB explains best; only a file name is an attempt to read a file.
    return fileNamePattern.test(name) ? { reason: 'file', name } : null
  }
  if (findTable(schema, name) || systemTables.has(`${schema}.${name.toLowerCase()}`)) return null
  return sqlSchemas.includes(schema) && !fileNamePattern.test(name) ? null : { reason: 'table', name: fullName }
}

/** Matches whitespace, comments, semicolons and opening parentheses before a statement. */
const beforeStatementPattern = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|[;(\u00a0\ufeff])+/u

/** Statements that only read, by their first word. */
const readingStatements = new Set('SELECT WITH VALUES FROM TABLE DESCRIBE SUMMARIZE SHOW'.split(' '))

/**
 * Names the statement to blame if DuckDB cannot parse a text as queries: the first statement that does more than read,
 * or if every statement only reads, the first one.
 */
export function refusedStatement(sql: string): string {
  const ends = sqlTokens(sql).flatMap(({ kind, text, start }) => (kind === 'sign' && text === ';' ? [start] : []))
  const names = [0, ...ends].map((start) => statementName(sql.slice(start)))
  return names.find((name) => name !== '' && !readingStatements.has(name)) ?? names[0]
}

/**
 * Names the statement at the start of a text by its first word in capitals, or by its first characters if it does not
 * begin with a word.
 */
function statementName(sql: string): string {
  let rest = sql
  for (
    let match = beforeStatementPattern.exec(rest);
    match && match[0] !== '';
    match = beforeStatementPattern.exec(rest)
  )
    rest = rest.slice(match[0].length)
  return (/^[\p{L}_]+/u.exec(rest)?.[0] ?? rest.slice(0, 20)).toUpperCase()
}
