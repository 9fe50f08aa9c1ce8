import type { ResultLineage } from './sqlTask.ts'
import { isNode, nodesOf, textOf, type TreeNode, type TreeValue, walkTree } from './statementGate.ts'

/** Collects the names of all columns that a statement may need; null if it uses whole rows. */
export function namedColumns(statement: TreeNode): string[] | null {
  const names = new Set<string>()
  const tables = new Set<string>()
  const unqualifiedNames = new Set<string>()
  let usesWholeRows = false
  walkTree(statement, (node) => {
    if (node.class === 'STAR' || node.type === 'PIVOT' || node.type === 'SHOW_REF' || node.ref_type === 'NATURAL')
      usesWholeRows = true
    // Positional references and lists of aliases depend on the number and order of the table's columns.
    if (node.class === 'POSITIONAL_REFERENCE' || (node.type === 'BASE_TABLE' && hasAliases(node))) usesWholeRows = true
    const columns = Array.isArray(node.column_names) ? node.column_names.map(lowerCase) : []
    if (node.class === 'COLUMN_REF') columns.forEach((name) => names.add(name))
    if (node.class === 'COLUMN_REF' && columns.length > 0) unqualifiedNames.add(columns[columns.length - 1])
    if (Array.isArray(node.using_columns)) node.using_columns.map(lowerCase).forEach((name) => names.add(name))
    if (node.type === 'BASE_TABLE') [node.alias, node.table_name].map(lowerCase).forEach((name) => tables.add(name))
  })
  // A table name that is used as a value means a row with all of its columns.
  return usesWholeRows || [...unqualifiedNames].some((name) => tables.has(name)) ? null : [...names].sort()
}

/**
 * Collects the names of the columns by which a statement chooses, groups or joins rows: those named anywhere but as a
 * plain column of a SELECT without groups, or in ORDER BY.
 */
export function choosingColumns(statement: TreeNode): string[] {
  const returnedOnly = new Set<TreeNode>()
  walkTree(statement, (node) => {
    for (const order of nodesOf(node.orders)) if (isNode(order.expression)) returnedOnly.add(order.expression)
    const isDistinct = nodesOf(node.modifiers).some(({ type }) => type === 'DISTINCT_MODIFIER')
    if (node.type !== 'SELECT_NODE' || node.aggregate_handling === 'FORCE_AGGREGATES' || isDistinct) return
    for (const column of nodesOf(node.select_list)) returnedOnly.add(column)
  })
  const names = new Set<string>()
  walkTree(statement, (node) => {
    if (Array.isArray(node.using_columns)) node.using_columns.map(lowerCase).forEach((name) => names.add(name))
    if (node.class === 'COLUMN_REF' && !returnedOnly.has(node)) names.add(columnOf(node))
  })
  return [...names].sort()
}

const hasAliases = ({ column_name_alias: aliases }: TreeNode): boolean => Array.isArray(aliases) && aliases.length > 0

const lowerCase = (value: TreeValue | undefined): string => textOf(value).toLowerCase()

/**
 * Finds, for each column of the outermost SELECT, the columns that it is computed from; null if its expression contains
 * a star or a subquery. Returns an empty list if the statement is not a plain SELECT.
 */
export function lineageOf(statement: TreeNode): (ResultLineage | null)[] {
  const select = isNode(statement.node) && statement.node.type === 'SELECT_NODE' ? statement.node : null
  if (!select) return []
  const selectList = nodesOf(select.select_list)
  const reassignedNames = reassignedNamesIn(statement, selectList)
  return selectList.map((expression) => {
    const sameUnitColumn = columnOfSameUnit(expression)
    if (sameUnitColumn !== null) return lineage('sameUnit', [sameUnitColumn])
    const columns = new Set<string>()
    let isUnknown = false
    walkTree(expression, (node) => {
      if (node.class === 'STAR') isUnknown = true
      if (node.class === 'SUBQUERY') isUnknown = true
      if (node.class === 'COLUMN_REF') columns.add(columnOf(node))
    })
    if (isUnknown) return null
    return lineage(expression.class === 'COLUMN_REF' ? 'itself' : 'expression', [...columns])
  })

  /**
   * Creates the lineage of a column. If one of the names is an alias for something else, that name says nothing about a
   * file's columns, so the columns count as unknown.
   */
  function lineage(by: ResultLineage['by'], columns: string[]): ResultLineage {
    return reassignedNames.has(ANY_NAME) || columns.some((name) => reassignedNames.has(name))
      ? { by: 'expression', columns: [] }
      : { by, columns }
  }
}

