import { findTable } from './tableCatalog.ts'
import { isNode, nodesOf, textOf, type TreeNode, type TreeValue, walkTree } from './statementGate.ts'

/** A condition of a query on a column of a table, whose constants have not been evaluated yet. */
export interface ColumnComparison {
  column: string
  /** `>` also stands for `>=`, and `<` for `<=`; `isStrict` tells them apart. */
  operator: '=' | '>' | '<'
  /** Constants: one for a comparison, several for a list of values. */
  constants: TreeNode[]
  /** True if the limits must be widened by a day, because the column is cast or a constant reads the clock. */
  isCoarse: boolean
  /**
   * True for a `<` or `>` that excludes the constant itself; false for every other comparison, and if the constant may
   * lie between two microseconds.
   */
  isStrict: boolean
}

/** Columns that are compared as times; all others are compared as text. */
export const timeColumns: ReadonlySet<string> = new Set([
  'time',
  'known_at',
  'day',
  'exchange_timestamp',
  'local_timestamp',
])

/** A use of one of our tables in a query, with the conditions that a row must meet to affect the result. */
export interface FoundUse {
  schema: string
  name: string
  isDescribed: boolean
  comparisons: ColumnComparison[]
}

/** A table in the FROM clause of one SELECT. */
interface FromTable {
  use: FoundUse
  node: TreeNode
  /** Names by which the SELECT may refer to the table. */
  aliases: string[]
  /** False if WHERE must not filter the rows of the table beforehand, as on some sides of joins and in a sample. */
  isFilterable: boolean
}

/** Functions allowed in a constant. */
const constantFunctions = new Set(
  (
    '+ - * / || to_days to_hours to_minutes to_seconds to_milliseconds to_microseconds to_weeks to_months to_years trunc ' +
    'now today current_date current_timestamp get_current_timestamp date_trunc make_timestamp make_date epoch_ms ' +
    'strptime instrument lower upper concat'
  ).split(' '),
)
const clockFunctions = new Set(['now', 'today', 'current_date', 'current_timestamp', 'get_current_timestamp'])

/** Finds every use of our tables in a statement, with the conditions that narrow it. */
export function findUses(statement: TreeNode): FoundUse[] {
  markDescribed(statement)
  const uses: FoundUse[] = []
  const seen = new Set<TreeNode>()
  walkTree(statement, (node) => {
    const from = node.type === 'SELECT_NODE' ? node.from_table : undefined
    if (!isNode(from)) return
    const tables = narrowedTables(node, from)
    for (const { node: fromNode, use } of tables) {
      seen.add(fromNode)
      uses.push(use)
    }
  })
  // Some uses, such as the source of a PIVOT, belong to no SELECT, so all of their rows are needed.
  walkTree(statement, (node) => {
    if (node.type === 'BASE_TABLE' && !seen.has(node)) uses.push(...tablesOf(node, false).map(({ use }) => use))
  })
  return uses
}

/** Marks the tables of which DESCRIBE reads only the columns. */
function markDescribed(statement: TreeNode): void {
  walkTree(statement, (node) => {
    if (node.type !== 'SHOW_REF' || node.show_type !== 'DESCRIBE' || !isNode(node.query)) return
    walkTree(node.query, (inner) => {
      if (inner.type === 'BASE_TABLE') inner.is_described = true
    })
  })
}

function narrowedTables(select: TreeNode, from: TreeNode): FromTable[] {
  // A table with new names for its columns is compared by names that are not ours, so all of its rows are needed.
  const tables = tablesOf(from, true).filter(({ node }) => !hasNewNames(node))
  const mergedColumns = usingColumns(from)
  for (const { column, qualifier, ...comparison } of comparisonsIn(select.where_clause)) {
    // A column name without a table refers to the only table, or to the left one if a join merges columns of that name.
    const onlyTable = from.type === 'BASE_TABLE' || mergedColumns.includes(column) ? tables.at(0) : undefined
    const candidates = qualifier === null ? [onlyTable] : tables.filter(({ aliases }) => aliases.includes(qualifier))
    for (const table of candidates) if (table?.isFilterable) table.use.comparisons.push({ column, ...comparison })
  }
  spreadOverJoins(from, tables)
  return tables
}

const hasNewNames = ({ column_name_alias: names }: TreeNode) => Array.isArray(names) && names.length > 0

