import * as z from '../../schemas/lazySchemas.ts'
import type { ColumnKind } from '../../catalog/column.ts'
import type { Frame } from '../frame.ts'
import { documentName as name } from '../documentName.ts'
import type { OpenedDocument } from '../documents/documentKind.ts'
import { call } from '../spec.ts'
import type { DownloadRequest } from './downloads.ts'
import type { LabDocument } from './lab.ts'

/** Maximum length of a query, in characters. */
const MOST_SQL_CHARACTERS = 1_000_000
const MOST_PARAMETERS = 200

const parameterName = z.string().regex(/^(?:[\p{L}_][\p{L}\p{N}_]{0,99}|\d{1,4})$/u, 'is not the name of a parameter')
const parameters = z
  .record(parameterName, z.string().max(10_000))
  .refine((all) => Object.keys(all).length <= MOST_PARAMETERS, 'has too many parameters')

/** A saved query: its text, which may be incomplete, and the values of its parameters. */
export const queryDocument = z.strictObject({
  version: z.literal(1),
  sql: z.string().max(MOST_SQL_CHARACTERS),
  /** Values of the parameters `$name`, as text. */
  parameters: parameters.default({}),
})
export type QueryDocument = z.infer<typeof queryDocument>

/** A past run of a query. */
export interface RanQuery {
  id: number
  /** Milliseconds since the epoch. */
  ranAt: number
  sql: string
  parameters: Record<string, string>
  durationMs: number
  /** Number of rows; null if the query failed or was cancelled. */
  rows: number | null
  /** Error message; null if the query succeeded. */
  problem: string | null
}

/** A problem in a query, with its position in the text. */
export interface SqlProblem {
  message: string
  /** Line and column, counted from 1 in characters; null if unknown. */
  line: number | null
  column: number | null
}

/** Data of one series that lies in the range of a query and is not cached. */
export interface MissingSqlData {
  kind: 'metrics' | 'raw'
  dataset: string
  exchange: string
  symbol: string
  interval: string
  clock: string
  /** Number of existing periods (months or days) that are not cached. */
  periods: number
  /** Number of all existing periods in the range. */
  of: number
  startDay: string
  endDay: string
}

/** Files and parameters that a query would use. */
export interface SqlPreflight {
  /** Names of the parameters in the text. */
  parameters: string[]
  files: number
  bytes: number
  missing: MissingSqlData[]
  /** Missing or damaged files, which are left out. */
  leftOut: { path: string; message: string }[]
  /** Number of rows from the app’s own tables that are passed to the engine. */
  passedRows: number
  /** Warnings of rows of several intervals or clocks, and of symbols that were not found. */
  warnings: string[]
}

export interface SqlCheck {
  /** Names of the parameters; null if they are unknown because the text has a problem. */
  parameters: string[] | null
  problem: SqlProblem | null
  /** Files that the query would read; null if the text has a problem or a parameter has no value. */
  preflight: SqlPreflight | null
  /** Requests for `downloads.enqueue` that fetch the missing data. */
  requests: DownloadRequest[]
}

export interface SqlColumnFacts {
  name: string
  /** DuckDB type of the column. */
  type: string
  kind: 'number' | 'time' | 'text'
  /** Unit of the column; null if it is not documented. */
  unit: string | null
  /** Kind of quantity of the column; null if it is not documented. */
  quantity: ColumnKind | null
  /** Warning if the column combines two units; else null. */
  warning: string | null
}

/** A result that stays open in the engine until it is closed or an eighth newer one is opened. */
export interface OpenedSql {
  id: number
  columns: SqlColumnFacts[]
  rows: number
  /** True if the query has more rows than were fetched. */
  isCut: boolean
  durationMs: number
  ranAt: number
  /** Number of files that were read. */
  files: number
  bytes: number
  leftOut: SqlPreflight['leftOut']
  warnings: SqlPreflight['warnings']
  sql: string
  parameters: Record<string, string>
}

/** A result that is stored as series for the workbench. */
export interface SqlSeries {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  /** Column names, which contain their units. */
  columns: string[]
  /** Range from the first row to the end of the last row. */
  range: { startMs: number; endMs: number }
  /** True if most intervals have no row, so that points are clearer than a line. */
  isSparse: boolean
}

export interface RefreshedSqlSeries {
  /** Symbols of the series that were refreshed. */
  refreshed: string[]
  problems: { symbol: string; message: string }[]
}

/** An operator of a query plan; depth is its level in the tree. */
export interface PlanOperator {
  depth: number
  name: string
  /** Time spent in this operator alone, in milliseconds. */
  timeMs: number
  rows: number
  detail: string
}

