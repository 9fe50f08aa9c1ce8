import * as z from '../../schemas/lazySchemas.ts'
import type { Frame } from '../frame.ts'
import { documentCalls } from '../documentCalls.ts'
import { call } from '../spec.ts'
import type { DownloadRequest } from './downloads.ts'
import type { LabStudy } from './lab.ts'

const id = z.string().min(1).max(100)
const name = z.string().trim().min(1, 'must not be empty').max(120)

/** Longest text of a query, in characters. */
const MOST_SQL = 1_000_000
const MOST_PARAMETERS = 200

const parameterName = z.string().regex(/^(?:[\p{L}_][\p{L}\p{N}_]{0,99}|\d{1,4})$/u, 'is not the name of a parameter')
const parameters = z
  .record(parameterName, z.string().max(10_000))
  .refine((all) => Object.keys(all).length <= MOST_PARAMETERS, 'has too many parameters')

/** A saved query: its text, which may be half-typed, and the values of its parameters. */
export const queryDocument = z.strictObject({
  version: z.literal(1),
  sql: z.string().max(MOST_SQL),
  /** Values of `$name`, as text. */
  parameters: parameters.default({}),
})
export type QueryDocument = z.infer<typeof queryDocument>

export interface ListedQuery {
  id: string
  name: string
  /** Milliseconds since the epoch. */
  changedAt: number
  /** Number of characters. */
  length: number
}

export interface SavedQuery {
  id: string
  name: string
  document: QueryDocument
  /** Goes up with every change: who saves says which one it began with. */
  revision: number
}

/** A run of a query, newest first in the history. */
export interface RanQuery {
  id: number
  /** Milliseconds since the epoch. */
  ranAt: number
  sql: string
  parameters: Record<string, string>
  durationMs: number
  /** Number of rows; null if the query failed or was cancelled. */
  rows: number | null
  /** Message of a failure; null where it succeeded. */
  problem: string | null
}

/** A problem of a query and its place in the text. */
export interface SqlProblem {
  message: string
  /** In characters from 1; null where no place is known. */
  line: number | null
  column: number | null
}

/** Days of the range of a query that are not in the cache. */
export interface MissingSqlData {
  kind: 'metrics' | 'raw'
  dataset: string
  exchange: string
  symbol: string
  interval: string
  clock: string
  /** Periods, months or days, that exist and are not cached. */
  periods: number
  of: number
  startDay: string
  endDay: string
}

/** Files and parameters of a query before it runs. */
export interface SqlPreflight {
  /** Names of the parameters in the text. */
  parameters: string[]
  files: number
  bytes: number
  missing: MissingSqlData[]
  /** Files that are left out, because they are gone or damaged. */
  leftOut: { path: string; message: string }[]
  /** Rows of the app’s own tables that are handed to the engine. */
  handedRows: number
}

export interface SqlCheck {
  /** Names of the parameters; those of an earlier text while this one cannot be parsed. */
  parameters: string[] | null
  problem: SqlProblem | null
  /** Files that the query would read; null while the text has a problem or a parameter has no value. */
  preflight: SqlPreflight | null
  /** Requests of `downloads.enqueue` that fetch what is missing. */
  requests: DownloadRequest[]
}

export interface SqlColumnFacts {
  name: string
  /** Type of the column as DuckDB writes it. */
  type: string
  kind: 'number' | 'time' | 'text'
  /** Unit of the column; null if it is not documented. */
  unit: string | null
  /** Set where the column puts two units together. */
  warning: string | null
}

/** A result that stands open in the engine until it is closed or seven newer ones are open. */
export interface OpenedSql {
  id: number
  columns: SqlColumnFacts[]
  rows: number
  /** True where the query has more rows than were fetched. */
  isCut: boolean
  durationMs: number
  ranAt: number
  /** Files that were read. */
  files: number
  bytes: number
  leftOut: SqlPreflight['leftOut']
  sql: string
  parameters: Record<string, string>
}

/** A result that is stored as series of the workbench. */
export interface SqlSeries {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  /** Names of the columns, which carry their units. */
  columns: string[]
  /** Range from the first row to the end of the last one. */
  range: { startMs: number; endMs: number }
  /** True where most intervals have no row, so that points show more than a line. */
  isSparse: boolean
}