/** Lists the columns that a join merges with USING; in an ASOF join the last one is not merged but compared. */
function usingColumns(from: TreeNode): string[] {
  const names = Array.isArray(from.using_columns) ? from.using_columns.map((each) => textOf(each).toLowerCase()) : []
  return from.ref_type === 'ASOF' ? names.slice(0, -1) : names
}

/**
 * Lists the tables of a FROM clause, and tells of each whether WHERE may filter it before the join. Not filterable are
 * a sampled table, the side of an outer join that is filled with nulls, and the side that an ASOF join searches.
 */
function tablesOf(from: TreeNode, isFilterable: boolean): FromTable[] {
  if (from.type === 'JOIN') {
    const kind = textOf(from.join_type)
    const isPlain = ['REGULAR', 'CROSS', 'NATURAL', ''].includes(textOf(from.ref_type))
    const isSearched = textOf(from.ref_type) === 'ASOF'
    const isLeftFilterable = isFilterable && (isPlain || isSearched) && ['INNER', 'LEFT', 'SEMI', 'ANTI'].includes(kind)
    const isRightFilterable = isFilterable && isPlain && kind === 'INNER'
    return [
      ...(isNode(from.left) ? tablesOf(from.left, isLeftFilterable) : []),
      ...(isNode(from.right) ? tablesOf(from.right, isRightFilterable) : []),
    ]
  }
  const table = from.type === 'BASE_TABLE' ? findTable(textOf(from.schema_name), textOf(from.table_name)) : undefined
  if (!table) return []
  const { schema, name } = table
  const alias = textOf(from.alias).toLowerCase()
  return [
    {
      node: from,
      use: { schema, name, isDescribed: from.is_described === true, comparisons: [] },
      aliases: alias === '' ? [name, `${schema}.${name}`] : [alias],
      isFilterable: isFilterable && !isNode(from.sample),
    },
  ]
}

type ColumnName = { column: string; qualifier: string | null }

/** Lists the conditions joined by AND that compare a column with constants. */
function comparisonsIn(condition: TreeValue | undefined): (ColumnComparison & ColumnName)[] {
  if (!isNode(condition)) return []
  const { type } = condition
  if (type === 'CONJUNCTION_AND') return nodesOf(condition.children).flatMap(comparisonsIn)
  if (type === 'COMPARE_BETWEEN') {
    const { input, lower, upper } = condition
    return [...comparisonsOf(input, '>', [lower], false), ...comparisonsOf(input, '<', [upper], false)]
  }
  if (type === 'COMPARE_IN') {
    const [input, ...values] = nodesOf(condition.children)
    return comparisonsOf(input, '=', values, false)
  }
  const operator = operatorByType[textOf(type)]
  if (operator === undefined) return []
  const { left, right } = condition
  const isStrict = type === 'COMPARE_LESSTHAN' || type === 'COMPARE_GREATERTHAN'
  return [
    ...comparisonsOf(left, operator, [right], isStrict),
    ...comparisonsOf(right, flippedOperators[operator], [left], isStrict),
  ]
}

const operatorByType: Readonly<Record<string, ColumnComparison['operator']>> = {
  COMPARE_EQUAL: '=',
  COMPARE_GREATERTHAN: '>',
  COMPARE_GREATERTHANOREQUALTO: '>',
  COMPARE_LESSTHAN: '<',
  COMPARE_LESSTHANOREQUALTO: '<',
}
const flippedOperators = { '=': '=', '>': '<', '<': '>' } as const

function comparisonsOf(
  side: TreeValue | undefined,
  operator: ColumnComparison['operator'],
  constants: readonly (TreeValue | undefined)[],
  isStrict: boolean,
): (ColumnComparison & ColumnName)[] {
  const isCast = isNode(side) && side.class === 'CAST'
  const name = columnName(isCast ? side.child : side)
  const nodes = constants.filter(isNode)
  if (!name || nodes.length !== constants.length || !nodes.every(isConstant)) return []
  const isTime = timeColumns.has(name.column)
  if (isCast && !(isTime ? /^(?:DATE|TIMESTAMP)/ : /^VARCHAR$/).test(castType(side))) return []
  // DuckDB converts the column to the type of a constant that is not text: '1h' = INTERVAL '60 minutes' is true.
  if (!isTime && !nodes.every(isText)) return []
  const isCoarse = isCast || nodes.some(readsClock)
  return [{ ...name, operator, constants: nodes, isCoarse, isStrict: isStrict && !nodes.some(mayHaveNanoseconds) }]
}

const castType = ({ cast_type: type }: TreeNode) => (isNode(type) ? textOf(type.id) : '')

