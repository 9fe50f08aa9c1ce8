import type { PlanOperator } from '#shared/contract/areas/sql.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { Arrangement } from '#shared/tables/arrangement.ts'
import type { SqlColumn } from './tableCatalog.ts'

/** Constant conditions on a table, by column; rows that violate one of them do not affect the result. */
export interface TableConditions {
  /** Allowed values by column. */
  equals: Record<string, string[]>
  /** Ranges of times by column, in milliseconds since the epoch, inclusive at both ends; null for an open end. */
  times: Record<string, { fromMs: number | null; toMs: number | null }>
}

/** A use of one of the tables in a query. */
export interface TableUse extends TableConditions {
  schema: string
  name: string
  /** True if only the columns are needed, as by DESCRIBE. */
  isDescribed: boolean
}

/** The columns of tables from which a column of the result is computed. */
export interface ResultLineage {
  /**
   * Way in which the column is computed: copied unchanged, by a function that keeps the unit (such as a sum or `abs`),
   * or by any other expression.
   */
  by: 'itself' | 'sameUnit' | 'expression'
  /** Names of the columns, without their tables. */
  columns: string[]
}

/** Facts about a query that passed all checks. */
export interface CheckedQuery {
  uses: TableUse[]
  /** Names of the columns used anywhere in the query; null if it uses all columns. */
  columnNames: string[] | null
  /** True if the query lists the tables themselves. */
  listsTables: boolean
  parameters: string[]
  /** Lineage of each column of the outermost SELECT; null if it cannot be determined, as for `*`. */
  lineage: (ResultLineage | null)[]
  /** Aliases in the query, except those that repeat the name of their own column. */
  reassignedNames: string[]
  isGroupedByExchange: boolean
  joinsTables: boolean
  /** True if the query means the same at any time: no condition depends on the clock. */
  isTimeless: boolean
  /** Names of the columns by which the query chooses or groups rows, and does not only return them. */
  choosingColumns: string[]
  instruments: InstrumentCall[]
}

/** A call of the function `instrument` with a constant symbol; the venue is null if it is not constant. */
export interface InstrumentCall {
  exchange: string | null
  symbol: string
}

/** Reason why a query is refused before it runs. */
export interface QueryRefusal {
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
  /** Name of the refused statement, function, table or file. */
  name: string
}

/** A failed query: DuckDB's message, and the position in the text that it points to. */
export interface QueryFailure {
  message: string
  /** Position counted from 1; null if DuckDB gives none. */
  line: number | null
  column: number | null
}

export type CheckAnswer = { checked: CheckedQuery } | { refused: QueryRefusal } | { failed: QueryFailure }

/** A table whose rows the app provides. */
export interface AppTable {
  schema: string
  name: string
  columns: SqlColumn[]
  frame: Frame
}

export interface EngineSettings {
  memoryBytes: number
  threads: number
  /** Bytes that the query may write to the folder while it sorts or groups more than fits into memory. */
  tempBytes: number
  /** Temporary folder of this engine, the only folder to which it may write. */
  folder: string
}

/** A table of the user's own file. */
export interface OwnTable {
  path: string
  /** Statement of the app that creates the table's view. */
  statement: string
}

/** Everything that one query needs. */
export interface QuerySetup {
  settings: EngineSettings
  tables: AppTable[]
  /** Statements of the app that create the views, run before the query. */
  views: string[]
  /** Tables of the user's own files. */
  ownTables?: OwnTable[]
  allowedPaths: string[]
  allowedFolders: string[]
  /** True if the footers of the files stay in memory for the next query on the same files. */
  keepsFooters: boolean
  sql: string
  parameters: Record<string, string>
}

export interface ResultColumn {
  name: string
  /** Type of the column in DuckDB's notation. */
  type: string
  kind: 'number' | 'time' | 'text'
}

export interface OpenedResult {
  id: number
  columns: ResultColumn[]
  rows: number
}

/** Maximum number of open results; the oldest is closed for a new one. */
export const MOST_RESULTS = 8

/** Number of rows sent with the answer to a query: one page of the table in the window. */
export const FIRST_ROWS = 500
/** Maximum size of the first rows sent with an answer; the host keeps the first rows of all open results in memory. */
export const MOST_FIRST_BYTES = 4e6

/** Tasks of the engine. A result stays open until it is closed or the engine ends. */
export type EngineTask =
  | {
      do: 'check'
      sql: string
      parameters: Record<string, string>
      settings: EngineSettings
      /** Statement that defines the function `instrument` anew; null if the query does not call it. */
      instrument: string | null
      limits: TaskLimits
    }
  /** Runs a query. The caller chooses the id of the result, because a restarted engine would count from 1 again. */
  | {
      do: 'run'
      id: number
      setup: QuerySetup
      limits: TaskLimits
      /** Maximum number of rows; null for all. */
      limit: number | null
    }
  | { do: 'page'; result: number; from: number; count: number }
  /**
   * Reads rows of a sorted or filtered result; its columns are named by position, because two may have the same name.
   */
  | { do: 'arranged'; result: number; from: number; count: number; arrangement: Arrangement }
  | { do: 'explain'; setup: QuerySetup; limits: TaskLimits }
  /** Runs the query and measures its operators. */
  | { do: 'measure'; setup: QuerySetup; limits: TaskLimits }
  | { do: 'close'; result: number }

/**
 * Tells whether a task need not wait for a running query: checking a text, or reading or closing an existing result.
 */
export const isQuickTask = (task: EngineTask): boolean =>
  task.do === 'check' || task.do === 'page' || task.do === 'arranged' || task.do === 'close'

interface TaskLimits {
  wallMs: number
  memoryBytes: number
}

export type RunAnswer =
  | {
      opened: OpenedResult
      isCut: boolean
      /** The first rows of the result; null if they are large. */
      firstRows: Frame | null
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
