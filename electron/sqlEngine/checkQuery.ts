import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { type Comparison, findUses, type FoundUse } from '#core/sql/queryConditions.ts'
import { groupsByExchange, lineageOf, listsTables, namedColumns } from '#core/sql/queryColumns.ts'
import type { CheckAnswer, EngineSettings, TableUse } from '#core/sql/sqlTask.ts'
import {
  isNode,
  nodesOf,
  refusalOf,
  statementName,
  textOf,
  type TreeNode,
  type TreeValue,
  walkTree,
} from '#core/sql/statementGate.ts'
import { type OpenDatabase, SpareDatabase } from './openDatabase.ts'
import { placeOf } from './queryError.ts'

/** Length beyond which a text is no query that a person or a program of theirs wrote. */
const LONGEST_SQL = 1_000_000

const DAY_MS = 86_400_000

/** Checks queries in a locked database without data: parses them with DuckDB's own parser and says what they need. */
export class QueryGate {
  private database: Promise<OpenDatabase> | null = null
  private last: Promise<unknown> = Promise.resolve()

  /** Checks one query after the other, because all share one connection. */
  check(sql: string, parameters: Record<string, string>, settings: EngineSettings): Promise<CheckAnswer> {
    const answer = this.last.then(() => this.checkOne(sql, parameters, settings))
    this.last = answer.catch(() => {})
    return answer
  }

  private async checkOne(
    sql: string,
    parameters: Record<string, string>,
    settings: EngineSettings,
  ): Promise<CheckAnswer> {
    if (sql.length > LONGEST_SQL) return { refused: { reason: 'size', name: '' } }
    // DuckDB ends a text at such a character, so that it would run another text than the one that was checked.
    if (sql.includes('\0') || !sql.isWellFormed()) return { refused: { reason: 'text', name: '' } }
    const { connection } = await this.open(settings)
    const tree = await parse(connection, sql)
    if (tree.error === true) return refusedOrFailed(tree, sql)
    const statements = nodesOf(tree.statements)
    if (statements.length !== 1) return { refused: { reason: statements.length === 0 ? 'empty' : 'several', name: '' } }
    const [statement] = statements
    const refused = refusalOf(statement)
    if (refused) return { refused }
    const uses: TableUse[] = []
    for (const use of findUses(statement)) uses.push(await evaluated(connection, use, parameters))
    return {
      checked: {
        uses,
        columnNames: namedColumns(statement),
        listsTables: listsTables(statement),
        parameters: parametersOf(statement),
        lineage: lineageOf(statement),
        groupsByExchange: groupsByExchange(statement),
      },
    }
  }

  private open(settings: EngineSettings): Promise<OpenDatabase> {
    this.database ??= new SpareDatabase().open({ settings, allowedPaths: [], allowedFolders: [] })
    return this.database
  }
}

async function firstCell(connection: DuckDBConnection, sql: string, values: Record<string, DuckDBValue>) {
  const result = await connection.run(sql, values)
  return (await result.getRows()).at(0)?.at(0) ?? null
}

/** Place of what stands nowhere in the text; JavaScript has no such number. */
const NO_PLACE = /"query_location":18446744073709551615/g

/** A constant such as 1e999, which DuckDB writes as no JSON can; a string that says so has its quotes escaped. */
const INFINITE = /"value":(-?)(?:Infinity|inf)\b/gi
const NOT_A_NUMBER = /"value":-?nan\b/gi

async function parse(connection: DuckDBConnection, sql: string): Promise<TreeNode> {
  const text = await firstCell(connection, 'SELECT json_serialize_sql($sql::VARCHAR)', { sql })
  const json = String(text)
    .replace(NO_PLACE, '"query_location":0')
    .replace(INFINITE, (_found, sign: string) => `"value":${sign}1e999`)
    .replace(NOT_A_NUMBER, '"value":null')
  return JSON.parse(json) as TreeNode
}

function refusedOrFailed(tree: TreeNode, sql: string): CheckAnswer {
  const type = textOf(tree.error_type)
  if (type !== 'not implemented') {
    const message = `${type === 'parser' ? 'Parser Error: ' : ''}${textOf(tree.error_message)}`
    return { failed: { message, ...placeOf(sql, textOf(tree.position) || undefined) } }
  }
  const name = statementName(sql)
  return { refused: { reason: name === 'PIVOT' || name === 'PIVOT_WIDER' ? 'pivot' : 'statement', name } }
}