const textFunctions = new Set(['||', 'concat', 'lower', 'upper', 'instrument'])

function isText(node: TreeNode): boolean {
  if (node.class === 'PARAMETER') return true
  if (node.class === 'CAST') return castType(node) === 'VARCHAR'
  if (node.class === 'FUNCTION') return textFunctions.has(textOf(node.function_name).toLowerCase())
  return isNode(node.value) && isNode(node.value.type) && textOf(node.value.type.id) === 'VARCHAR'
}

function columnName(node: TreeValue | undefined): ColumnName | null {
  if (!isNode(node) || node.class !== 'COLUMN_REF' || !Array.isArray(node.column_names)) return null
  const names = node.column_names.map((each) => textOf(each).toLowerCase())
  const column = names.at(-1) ?? ''
  return { column, qualifier: names.length > 1 ? names.slice(0, -1).join('.') : null }
}

/** Tells whether an expression can be evaluated without a table. */
export function isConstant(node: TreeNode): boolean {
  if (node.class === 'CONSTANT' || node.class === 'PARAMETER') return true
  if (node.class === 'CAST') return isNode(node.child) && isConstant(node.child)
  if (node.class !== 'FUNCTION' || !constantFunctions.has(textOf(node.function_name).toLowerCase())) return false
  return nodesOf(node.children).every(isConstant)
}

const readsClock = (node: TreeNode) => callsOneOf(node, clockFunctions)

/** Tells whether a constant may lie between two microseconds; evaluation rounds it down to the earlier one. */
function mayHaveNanoseconds(node: TreeNode): boolean {
  let found = callsOneOf(node, new Set(['strptime']))
  walkTree(node, (each) => {
    found ||= each.class === 'CAST' && castType(each) === 'TIMESTAMP_NS'
  })
  return found
}

function callsOneOf(node: TreeNode, names: ReadonlySet<string>): boolean {
  let found = false
  walkTree(node, (each) => {
    found ||= each.class === 'FUNCTION' && names.has(textOf(each.function_name).toLowerCase())
  })
  return found
}

/** Columns whose equality in a join lets a value fixed on the left side narrow the right side. */
const joinedColumns = new Set(['exchange', 'symbol', 'base', 'interval', 'clock'])

/** Propagates constants over the equalities of joins: a value fixed on the left side is fixed on the right side too. */
function spreadOverJoins(from: TreeNode, tables: readonly FromTable[]): void {
  if (from.type !== 'JOIN') return
  for (const side of [from.left, from.right]) if (isNode(side)) spreadOverJoins(side, tables)
  if (!['INNER', 'LEFT'].includes(textOf(from.join_type))) return
  const tablesWithin = (side: TreeValue | undefined) => {
    const nodes = new Set(isNode(side) ? tablesOf(side, true).map(({ node }) => node) : [])
    return tables.filter(({ node }) => nodes.has(node))
  }
  const [left, right] = [tablesWithin(from.left), tablesWithin(from.right)]
  for (const [a, b] of equalColumns(from)) {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ]) {
      const source = left.find((table) => isColumnOf(one, table, left.length === 1))
      if (!source) continue
      const found = source.use.comparisons.filter(({ column, operator }) => column === one.column && operator === '=')
      for (const target of right.filter((table) => isColumnOf(other, table, right.length === 1)))
        target.use.comparisons.push(...found.map((each) => ({ ...each, column: other.column })))
    }
  }
}

const isColumnOf = ({ qualifier }: ColumnName, { aliases }: FromTable, isOnly: boolean): boolean =>
  qualifier === null ? isOnly : aliases.includes(qualifier)

function equalColumns(join: TreeNode): [ColumnName, ColumnName][] {
  const pairs: [ColumnName, ColumnName][] = usingColumns(join).map((column) => [
    { column, qualifier: null },
    { column, qualifier: null },
  ])
  const visit = (condition: TreeValue | undefined): void => {
    if (!isNode(condition)) return
    if (condition.type === 'CONJUNCTION_AND') return nodesOf(condition.children).forEach(visit)
    if (condition.type !== 'COMPARE_EQUAL') return
    const [left, right] = [columnName(condition.left), columnName(condition.right)]
    if (left?.qualifier && right?.qualifier) pairs.push([left, right])
  }
  visit(join.condition)
  return pairs.filter(([{ column }, { column: other }]) => joinedColumns.has(column) && joinedColumns.has(other))
}
