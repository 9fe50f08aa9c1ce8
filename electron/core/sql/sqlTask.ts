import type { PlanOperator } from '#shared/contract/areas/sql.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { Arrangement } from '#shared/tables/arrangement.ts'
import type { SqlColumn } from './tableCatalog.ts'

/** Constant conditions on a table, by column: rows that meet none of them cannot be in the result. */
export interface TableConditions {
  /** Values that a column is equal to one of. */
  equals: Record<string, string[]>
  /** Milliseconds since the epoch, both inclusive; null for an open end. */
  times: Record<string, { fromMs: number | null; toMs: number | null }>
}

/** A place of a query that names one of the tables. */
export interface TableUse extends TableConditions {
  schema: string
  name: string
  /** True where only the columns are requested, as by DESCRIBE. */
  isDescribed: boolean
}

/** A column of the result that is computed from columns of the tables. */
export interface ResultLineage {
  /** Tells whether the column is taken as it is, by an aggregate in the same unit such as a sum, or in any other way. */
  by: 'itself' | 'aggregate' | 'expression'
  /** Names of the columns, without their tables. */
  columns: string[]
}

/** Facts about a query that passed the gate. */
export interface CheckedQuery {
  uses: TableUse[]
  /** Names of columns anywhere in the query; null where it takes all columns. */
  columnNames: string[] | null
  /** True where the query lists the tables themselves. */
  listsTables: boolean
  parameters: string[]
  /** Columns of the outermost SELECT; null where they cannot be told, as for `*`. */
  lineage: (ResultLineage | null)[]
  /** Names that the query gives to columns, where they are not the names of those columns already. */
  namesGiven: string[]
  groupsByExchange: boolean
  /** True where the text means the same at any time: no condition depends on the clock. */
  isTimeless: boolean
}

/** Reason why a text is refused before it runs. */
export interface Refusal {
  reason:
    | 'empty'
    | 'several'
    | 'statement'
    | 'pivot'
    | 'table-function'
    | 'function'
    | 'file'
    | 'table'
    | 'text'
    | 'size'
  /** Name of the statement, function or table. */
  name: string
}

/** A failed query: the message of DuckDB, and where in the text it points to. */
export interface QueryFailure {
  message: string
  /** In characters from 1; null where DuckDB gives no position. */
  line: number | null
  column: number | null
}

export type CheckAnswer = { checked: CheckedQuery } | { refused: Refusal } | { failed: QueryFailure }

/** A table whose rows the app hands over. */
export interface HandedTable {
  schema: string
  name: string
  columns: SqlColumn[]
  frame: Frame
}

export interface EngineSettings {
  memoryBytes: number
  threads: number
  /** Bytes that may go to the folder while it sorts or groups more than fits into memory. */
  tempBytes: number
  /** Temporary folder of this engine, the only one that it may write to. */
  folder: string
}

/** Everything that one query needs. */
export interface QuerySetup {
  settings: EngineSettings
  tables: HandedTable[]
  /** Statements of the app that define the views, run before the query. */
  views: string[]
  allowedPaths: string[]
  allowedFolders: string[]
  sql: string
  parameters: Record<string, string>
}

export interface ResultColumn {
  name: string
  /** Type of the column as DuckDB writes it. */
  type: string
  kind: 'number' | 'time' | 'text'
}

export interface OpenedResult {
  id: number
  columns: ResultColumn[]
  rows: number
}

/** Results that are open at a time; the oldest is closed for a new one. */
export const MOST_RESULTS = 8

/** Rows that come with the answer to a query: a page of the window. */
export const FIRST_ROWS = 500
/** First rows with more bytes wait until they are requested: the host keeps those of all open results. */
export const MOST_FIRST_BYTES = 4e6

/** Tasks of the engine. A result stays open until it is closed or the engine ends. */
export type EngineTask =
  | { do: 'check'; sql: string; parameters: Record<string, string>; settings: EngineSettings }
  /** The asker gives the id of the result, because an engine that replaces another one would count from 1 again. */
  | {
      do: 'run'
      id: number
      setup: QuerySetup
      limits: TaskLimits
      /** Rows at most; null for all. */
      limit: number | null
    }
  | { do: 'page'; result: number; from: number; count: number }
  /** Rows of a sorted or filtered result; its columns are named by their positions, because two may have one name. */
  | { do: 'arranged'; result: number; from: number; count: number; arrangement: Arrangement }
  | { do: 'explain'; setup: QuerySetup; limits: TaskLimits }
  /** Runs the query and measures its operators. */
  | { do: 'measure'; setup: QuerySetup; limits: TaskLimits }
  | { do: 'close'; result: number }

/** Picks tasks that do not wait for a query that runs: those on its text, and those on results that are there. */
export const isQuickTask = (task: EngineTask): boolean =>
  task.do === 'check' || task.do === 'page' || task.do === 'arranged' || task.do === 'close'

export interface TaskLimits {
  wallMs: number
  memoryBytes: number
}

export type RunAnswer =
  | {
      opened: OpenedResult
      isCut: boolean
      /** The first rows of the result; null where they are large. */ first: Frame | null
    }
  | { failed: QueryFailure }

export type EngineAnswer =
  | { do: 'check'; answer: CheckAnswer }
  | { do: 'run'; answer: RunAnswer }
  | { do: 'page'; frame: Frame | null }
  | { do: 'arranged'; page: { frame: Frame; count: number } | null }
  | { do: 'explain'; answer: { plan: string } | { failed: QueryFailure } }
  | { do: 'measure'; answer: { operators: PlanOperator[]; totalMs: number } | { failed: QueryFailure } }
  | { do: 'close' }