/** A column that queries may use. */
export interface SqlDictionaryColumn {
  name: string
  type: string
  label: string
  description: string
  /** Unit by venue, if the column has one. */
  units: string
}

/** A table that queries may use. */
export interface SqlDictionaryTable {
  schema: string
  name: string
  description: string
  /**
   * What is here of a table that is filled from outside: cached series, stored answers of the portfolio service, or rows
   * of own files. Null for a table that the app fills itself.
   */
  held: { count: number; of: 'series' | 'answers' | 'rows' } | null
  columns: SqlDictionaryColumn[]
}

export interface SqlDictionary {
  views: SqlDictionaryTable[]
  functions: { name: string; signature: string; description: string }[]
  /** Values of the columns `exchange`, `symbol`, `interval` and `clock`. */
  values: { exchange: string[]; symbol: string[]; interval: string[]; clock: string[] }
}

export const sqlExportFormats = ['csv', 'json', 'jsonl', 'parquet', 'arrow', 'markdown'] as const
export type SqlExportFormat = (typeof sqlExportFormats)[number]

const query = { sql: z.string().max(MOST_SQL_CHARACTERS), parameters }
const result = z.int().min(0)
const key = z.string().max(1000)
const bound = z.number().optional()

const leafCondition = z.union([
  z.strictObject({ key, oneOf: z.array(z.string().max(10_000)).max(10_000) }),
  z.strictObject({ key, from: bound, to: bound }),
  z.strictObject({ key, isMissing: z.boolean() }),
  z.strictObject({
    word: z.string().max(1000),
    key: key.optional(),
    isWhole: z.boolean().optional(),
    isAbsent: z.boolean().optional(),
  }),
])
/** Nests conditions by one more level; a few levels are enough for users. */
const joinedCondition = <Inner extends z.ZodType>(inner: Inner) =>
  z.union([
    leafCondition,
    z.strictObject({ all: z.array(inner).max(100) }),
    z.strictObject({ any: z.array(inner).max(100) }),
  ])
const condition = joinedCondition(joinedCondition(joinedCondition(joinedCondition(leafCondition))))

/** Filters and sort order of the rows; columns are named by position: `c0`, `c1` … */
const arrangement = z.strictObject({
  sort: z.array(z.strictObject({ key, descending: z.boolean() })).max(20),
  text: z.string().max(1000),
  conditions: z.array(condition).max(100),
})

export const sqlCalls = {
  /** Lists the views, columns and functions that queries may use. */
  'sql.dictionary': call(z.strictObject({}), {
    label: 'Dictionary',
    help: 'Lists the tables, columns, units and functions that a query may name.',
    route: 'GET /v1/dictionary',
  })<SqlDictionary>(),
  /** Checks a query without running it, and lists what it would read and what is missing from its range. */
  'sql.check': call(z.strictObject(query))<SqlCheck>(),
  /** Runs a query, which may stop once it has more rows than are kept. A cancelled query fails with `cancelled`. */
  'sql.run': call(z.strictObject(query))<{ opened: OpenedSql } | { problem: SqlProblem }>(),
  /** Reads rows `from` (inclusive) to `to` (exclusive) of a result; its columns are named `c0`, `c1` … */
  'sql.rows': call(
    z.strictObject({ result, from: z.int().min(0), to: z.int().min(0), arrangement: arrangement.optional() }),
  )<{ frame: Frame; count: number }>(),
  'sql.close': call(z.strictObject({ result }))<null>(),
  /** Runs a query and measures each operator of its plan. */
  'sql.plan': call(z.strictObject(query))<{ operators: PlanOperator[]; totalMs: number } | { problem: SqlProblem }>(),
  /** Exports a result with its provenance; null if the user cancelled. */
  'sql.export': call(z.strictObject({ result, name, format: z.enum(sqlExportFormats) }))<{
    name: string
    path: string | null
    rows: number
  } | null>(),
  /** Saves a result as a Lab panel and creates a study on it. */
  'sql.toPanel': call(z.strictObject({ result, name }))<OpenedDocument<LabDocument>>(),
  /** Stores a result as series for the workbench, which are refreshed when the files that the query reads change. */
  'sql.toSeries': call(z.strictObject({ result, name }))<SqlSeries>(),
  /** Runs the queries of series again if the files that they read have changed. */
  'sql.refreshSeries': call(z.strictObject({ symbols: z.array(key).max(500) }))<RefreshedSqlSeries>(),
  /** Lists the queries that were run, newest first. */
  'sql.history': call(z.strictObject({}))<RanQuery[]>(),
  'sql.clearHistory': call(z.strictObject({}))<null>(),
}