function parametersOf(statement: TreeNode): string[] {
  const names = new Set<string>()
  walkTree(statement, (node) => {
    if (node.class === 'PARAMETER') names.add(textOf(node.identifier))
  })
  return [...names].sort()
}

/** Evaluates the constants of a use of a table, all by DuckDB. A condition whose constant cannot be evaluated narrows nothing. */
async function evaluated(
  connection: DuckDBConnection,
  { comparisons, ...use }: FoundUse,
  parameters: Record<string, string>,
): Promise<TableUse> {
  const found: TableUse = { ...use, equals: {}, times: {} }
  for (const comparison of comparisons) {
    if (timeColumns.has(comparison.column)) await narrowTime(connection, found, comparison, parameters)
    else if (comparison.operator === '=') await narrowValues(connection, found, comparison, parameters)
  }
  return found
}

const timeColumns = new Set(['time', 'known_at', 'day', 'exchange_timestamp', 'local_timestamp'])

async function narrowValues(
  connection: DuckDBConnection,
  { equals }: TableUse,
  { column, constants }: Comparison,
  parameters: Record<string, string>,
): Promise<void> {
  const values: string[] = []
  for (const constant of constants) {
    const value = await constantOf(connection, constant, 'VARCHAR', parameters)
    if (typeof value !== 'string') return
    values.push(value)
  }
  const before = Object.hasOwn(equals, column) ? equals[column] : null
  equals[column] = before ? before.filter((value) => values.includes(value)) : values
}

async function narrowTime(
  connection: DuckDBConnection,
  { times }: TableUse,
  { column, operator, constants, isCoarse }: Comparison,
  parameters: Record<string, string>,
): Promise<void> {
  const instants: number[] = []
  for (const constant of constants) {
    const value = await constantOf(connection, constant, 'TIMESTAMP', parameters)
    if (typeof value !== 'object' || value === null || !('micros' in value)) return
    instants.push(Number(value.micros) / 1000)
  }
  const slackMs = isCoarse ? DAY_MS : 0
  const { fromMs, toMs } = Object.hasOwn(times, column) ? times[column] : { fromMs: null, toMs: null }
  const lowest = Math.min(...instants) - slackMs
  const highest = Math.max(...instants) + slackMs
  times[column] = {
    fromMs: operator === '<' ? fromMs : Math.max(lowest, fromMs ?? -Infinity),
    toMs: operator === '>' ? toMs : Math.min(highest, toMs ?? Infinity),
  }
}

/** Evaluates one constant expression; null where that fails. */
async function constantOf(
  connection: DuckDBConnection,
  constant: TreeNode,
  type: string,
  parameters: Record<string, string>,
): Promise<DuckDBValue> {
  const expression = withParameters(constant, parameters)
  if (expression === null) return null
  try {
    const tree = JSON.stringify(selectOf(expression, type))
    const text = await firstCell(connection, 'SELECT json_deserialize_sql($tree::JSON)', { tree })
    return await firstCell(connection, String(text), {})
  } catch {
    return null
  }
}

/** Builds the tree of `SELECT TRY_CAST(expression AS type)`. */
const selectOf = (expression: TreeNode, type: string) => ({
  error: false,
  statements: [
    {
      node: {
        type: 'SELECT_NODE',
        modifiers: [],
        cte_map: { map: [] },
        select_list: [
          {
            class: 'CAST',
            type: 'OPERATOR_CAST',
            alias: '',
            query_location: 0,
            child: expression,
            cast_type: { id: type, type_info: null },
            try_cast: true,
          },
        ],
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
  let isWhole = true
  const replaced = (each: TreeValue | undefined): TreeValue | undefined => {
    if (Array.isArray(each)) return each.map((one) => replaced(one) ?? null)
    if (!isNode(each)) return each
    if (each.class === 'PARAMETER') {
      const name = textOf(each.identifier)
      if (!Object.hasOwn(parameters, name)) isWhole = false
      const text = parameters[name] ?? ''
      return {
        class: 'CONSTANT',
        type: 'VALUE_CONSTANT',
        value: { type: { id: 'VARCHAR' }, is_null: false, value: text },
      }
    }
    return Object.fromEntries(Object.entries(each).map(([key, one]) => [key, replaced(one)]))
  }
  const tree = replaced(value)
  return isWhole && isNode(tree) ? tree : null
}
