import type { DuckDBConnection, DuckDBMaterializedResult, DuckDBPreparedStatement, DuckDBValue } from '@duckdb/node-api'
import { type ColumnComparison, findUses, type FoundUse, isConstant, timeColumns } from '#core/sql/queryConditions.ts'
import {
  choosingColumns,
  isGroupedByExchange,
  joinsTables,
  lineageOf,
  listsTables,
  namedColumns,
  reassignedNamesIn,
} from '#core/sql/queryColumns.ts'
import type { CheckAnswer, CheckedQuery, EngineSettings, InstrumentCall, TableUse } from '#core/sql/sqlTask.ts'
import {
  isNode,
  nodesOf,
  refusalOf,
  refusalOfText,
  refusalOfUnserialised,
  textOf,
  type TreeNode,
  type TreeValue,
  walkTree,
} from '#core/sql/statementGate.ts'
import { type OpenDatabase, SpareDatabase } from './openDatabase.ts'
import { lineAndColumn } from './queryError.ts'

const DAY_MS = 86_400_000

/**
 * Checks queries in a locked database without data: parses them with DuckDB's own parser and finds out what they need.
 */
export class QueryGate {
  private openedDatabase: Promise<OpenDatabase> | null = null
  /** Parsers that parse no text now. */
  private readonly idleParsers: DuckDBPreparedStatement[] = []
  private lastEvaluation: Promise<unknown> = Promise.resolve()
  /** Statement that last defined the function `instrument`. */
  private lastInstrument: string | null = null

  /** Checks a query. `instrument` is a statement that defines the function of that name. */
  async check(
    sql: string,
    parameters: Record<string, string>,
    settings: EngineSettings,
    instrument: string | null = null,
  ): Promise<CheckAnswer> {
    const refused = refusalOfText(sql)
    if (refused) return { refused }
    const tree = await this.parse(sql, settings)
    const parsed = statementOf(tree, sql)
    if ('refused' in parsed || 'failed' in parsed) return parsed
    const { connection } = await this.open(settings)
    // Evaluations follow each other, because they share one connection and its function `instrument`.
    const evaluation = this.lastEvaluation.then(() =>
      this.evaluate(connection, parsed.statement, parameters, instrument),
    )
    this.lastEvaluation = evaluation.catch(() => {})
    return { checked: await evaluation }
  }

  private async evaluate(
    connection: DuckDBConnection,
    statement: TreeNode,
    parameters: Record<string, string>,
    instrument: string | null,
  ): Promise<CheckedQuery> {
    if (instrument !== null && instrument !== this.lastInstrument) await connection.run(instrument)
    this.lastInstrument = instrument ?? this.lastInstrument
    const uses: EvaluatedUse[] = []
    for (const use of findUses(statement)) uses.push(await evaluateUse(connection, use, parameters))
    return {
      uses: uses.map(({ use }) => use),
      columnNames: namedColumns(statement),
      listsTables: listsTables(statement),
      parameters: parametersOf(statement),
      lineage: lineageOf(statement),
      reassignedNames: [...reassignedNamesIn(statement)],
      isGroupedByExchange: isGroupedByExchange(statement),
      joinsTables: joinsTables(statement),
      isTimeless: uses.every(({ isTimeless }) => isTimeless),
      choosingColumns: choosingColumns(statement),
      instruments: await instrumentCalls(connection, statement, parameters),
    }
  }

  private open(settings: EngineSettings): Promise<OpenDatabase> {
    this.openedDatabase ??= new SpareDatabase().open({
      settings,
      allowedPaths: [],
      allowedFolders: [],
      keepsFooters: false,
    })
    return this.openedDatabase
  }

  /** Parses a text on a connection of its own, so that one that takes long delays no other. */
  private async parse(sql: string, settings: EngineSettings): Promise<TreeNode> {
    const parser = this.idleParsers.pop() ?? (await this.openParser(settings))
    try {
      return await parse(parser, sql)
    } finally {
      this.idleParsers.push(parser)
    }
  }