/** Placeholder for “any name”, because a `COLUMNS(pattern)` expression may name any column. */
export const ANY_NAME = '*'

/**
 * Collects the aliases in a statement, except those that repeat the name of their own column and those of the nodes in
 * `excludedNodes`.
 */
export function reassignedNamesIn(statement: TreeNode, excludedNodes: readonly TreeNode[] = []): Set<string> {
  const names = new Set<string>()
  const selectList = isNode(statement.node) ? nodesOf(statement.node.select_list) : []
  walkTree(statement, (node) => {
    for (const list of [node.column_name_alias, node.aliases])
      if (Array.isArray(list)) list.map(lowerCase).forEach((name) => names.add(name))
    if (node.class === 'STAR') {
      nodesOf(node.replace_list).forEach(({ key }) => names.add(lowerCase(key)))
      nodesOf(node.rename_list).forEach(({ value }) => names.add(lowerCase(value)))
      if (node.columns === true && !(selectList.includes(node) && node.alias === '')) names.add(ANY_NAME)
    }
    const alias = typeof node.class === 'string' && !excludedNodes.includes(node) ? lowerCase(node.alias) : ''
    if (alias !== '' && !(node.class === 'COLUMN_REF' && columnOf(node) === alias)) names.add(alias)
  })
  return names
}

/** Functions whose result has the unit of their first argument. */
const unitPreservingFunctions = new Set(
  (
    'sum fsum kahan_sum avg mean favg min max median mode first last any_value arg_min arg_max min_by max_by ' +
    'quantile_cont quantile_disc stddev stddev_samp stddev_pop mad abs round lag lead first_value last_value'
  ).split(' '),
)

/**
 * Finds the column whose unit a function keeps, such as `x` in `sum(x)`, `abs(x)` or `lag(x)`; null for any other
 * expression.
 */
function columnOfSameUnit(expression: TreeNode): string | null {
  if (expression.class !== 'FUNCTION' && expression.class !== 'WINDOW') return null
  if (!unitPreservingFunctions.has(lowerCase(expression.function_name))) return null
  const [first] = nodesOf(expression.children)
  return first?.class === 'COLUMN_REF' ? columnOf(first) : null
}

const columnOf = ({ column_names: names }: TreeNode): string =>
  lowerCase(Array.isArray(names) ? names.at(-1) : undefined)

/** Tells whether each row of the result belongs to one venue, because the query groups by the column exchange. */
export function isGroupedByExchange(statement: TreeNode): boolean {
  const select = isNode(statement.node) ? statement.node : null
  const isExchange = (node: TreeValue) => {
    return isNode(node) && node.class === 'COLUMN_REF' && columnOf(node) === 'exchange'
  }
  if (!select) return false
  if (nodesOf(select.group_expressions).some(isExchange)) return true
  return select.aggregate_handling === 'FORCE_AGGREGATES' && nodesOf(select.select_list).some(isExchange)
}

/** Tells whether a row of the result may combine rows of several venues, because the query joins tables. */
export function joinsTables(statement: TreeNode): boolean {
  let found = false
  walkTree(statement, (node) => {
    found ||= node.type === 'JOIN'
  })
  return found
}

/** Tells whether a statement lists the tables, so that all of them must exist. */
export function listsTables(statement: TreeNode): boolean {
  let found = false
  walkTree(statement, (node) => {
    const name = textOf(node.table_name).toLowerCase()
    const isList =
      node.type === 'BASE_TABLE' && (name.startsWith('duckdb_') || node.schema_name === 'information_schema')
    const isFunction = node.type === 'TABLE_FUNCTION' && isNode(node.function) && isSystemFunction(node.function)
    found ||= isList || isFunction || (node.type === 'SHOW_REF' && !isNode(node.query))
  })
  return found
}

const isSystemFunction = (call: TreeNode) => textOf(call.function_name).toLowerCase().startsWith('duckdb_')
