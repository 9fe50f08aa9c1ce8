import type { ResultLineage } from './sqlTask.ts'
import { isNode, nodesOf, textOf, type TreeNode, type TreeValue, walkTree } from './statementGate.ts'

/** Collects the names of all columns that a statement may need; null where it takes whole rows. */
export function namedColumns(statement: TreeNode): string[] | null {
  const names = new Set<string>()
  const tables = new Set<string>()
  const alone = new Set<string>()
  let isWhole = false
  walkTree(statement, (node) => {
    if (node.class === 'STAR' || node.type === 'PIVOT' || node.type === 'SHOW_REF' || node.ref_type === 'NATURAL')
      isWhole = true
    const columns = Array.isArray(node.column_names) ? node.column_names.map(lowerCase) : []
    if (node.class === 'COLUMN_REF') columns.forEach((name) => names.add(name))
    if (node.class === 'COLUMN_REF' && columns.length === 1) alone.add(columns[0])
    if (Array.isArray(node.using_columns)) node.using_columns.map(lowerCase).forEach((name) => names.add(name))
    if (node.type === 'BASE_TABLE') [node.alias, node.table_name].map(lowerCase).forEach((name) => tables.add(name))
  })
  // A table named as a value is a row of all its columns.
  return isWhole || [...alone].some((name) => tables.has(name)) ? null : [...names].sort()
}

const lowerCase = (value: TreeValue | undefined): string => textOf(value).toLowerCase()

/** Tells for each column of the outermost SELECT from which columns it is made; null where that cannot be told. */
export function lineageOf(statement: TreeNode): (ResultLineage | null)[] {
  const select = isNode(statement.node) && statement.node.type === 'SELECT_NODE' ? statement.node : null
  if (!select) return []
  return nodesOf(select.select_list).map((expression) => {
    const columns = new Set<string>()
    let isWhole = false
    walkTree(expression, (node) => {
      if (node.class === 'STAR') isWhole = true
      if (node.class === 'SUBQUERY') isWhole = true
      if (node.class === 'COLUMN_REF' && Array.isArray(node.column_names))
        columns.add(textOf(node.column_names.at(-1)).toLowerCase())
    })
    return isWhole ? null : { isExpression: expression.class !== 'COLUMN_REF', columns: [...columns] }
  })
}

/** Tells whether each row of the result is of one venue, because the query groups by it. */
export function groupsByExchange(statement: TreeNode): boolean {
  const select = isNode(statement.node) ? statement.node : null
  const isExchange = (node: TreeValue) => {
    if (!isNode(node) || node.class !== 'COLUMN_REF' || !Array.isArray(node.column_names)) return false
    return textOf(node.column_names.at(-1)).toLowerCase() === 'exchange'
  }
  if (!select) return false
  if (nodesOf(select.group_expressions).some(isExchange)) return true
  return select.aggregate_handling === 'FORCE_AGGREGATES' && nodesOf(select.select_list).some(isExchange)
}

/** Tells whether a statement lists the tables, so that all of them have to exist. */
export function listsTables(statement: TreeNode): boolean {
  let found = false
  walkTree(statement, (node) => {
    const name = textOf(node.table_name).toLowerCase()
    const isList =
      node.type === 'BASE_TABLE' && (name.startsWith('duckdb_') || node.schema_name === 'information_schema')
    const isFunction = node.type === 'TABLE_FUNCTION' && isNode(node.function) && isSystem(node.function)
    found ||= isList || isFunction || (node.type === 'SHOW_REF' && !isNode(node.query))
  })
  return found
}

const isSystem = (call: TreeNode) => textOf(call.function_name).toLowerCase().startsWith('duckdb_')