  /** Prepares the statement that parses a text; it is kept, because preparing it takes as long as running it. */
  private async openParser(settings: EngineSettings): Promise<DuckDBPreparedStatement> {
    const { instance } = await this.open(settings)
    return (await instance.connect()).prepare('SELECT json_serialize_sql($sql::VARCHAR)')
  }
}

/** Returns the only statement of a parsed text, if it may run. */
function statementOf(
  tree: TreeNode,
  sql: string,
): { statement: TreeNode } | Exclude<CheckAnswer, { checked: unknown }> {
  if (tree.error === true) return answerOfFailedParse(tree, sql)
  const statements = nodesOf(tree.statements)
  if (statements.length !== 1) return { refused: { reason: statements.length === 0 ? 'empty' : 'several', name: '' } }
  const [statement] = statements
  const refused = refusalOf(statement)
  return refused ? { refused } : { statement }
}

/** Returns the only row of a result in memory. */
const onlyRow = (result: DuckDBMaterializedResult): DuckDBValue[] => result.getChunk(0).getRowValues(0)

/** Matches DuckDB's value for “no position”, which JavaScript numbers cannot represent. */
const noPositionPattern = /"query_location":18446744073709551615/g

/**
 * Matches an infinite constant (1e999), which DuckDB writes as invalid JSON; in a string the quotes would be escaped.
 */
const infinityPattern = /"value":(-?)(?:Infinity|inf)\b/gi
const nanPattern = /"value":-?nan\b/gi

async function parse(parser: DuckDBPreparedStatement, sql: string): Promise<TreeNode> {
  parser.bind({ sql })
  const [text] = onlyRow(await parser.run())
  const json = String(text)
    .replace(noPositionPattern, '"query_location":0')
    .replace(infinityPattern, (_found, sign: string) => `"value":${sign}1e999`)
    .replace(nanPattern, '"value":null')
  return JSON.parse(json) as TreeNode
}

function answerOfFailedParse(tree: TreeNode, sql: string): Exclude<CheckAnswer, { checked: unknown }> {
  const type = textOf(tree.error_type)
  if (type !== 'not implemented') {
    const message = `${type === 'parser' ? 'Parser Error: ' : ''}${textOf(tree.error_message)}`
    return { failed: { message, ...lineAndColumn(sql, textOf(tree.position) || undefined, 'characters') } }
  }
  return { refused: refusalOfUnserialised(sql) }
}

function parametersOf(statement: TreeNode): string[] {
  const names = new Set<string>()
  walkTree(statement, (node) => {
    if (node.class === 'PARAMETER') names.add(textOf(node.identifier))
  })
  return [...names].sort()
}

interface EvaluatedUse {
  use: TableUse
  isTimeless: boolean
}

/**
 * Evaluates the constants with which a query compares columns of a table. If a constant cannot be evaluated, its
 * condition is ignored.
 */
async function evaluateUse(
  connection: DuckDBConnection,
  { comparisons, ...use }: FoundUse,
  parameters: Record<string, string>,
): Promise<EvaluatedUse> {
  const evaluated: TableUse = { ...use, equals: {}, times: {} }
  const narrowingComparisons = comparisons.filter(({ column, operator }) => timeColumns.has(column) || operator === '=')
  const constants = narrowingComparisons.flatMap((comparison) =>
    comparison.constants.map((constant) => ({
      expression: withParameters(constant, parameters),
      type: timeColumns.has(comparison.column) ? 'TIMESTAMP' : 'VARCHAR',
    })),
  )
  const values = await constantsOf(connection, constants)
  for (const comparison of narrowingComparisons) {
    const ownValues = values.splice(0, comparison.constants.length)
    if (timeColumns.has(comparison.column)) narrowTime(evaluated, comparison, ownValues)
    else narrowValues(evaluated, comparison, ownValues)
  }
  return { use: evaluated, isTimeless: constants.every(isTimeless) }
}