export interface RefreshedSqlSeries {
  /** Symbols of the series that were made again. */
  refreshed: string[]
  problems: { symbol: string; message: string }[]
}

/** An operator of a plan; the depth says below which one it stands. */
export interface PlanOperator {
  depth: number
  name: string
  /** Time of its own in ms. */
  timeMs: number
  rows: number
  detail: string
}

/** A column that a query may name. */
export interface SqlDictionaryColumn {
  name: string
  type: string
  label: string
  description: string
  /** Unit by venue, where the column has one. */
  units: string
}

export interface SqlDictionary {
  views: { schema: string; name: string; description: string; columns: SqlDictionaryColumn[] }[]
  functions: { name: string; signature: string; description: string }[]
  /** Values of the columns `exchange`, `symbol`, `interval` and `clock`. */
  values: { exchange: string[]; symbol: string[]; interval: string[]; clock: string[] }
}

export const sqlExportFormats = ['csv', 'json', 'jsonl', 'parquet', 'arrow', 'markdown'] as const
export type SqlExportFormat = (typeof sqlExportFormats)[number]

const query = { sql: z.string().max(MOST_SQL), parameters }
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
/** Puts conditions together one level deeper; no person nests them more than a few levels. */
const joinedCondition = <Inner extends z.ZodType>(inner: Inner) =>
  z.union([
    leafCondition,
    z.strictObject({ all: z.array(inner).max(100) }),
    z.strictObject({ any: z.array(inner).max(100) }),
  ])
const condition = joinedCondition(joinedCondition(joinedCondition(joinedCondition(leafCondition))))

/** Filter and sort order of the rows, by the positions of the columns: `c0`, `c1` … */
const arrangement = z.strictObject({
  sort: z.array(z.strictObject({ key, descending: z.boolean() })).max(20),
  text: z.string().max(1000),
  conditions: z.array(condition).max(100),
})

export const sqlCalls = {
  ...documentCalls<ListedQuery, SavedQuery>()('sql', queryDocument),
  /** Saves the query as a file that `perpscope sql --file` takes too; null if the user declined. */
  'sql.share': call(z.strictObject({ name, document: queryDocument }))<{ name: string; path: string | null } | null>(),
  /** A received file becomes a query of its own; the file then counts as imported. */
  'sql.import': call(z.strictObject({ file: id }))<SavedQuery>(),
  /** Describes the views, columns and functions that a query may name. */
  'sql.dictionary': call(z.strictObject({}))<SqlDictionary>(),
  /** Checks a query without running it, and tells what it would read and what its range lacks. */
  'sql.check': call(z.strictObject(query))<SqlCheck>(),
  /** Runs a query to its end. A cancelled one is refused with `cancelled`. */
  'sql.run': call(z.strictObject(query))<{ opened: OpenedSql } | { problem: SqlProblem }>(),
  /** Reads rows `from` (inclusive) to `to` (exclusive) of a result; its columns are named `c0`, `c1` … */
  'sql.rows': call(
    z.strictObject({ result, from: z.int().min(0), to: z.int().min(0), arrangement: arrangement.optional() }),
  )<{ frame: Frame; count: number }>(),
  'sql.close': call(z.strictObject({ result }))<null>(),
  /** Runs a query and measures each operator of its plan. */
  'sql.plan': call(z.strictObject(query))<{ operators: PlanOperator[]; totalMs: number } | { problem: SqlProblem }>(),
  /** Writes a result with its provenance; null if the user declined. */
  'sql.export': call(z.strictObject({ result, name, format: z.enum(sqlExportFormats) }))<{
    name: string
    path: string | null
    rows: number
  } | null>(),
  /** Writes a result as a panel of the Lab and creates a study on it. */
  'sql.toPanel': call(z.strictObject({ result, name }))<LabStudy>(),
  /** Stores a result as series of the workbench, which follow the files that the query reads. */
  'sql.toSeries': call(z.strictObject({ result, name }))<SqlSeries>(),
  /** Runs the queries of series again whose files have changed since. */
  'sql.refreshSeries': call(z.strictObject({ symbols: z.array(key).max(500) }))<RefreshedSqlSeries>(),
  /** Lists the queries that ran, newest first. */
  'sql.history': call(z.strictObject({}))<RanQuery[]>(),
  'sql.clearHistory': call(z.strictObject({}))<null>(),
}