/** Number of calls of `instrument` that are explained to the user if they find no symbol. */
const MOST_EXPLAINED_CALLS = 50

/** Finds the calls of `instrument` whose symbol is constant. */
async function instrumentCalls(
  connection: DuckDBConnection,
  statement: TreeNode,
  parameters: Record<string, string>,
): Promise<InstrumentCall[]> {
  const calls: TreeNode[][] = []
  walkTree(statement, (node) => {
    const isCall = node.class === 'FUNCTION' && textOf(node.function_name).toLowerCase() === 'instrument'
    if (isCall && calls.length < MOST_EXPLAINED_CALLS) calls.push(nodesOf(node.children))
  })
  const constants = calls.flatMap((children) =>
    [0, 1].map((at) => ({
      expression: children.length > at && isConstant(children[at]) ? withParameters(children[at], parameters) : null,
      type: 'VARCHAR',
    })),
  )
  const values = await constantsOf(connection, constants)
  return calls.flatMap((_, at) => {
    const [exchange, symbol] = values.slice(at * 2, at * 2 + 2)
    return typeof symbol === 'string' ? [{ exchange: typeof exchange === 'string' ? exchange : null, symbol }] : []
  })
}

/** Milliseconds from the epoch beyond which a time, such as an infinite one, limits nothing. */
const FARTHEST_MS = 8e15
const MICROSECOND_MS = 0.001

function narrowValues({ equals }: TableUse, { column }: ColumnComparison, values: readonly DuckDBValue[]): void {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length < values.length) return
  const valuesBefore = Object.hasOwn(equals, column) ? equals[column] : null
  equals[column] = valuesBefore ? valuesBefore.filter((value) => texts.includes(value)) : texts
}

function narrowTime(
  { times }: TableUse,
  { column, operator, isCoarse, isStrict }: ColumnComparison,
  values: readonly DuckDBValue[],
): void {
  const instants: number[] = []
  for (const value of values) {
    if (typeof value !== 'object' || value === null || !('micros' in value)) return
    const instantMs = Number(value.micros) / 1000
    instants.push(Math.abs(instantMs) < FARTHEST_MS ? instantMs : Math.sign(instantMs) * Infinity)
  }
  const slackMs = isCoarse ? DAY_MS : isStrict ? -MICROSECOND_MS : 0
  const { fromMs, toMs } = Object.hasOwn(times, column) ? times[column] : { fromMs: null, toMs: null }
  const lowest = Math.min(...instants) - slackMs
  const highest = Math.max(...instants) + slackMs
  times[column] = {
    fromMs: operator === '<' ? fromMs : Math.max(lowest, fromMs ?? -Infinity),
    toMs: operator === '>' ? toMs : Math.min(highest, toMs ?? Infinity),
  }
}

interface Constant {
  /** Value as an expression; null for a parameter without a value. */
  expression: TreeNode | null
  type: string
}

/** Evaluates constant expressions; null for each that fails. */
async function constantsOf(connection: DuckDBConnection, constants: readonly Constant[]): Promise<DuckDBValue[]> {
  const values = constants.map(literalOf)
  const unevaluated = constants.flatMap((constant, at) =>
    values[at] === null && constant.expression !== null && isSmall(constant.expression) ? [at] : [],
  )
  // All constants are evaluated in one query; if one of them fails, they are evaluated one by one.
  const isEvaluated = await evaluate(unevaluated)
  const groups = isEvaluated || unevaluated.length > MOST_SINGLE_CONSTANTS ? [] : unevaluated.map((at) => [at])
  for (const group of groups) await evaluate(group)
  return values

  async function evaluate(indexes: readonly number[]): Promise<boolean> {
    if (indexes.length === 0) return true
    try {
      const tree = JSON.stringify(selectOf(indexes.map((at) => constants[at])))
      const [text] = onlyRow(await connection.run('SELECT json_deserialize_sql($tree::JSON)', { tree }))
      const row = onlyRow(await connection.run(String(text)))
      indexes.forEach((at, cell) => (values[at] = row[cell]))
      return true
    } catch {
      return false
    }
  }
}

/** Number of constants up to which each is evaluated by itself if one of them fails. */
const MOST_SINGLE_CONSTANTS = 50
/** Number of parts of the largest constant that is evaluated; the time that it takes is of their third power. */
const MOST_CONSTANT_PARTS = 40

/**
 * Tells whether a constant may be evaluated, and takes no noticeable time. It may call `instrument` once, because that
 * function repeats its arguments, so that calls within calls multiply; funding periods are not known here.
 */
function isSmall(expression: TreeNode): boolean {
  let [parts, instruments, periods] = [0, 0, 0]
  walkTree(expression, ({ class: kind, function_name: name }) => {
    if (typeof kind === 'string') parts++
    if (textOf(name).toLowerCase() === 'instrument') instruments++
    if (textOf(name).toLowerCase() === 'funding_hours') periods++
  })
  return parts <= MOST_CONSTANT_PARTS && instruments <= 1 && periods === 0
}

/** Reads a text literal without evaluation; null for any other expression. */
function literalOf({ expression, type }: Constant): DuckDBValue {
  const value = expression?.class === 'CONSTANT' && type === 'VARCHAR' ? expression.value : null
  const isText = isNode(value) && isNode(value.type) && value.type.id === 'VARCHAR' && value.is_null === false
  return isText && typeof value.value === 'string' ? value.value : null
}

/** Tells whether a constant has the same value at any time; the text “now”, read as a time, does not. */
function isTimeless({ expression, type }: Constant): boolean {
  if (expression?.class === 'CAST')
    return isNode(expression.child) && isTimeless({ expression: expression.child, type })
  const value = expression?.class === 'CONSTANT' ? expression.value : null
  return isNode(value) && (type === 'VARCHAR' || typeof value.value !== 'string' || /^\d/.test(value.value))
}

/** Builds the syntax tree of `SELECT TRY_CAST(expression AS type), …`. */
const selectOf = (constants: readonly Constant[]) => ({
  error: false,
  statements: [
    {
      node: {
        type: 'SELECT_NODE',
        modifiers: [],
        cte_map: { map: [] },
        select_list: constants.map(({ expression, type }) => ({
          class: 'CAST',
          type: 'OPERATOR_CAST',
          alias: '',
          query_location: 0,
          child: expression,
          cast_type: { id: type, type_info: null },
          try_cast: true,
        })),
        from_table: { type: 'EMPTY', alias: '', sample: null, query_location: 0 },
        where_clause: null,
        group_expressions: [],
        group_sets: [],
        aggregate_handling: 'STANDARD_HANDLING',
        having: null,
        sample: null,
        qualify: null,
      },
      named_param_map: [],
    },
  ],
})

function withParameters(value: TreeNode, parameters: Record<string, string>): TreeNode | null {
  let hasAllValues = true
  const replaceParameters = (each: TreeValue | undefined): TreeValue | undefined => {
    if (Array.isArray(each)) return each.map((one) => replaceParameters(one) ?? null)
    if (!isNode(each)) return each
    if (each.class === 'PARAMETER') {
      const name = textOf(each.identifier)
      if (!Object.hasOwn(parameters, name)) hasAllValues = false
      const text = parameters[name] ?? ''
      return {
        class: 'CONSTANT',
        type: 'VALUE_CONSTANT',
        value: { type: { id: 'VARCHAR' }, is_null: false, value: text },
      }
    }
    return Object.fromEntries(Object.entries(each).map(([key, one]) => [key, replaceParameters(one)]))
  }
  const tree = replaceParameters(value)
  return hasAllValues && isNode(tree) ? tree : null
}
