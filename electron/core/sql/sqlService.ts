import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { MissingSqlData, PlanOperator, SqlPreflight } from '#shared/contract/areas/sql.ts'
import { nameByPosition, type Frame, sliceFrame } from '#shared/contract/frame.ts'
import { type Arrangement, isUnarranged } from '#shared/tables/arrangement.ts'
import type { ValidatedFile } from '#core/downloads/verifyFile.ts'
import { createGuard, type Guard, GuardStopped } from '#core/guard/guard.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { Clock, GuardedProcess, StartProcess } from '#core/ports.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { StoredFileColumn } from '#core/store/storedJson.ts'
import type { Store } from '#core/store/store.ts'
import { noteUnchanged, type UnchangedFile } from '#core/store/unchangedFiles.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import { appTable, emptyAppTable, MOST_APP_TABLE_BYTES } from './appTables.ts'
import { ownDatasetId } from '#shared/formula/ownData.ts'
import { type OwnSqlTable, ownTable, ownTablesOf } from './ownTables.ts'
import { type AttachedFile, attachedTable, type AttachedTable } from './ownFiles.ts'
import type { InstrumentFunding } from '#core/funding/instrumentFunding.ts'
import { fundingHoursStatement, mayCallFundingHours } from './fundingHours.ts'
import { viewStatement } from './parquetViews.ts'
import { instrumentStatement, instrumentWarnings, mayCallInstrument } from './instruments.ts'
import {
  changedFilesIn,
  FileSearch,
  hasRowsTwice,
  missingOf,
  mixedRowsWarnings,
  type QuerySlice,
  fileUses,
} from './queryFiles.ts'
import { removeStaleFolders, ENGINE_FOLDER, tempSpace } from './engineFolder.ts'
import { RESTART_TEXT, SqlCrashed, SqlFailed, SqlParametersMissing, SqlRefused, SqlStopped } from './sqlErrors.ts'
import { type ResultUnit, resultUnits, type UnitSource, venueColumnOf } from './resultFile.ts'
import {
  type CheckedQuery,
  type EngineAnswer,
  type EngineSettings,
  type EngineTask,
  isQuickTask,
  MOST_RESULTS,
  type QueryFailure,
  type QuerySetup,
  type ResultColumn,
} from './sqlTask.ts'
import { servedTables } from './servedTables.ts'
import { findTable, isDocumented, measuresOf, type SqlTable, sqlTables } from './tableCatalog.ts'

export interface SqlQuery {
  sql: string
  /** Values of the `$name` parameters, as text. */
  parameters: Readonly<Record<string, string>>
  /** Id of the connection; empty for the active one. */
  connectionId: string
  memoryBytes?: number | undefined
  threads?: number | undefined
  timeoutMs?: number | undefined
  /** Files of the user, each a table of the schema `own`. */
  attached?: readonly AttachedFile[] | undefined
}

/** A series of which a query needs periods that are not cached. */
export type MissingData = MissingSqlData

/** Files and rows that a query will read, and the data that it lacks. */
export type Preflight = SqlPreflight

type LeftOutFile = Preflight['leftOut'][number]

export interface OpenedQuery {
  id: number
  columns: (ResultColumn & ResultUnit)[]
  rows: number
  /** True if there are more rows than requested. */
  isCut: boolean
  /** Position of the column with the venue of each row; -1 if no column is known to have it. */
  venueColumn: number
  venues: Venues
  preflight: Preflight
  durationMs: number
  /** Files that were read, with their hashes, for the provenance. */
  sources: { path: string; sha256: string }[]
  /**
   * Text that changes whenever a file that was read changes, or whenever the app's own tables have a different total
   * number of rows.
   */
  fingerprint: string
}

export interface SqlService {
  preflight(query: SqlQuery, signal?: AbortSignal): Promise<Preflight>
  /** Computes the `fingerprint` that a run of the query would have, without running it. */
  fingerprint(query: SqlQuery, signal?: AbortSignal): Promise<string>
  /** Runs a query to its end; with a limit, it may stop once there are more rows than the limit. */
  run(
    query: SqlQuery,
    options?: { limit?: number | null; signal?: AbortSignal; onPlanned?: (preflight: Preflight) => void },
  ): Promise<OpenedQuery>
  page(id: number, from: number, count: number, signal?: AbortSignal): Promise<Frame>
  /** Reads a page of a sorted or filtered result; its columns are named `c0`, `c1` … */
  arrangedPage(
    id: number,
    page: { from: number; count: number; arrangement: Arrangement },
    signal?: AbortSignal,
  ): Promise<{ frame: Frame; count: number }>
  /** Runs a query and measures the operators of its plan. */
  measure(query: SqlQuery, signal?: AbortSignal): Promise<{ operators: PlanOperator[]; totalMs: number }>
  explain(query: SqlQuery, signal?: AbortSignal): Promise<{ preflight: Preflight; plan: string }>
  closeResult(id: number): Promise<void>
  close(): Promise<void>
}

export interface SqlServiceDeps {
  store: Store
  clock: Clock
  dataDir: string
  ledger: () => Ledger
  startProcess?: StartProcess | undefined
  /** Finds what is known of the funding periods of all instruments of a connection. */
  fundingOf(connectionId: string, signal?: AbortSignal): Promise<readonly InstrumentFunding[]>
  /** Limit of the temporary folder: 20 GiB by default, but never more than half of the free space. */
  mostTempBytes?: number
  /** Validates a file that has changed since it was indexed. */
  validate(path: string): Promise<ValidatedFile>
}

/** Time for which a cancelled query may go on before its engine is ended. */
const CANCEL_MS = 100
/** By default, the engine may use a quarter of the machine's memory, but no more than the limit below. */
const MEMORY_DIVISOR = 4
const MOST_MEMORY_BYTES = 4e9
/** Memory of the process that DuckDB does not count. */
const UNCOUNTED_MEMORY_BYTES = 500e6
const DEFAULT_TIMEOUT_MS = 24 * 3_600_000
/** Maximum time for the check of a text, which takes a second at most. */
const MOST_CHECK_MS = 60_000
/** Maximum number of files that are looked at after a crash; each takes some milliseconds. */
const MOST_SUSPECTS = 200
/** Idle time after which an engine ends, and its open results with it. */
const IDLE_MS = 10 * 60_000
/**
 * Number of files above which the engine may read the whole folders that contain them, because DuckDB takes seconds to
 * process a longer list of files.
 */
const MOST_ALLOWED_PATHS = 1000

/** Number of files whose footers stay in memory for the next query on them, however large they are. */
const FEW_FILES = 100
/** Bytes of memory that a footer takes for each byte of a file that hardly has anything else. */
const FOOTER_BYTES_PER_BYTE = 6
/** Part of the memory that the footers of many small files may take. */
const FOOTER_SHARE = 1 / 8

/** Tells whether the footers of a query's files stay in memory: reading many small files again takes mostly their time. */
const keepsFooters = ({ files, bytes }: Pick<Preflight, 'files' | 'bytes'>, { memoryBytes }: EngineSettings) =>
  files <= FEW_FILES || FOOTER_BYTES_PER_BYTE * bytes <= FOOTER_SHARE * memoryBytes

const FUNDING_TABLE = 'cache.funding_periods'

/** Entry point of the guarded process that runs DuckDB. */
export const sqlEngineEntry = new URL(
  import.meta.url.endsWith('.ts') ? '../../sqlEngine/sqlEngine.ts' : './sqlEngine.js',
  import.meta.url,
)

/** Creates the service that runs SQL. The engine is not loaded before the first query. */
export function createSqlService(deps: SqlServiceDeps): SqlService {
  return new SqlEngineService(deps)
}

/** Everything that a query needs, according to the index. */
interface QueryPlan {
  checked: CheckedQuery
  preflight: Preflight
  setup: QuerySetup
  sources: UnitSource[]
  venues: Venues
  files: QuerySlice[]
  attached: AttachedTable[]
  /** Own datasets that the query may read. */
  own: OwnSqlTable[]
  /** Statement with the funding periods that the query reads; null if it reads none. */
  fundingHours: string | null
}

/** The first rows of the open results, so that the first page can be shown without another request to the engine. */
class FirstRows {
  readonly #kept = new Map<number, { frame: Frame; rows: number }>()

  keep(id: number, result: { frame: Frame; rows: number }): void {
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= MOST_RESULTS) this.#kept.delete(oldest)
    this.#kept.set(id, result)
  }

  /** Returns a page and the number of rows of its result; null if the page must be requested from the engine. */
  page(id: number, from: number, count: number): { frame: Frame; rows: number } | null {
    const kept = this.#kept.get(id)
    if (!kept) return null
    const to = Math.min(kept.rows, from + count)
    if (to > kept.frame.rows) return null
    return { frame: sliceFrame(kept.frame, from, to), rows: kept.rows }
  }

  forget(id: number): void {
    this.#kept.delete(id)
  }

  /** Removes all rows, because the engine with the results has ended. */
  clear(): void {
    this.#kept.clear()
  }
}

class SqlEngineService implements SqlService {
  readonly #deps: SqlServiceDeps
  readonly #folder: string
  #guard: Guard<EngineTask, EngineAnswer> | null = null
  /** Space for temporary files, determined only once, because DuckDB needs a new database for different settings. */
  readonly #tempBytes: number
  #lastResult = 0
  readonly #firstRows = new FirstRows()
  readonly #fileSearch: FileSearch
  #lastCheck: { key: string; checked: CheckedQuery } | null = null

  constructor(deps: SqlServiceDeps) {
    this.#deps = deps
    this.#fileSearch = new FileSearch(deps.store)
    this.#tempBytes = tempSpace(deps.dataDir, deps.mostTempBytes)
    this.#folder = join(deps.dataDir, ENGINE_FOLDER, `${process.pid}-${randomUUID().slice(0, 8)}`)
  }

  preflight(query: SqlQuery, signal?: AbortSignal): Promise<Preflight> {
    return timed(query, signal, async (clock) => (await this.#plan(query, clock)).preflight)
  }

  fingerprint(query: SqlQuery, signal?: AbortSignal): Promise<string> {
    return timed(query, signal, async (clock) => {
      const plan = await this.#plan(query, clock)
      return fingerprintOf(plan, this.#sources(plan))
    })
  }

  #sources({ files, attached, own }: QueryPlan): OpenedQuery['sources'] {
    return [
      ...own.flatMap((table) => table.files.map(({ path, sha256 }) => ({ path: this.#relative(path), sha256 }))),
      ...files.map(({ path, file: { sha256 } }) => ({ path: this.#relative(path), sha256 })),
      ...attached.map(({ path, sha256 }) => ({ path, sha256 })),
    ]
  }

  async run(
    query: SqlQuery,
    { limit = null, signal, onPlanned }: Parameters<SqlService['run']>[1] = {},
  ): Promise<OpenedQuery> {
    let startedMs = 0
    const { plan, answer } = await this.#planAndRun(query, signal, ({ preflight, setup }, clock) => {
      onPlanned?.(preflight)
      startedMs = performance.now()
      return this.#ask(
        { do: 'run', id: ++this.#lastResult, setup, limits: limitsOf(query, setup.settings), limit },
        clock,
      )
    })
    const sources = this.#sources(plan)
    const { opened, isCut, firstRows } = answer
    if (firstRows) this.#firstRows.keep(opened.id, { frame: firstRows, rows: opened.rows })
    const units = resultUnits(plan.checked, opened.columns, plan.sources)
    return {
      ...opened,
      columns: opened.columns.map((column, at) => ({ ...column, ...units[at] })),
      isCut,
      venueColumn: venueColumnOf(plan.checked, opened.columns),
      venues: plan.venues,
      preflight: plan.preflight,
      durationMs: performance.now() - startedMs,
      sources,
      fingerprint: fingerprintOf(plan, sources),
    }
  }

  async page(id: number, from: number, count: number, signal?: AbortSignal): Promise<Frame> {
    const first = this.#firstRows.page(id, from, count)
    if (first) return first.frame
    const { frame } = await this.#ask({ do: 'page', result: id, from, count }, signal)
    if (!frame) throw closedResultError()
    return frame
  }

  async arrangedPage(
    id: number,
    { from, count, arrangement }: { from: number; count: number; arrangement: Arrangement },
    signal?: AbortSignal,
  ): Promise<{ frame: Frame; count: number }> {
    const first = isUnarranged(arrangement) ? this.#firstRows.page(id, from, count) : null
    if (first) return { frame: nameByPosition(first.frame), count: first.rows }
    const { page } = await this.#ask({ do: 'arranged', result: id, from, count, arrangement }, signal)
    if (!page) throw closedResultError()
    return page
  }

  async measure(query: SqlQuery, signal?: AbortSignal): Promise<{ operators: PlanOperator[]; totalMs: number }> {
    const { answer } = await this.#planAndRun(query, signal, ({ setup }, clock) =>
      this.#ask({ do: 'measure', setup, limits: limitsOf(query, setup.settings) }, clock),
    )
    return answer
  }

  async explain(query: SqlQuery, signal?: AbortSignal): Promise<{ preflight: Preflight; plan: string }> {
    const { plan, answer } = await this.#planAndRun(query, signal, ({ setup }, clock) =>
      this.#ask({ do: 'explain', setup, limits: limitsOf(query, setup.settings) }, clock),
    )
    return { preflight: plan.preflight, plan: answer.plan }
  }

  /**
   * Plans and runs a query on views that have only the columns named in it. If DuckDB cannot resolve the query, for
   * example because of an unknown name, the query runs again on views with all columns, so that DuckDB can suggest the
   * right name.
   */
  #planAndRun<Answer extends object>(
    query: SqlQuery,
    signal: AbortSignal | undefined,
    ask: (plan: QueryPlan, clock: AbortSignal) => Promise<{ answer: Answer | { failed: QueryFailure } }>,
  ): Promise<{ plan: QueryPlan; answer: Answer }> {
    const askOf = (plan: QueryPlan, clock: AbortSignal) =>
      ask(plan, clock).catch(async (thrown: unknown) => {
        throw thrown instanceof SqlCrashed ? new SqlCrashed(await this.#crashCause(plan, clock)) : thrown
      })
    return timed(query, signal, async (clock) => {
      let plan = await this.#plan(query, clock)
      let { answer } = await askOf(plan, clock)
      if ('failed' in answer && plan.checked.columnNames !== null && answer.failed.message.startsWith('Binder Error')) {
        plan = await this.#plan(query, clock, { hasAllColumns: true })
        answer = (await askOf(plan, clock)).answer
      }
      if ('failed' in answer) throw new SqlFailed(answer.failed)
      return { plan, answer }
    })
  }

  /** Looks for the file that made the engine crash: one that is damaged, or the only one that the query read. */
  async #crashCause({ files, attached }: QueryPlan, clock: AbortSignal): Promise<string> {
    const paths = [...new Set(files.map(({ path }) => path))]
    for (const path of paths.slice(0, MOST_SUSPECTS)) {
      if (clock.aborted) break
      const cause = await this.#deps.validate(path).then(
        () => null,
        (thrown: unknown) => toAppError(thrown).detail ?? 'The file cannot be read.',
      )
      if (cause !== null)
        return `A file that it read is damaged: ${this.#relative(path)}: ${cause.replace(/\.*$/, '')}. `
    }
    const names = [...paths.map((path) => this.#relative(path)), ...attached.map(({ path }) => path)]
    return names.length === 1 ? `The only file that it read is ${names[0]}. ` : ''
  }

  async closeResult(id: number): Promise<void> {
    this.#firstRows.forget(id)
    await this.#ask({ do: 'close', result: id })
  }

  async close(): Promise<void> {
    await this.#guard?.close()
    this.#guard = null
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /**
   * Sends a task to the engine and starts the engine if it is not running. If the engine ends during the task, the
   * error says why.
   */
  async #ask<Name extends EngineTask['do']>(
    task: Extract<EngineTask, { do: Name }>,
    signal?: AbortSignal,
  ): Promise<Extract<EngineAnswer, { do: Name }>> {
    try {
      return (await this.#engine().run(task, signal)) as Extract<EngineAnswer, { do: Name }>
    } catch (thrown) {
      if (!(thrown instanceof GuardStopped)) throw toAppError(thrown)
      this.#firstRows.clear()
      throw thrown.reason === 'died' ? new SqlCrashed() : new SqlStopped(stoppedText(thrown, task))
    }
  }

  /** Starts an engine whose temporary files are removed when it ends, also if it was killed for a cancelled query. */
  #start(entry: URL, name: string): GuardedProcess {
    const engine = (this.#deps.startProcess ?? startNodeProcess)(entry, name)
    engine.onEnd(() => rmSync(join(this.#folder, 'temp'), { recursive: true, force: true }))
    return engine
  }

  #engine(): Guard<EngineTask, EngineAnswer> {
    if (this.#guard) return this.#guard
    removeStaleFolders(join(this.#deps.dataDir, ENGINE_FOLDER))
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#guard = createGuard<EngineTask, EngineAnswer>({
      start: (entry, name) => this.#start(entry, name),
      entry: sqlEngineEntry,
      name: 'Perpscope SQL',
      processes: 1,
      idleMs: IDLE_MS,
      cancelTimeoutMs: CANCEL_MS,
      // Pages of results can be read, and queries checked, while another query runs.
      isQuick: isQuickTask,
      // The process is not replaced however much memory it uses, because the engine keeps results between tasks.
      retireBytes: Infinity,
      limitsOf(task) {
        const { wallMs, memoryBytes } =
          'limits' in task ? task.limits : { wallMs: DEFAULT_TIMEOUT_MS, memoryBytes: MOST_MEMORY_BYTES * 2 }
        return { cpuMs: Infinity, wallMs, memoryBytes: memoryBytes + UNCOUNTED_MEMORY_BYTES }
      },
    })
    return this.#guard
  }

  /** Checks a query and finds what it reads, before any of it runs. */
  async #plan(query: SqlQuery, signal?: AbortSignal, { hasAllColumns = false } = {}): Promise<QueryPlan> {
    const { store } = this.#deps
    const settings = this.#settings(query)
    const connection =
      query.connectionId === '' ? store.connections.active() : store.connections.find(query.connectionId)
    const symbols = mayCallInstrument(query.sql) ? store.queryRows.knownSymbols(connection.id) : []
    const instrument = mayCallInstrument(query.sql) ? instrumentStatement(symbols) : null
    const found = await this.#check(query, settings, instrument, signal)
    const checked = hasAllColumns ? { ...found, columnNames: null } : found
    const missingNames = checked.parameters.filter((name) => !Object.hasOwn(query.parameters, name))
    if (missingNames.length > 0) throw new SqlParametersMissing(missingNames, checked.parameters)
    const plannedTables = await this.#planTables(connection.id, checked, signal)
    const attached = await Promise.all((query.attached ?? []).map((file) => attachedTable(file, signal)))
    const own = ownTablesOf(store, {
      sql: query.sql,
      listsTables: checked.listsTables,
      attached: (query.attached ?? []).map(({ name }) => name),
    })
    const ownFiles = own.flatMap((table) => table.files)
    const venues = store.venues.of(connection.id)
    const callsFunding = mayCallFundingHours(query.sql)
    const readsFunding = callsFunding || checked.uses.some(({ schema, name }) => `${schema}.${name}` === FUNDING_TABLE)
    const funding = readsFunding ? await this.#deps.fundingOf(connection.id, signal) : []
    const fundingHours = readsFunding ? fundingHoursStatement(funding) : null
    const memory = { bytes: Math.min(settings.memoryBytes, MOST_APP_TABLE_BYTES) }
    const appTables = tablesOf(checked, () => servedTables(store, connection.id))
      .filter(({ rows }) => rows === 'app')
      .map((table) =>
        fileUses(checked.uses, table).length === 0
          ? emptyAppTable(table)
          : appTable({ ...this.#deps, funding }, connection, table, { columnNames: checked.columnNames, memory }),
      )
    const files = plannedTables.flatMap(({ files: each }) => each)
    const paths = [...new Set(files.map(({ path }) => path))]
    const folders = paths.length > MOST_ALLOWED_PATHS ? foldersOf(files, store) : []
    const size = {
      files: paths.length + attached.length + ownFiles.length,
      bytes: [
        ...new Map(files.map(({ path, file }) => [path, file.sizeBytes])).values(),
        ...[...attached, ...ownFiles].map(({ sizeBytes }) => sizeBytes),
      ].reduce((a, b) => a + b, 0),
    }
    return {
      checked,
      files,
      attached,
      own,
      sources: [
        ...plannedTables.map(({ table, files: each }) => ({
          dataset: table.name,
          exchanges: [...new Set(each.map(({ file }) => file.exchange))],
          hasRowsTwice: table.rows === 'metrics' && hasRowsTwice(each),
          measures: measuresOf(table),
          venues,
        })),
        ...own.map(({ dataset }) => ({
          dataset: ownDatasetId(dataset.name),
          exchanges: [''],
          hasRowsTwice: false,
          measures: measuresOf(ownTable(dataset)),
          venues,
        })),
      ],
      venues,
      fundingHours,
      preflight: {
        parameters: checked.parameters,
        ...size,
        missing: missingOf(this.#deps, connection, checked.uses),
        leftOut: plannedTables.flatMap(({ leftOut }) => leftOut),
        passedRows: appTables.reduce((sum, { frame }) => sum + frame.rows, 0),
        warnings: [
          ...plannedTables.flatMap(({ table, files: each }) => mixedRowsWarnings(table, each, checked.choosingColumns)),
          ...instrumentWarnings(checked.instruments, symbols),
        ],
      },
      setup: {
        settings,
        tables: appTables,
        views: [
          ...plannedTables.map(({ view }) => view),
          ...(instrument === null ? [] : [instrument]),
          ...(callsFunding && fundingHours !== null ? [fundingHours] : []),
        ],
        ownTables: [
          ...attached.map(({ path, statement }) => ({ path, statement })),
          ...own.map(({ dataset, statement }) => ({ path: ownDatasetId(dataset.name), statement })),
        ],
        allowedPaths: [...(folders.length > 0 ? [] : paths), ...[...attached, ...ownFiles].map(({ path }) => path)],
        allowedFolders: folders,
        keepsFooters: keepsFooters(size, settings),
        sql: query.sql,
        parameters: Object.fromEntries(checked.parameters.map((name) => [name, query.parameters[name]])),
      },
    }
  }

  /** Checks a query in the engine. The query checked last is not checked again, unless it depends on the clock. */
  async #check(
    { sql, parameters }: SqlQuery,
    settings: EngineSettings,
    instrument: string | null,
    signal?: AbortSignal,
  ): Promise<CheckedQuery> {
    const key = JSON.stringify([sql, parameters, instrument])
    if (this.#lastCheck?.key === key) return this.#lastCheck.checked
    const limits = { wallMs: MOST_CHECK_MS, memoryBytes: settings.memoryBytes }
    const task = { do: 'check', sql, parameters: { ...parameters }, settings, instrument, limits } as const
    const { answer } = await this.#ask(task, signal)
    if ('refused' in answer) throw new SqlRefused(answer.refused)
    if ('failed' in answer) throw new SqlFailed(answer.failed)
    const { checked } = answer
    this.#lastCheck = checked.isTimeless ? { key, checked } : null
    return checked
  }

  #settings({ memoryBytes, threads }: SqlQuery): EngineSettings {
    return {
      memoryBytes: memoryBytes ?? Math.min(MOST_MEMORY_BYTES, totalmem() / MEMORY_DIVISOR),
      threads: threads ?? availableParallelism(),
      tempBytes: this.#tempBytes,
      folder: this.#folder,
    }
  }

  async #planTables(connectionId: string, checked: CheckedQuery, signal?: AbortSignal) {
    const { store } = this.#deps
    const tables = tablesOf(checked, () => servedTables(store, connectionId)).filter(({ rows }) => rows !== 'app')
    const plannedTables: { table: SqlTable; files: QuerySlice[]; view: string; leftOut: LeftOutFile[] }[] = []
    for (const table of tables) {
      const uses = fileUses(checked.uses, table)
      const found = this.#fileSearch.filesOf(connectionId, checked.uses, table)
      const { files, leftOut } = await this.#readableFiles(found)
      signal?.throwIfAborted()
      const columnsOf = ({ file, columns }: QuerySlice): readonly StoredFileColumn[] =>
        columns ?? store.queryRows.columns(file.columnListId)
      const isDescribed = uses.length === 0 || uses.some((use) => use.isDescribed)
      const kind = table.rows === 'raw' ? 'raw' : 'metrics'
      const describedLists = isDescribed ? store.queryRows.columnLists([connectionId], kind, table.name) : []
      const columnNames = checked.listsTables ? null : checked.columnNames
      const view = viewStatement({ table, columnNames, files, columnsOf, describedLists })
      plannedTables.push({ table, files, leftOut, view })
    }
    return plannedTables
  }

  /** Leaves out files that are missing or damaged; a changed file is validated before it is read. */
  async #readableFiles(found: readonly QuerySlice[]): Promise<{ files: QuerySlice[]; leftOut: LeftOutFile[] }> {
    const leftOut = new Map<string, LeftOutFile>()
    const validatedByPath = new Map<string, ValidatedFile>()
    const sameContent: UnchangedFile[] = []
    for (const { slice, isGone } of await changedFilesIn(found)) {
      if (leftOut.has(slice.path) || validatedByPath.has(slice.path)) continue
      try {
        if (isGone) throw new AppError('corrupt-file', 'The file no longer exists.')
        const validated = await this.#deps.validate(slice.path)
        validatedByPath.set(slice.path, validated)
        const { sha256, facts } = validated
        const { changedAtMs } = facts
        if (sha256 === slice.file.sha256 && changedAtMs !== undefined)
          sameContent.push({ path: slice.path, sha256, changedAtMs })
      } catch (thrown) {
        const message = toAppError(thrown).detail ?? 'The file cannot be read.'
        leftOut.set(slice.path, { path: this.#relative(slice.path), message })
      }
    }
    noteUnchanged(this.#deps.store, sameContent)
    const files = found.filter(({ path }) => !leftOut.has(path))
    return {
      files: files.map((file) => withFacts(file, validatedByPath.get(file.path))),
      leftOut: [...leftOut.values()],
    }
  }

  #relative(path: string): string {
    const { root } = this.#deps.store.folder
    return path.startsWith(root) ? path.slice(root.length + 1).replaceAll('\\', '/') : basename(path)
  }
}

function fingerprintOf({ preflight, fundingHours }: QueryPlan, sources: OpenedQuery['sources']): string {
  const lines = sources.map(({ path, sha256 }) => `${path} ${sha256}`).sort()
  return createHash('sha256')
    .update([preflight.passedRows, ...lines, ...(fundingHours === null ? [] : [fundingHours])].join('\n'))
    .digest('hex')
}

/** Replaces the facts from the index with those found when a changed file was validated. */
function withFacts(slice: QuerySlice, validated: ValidatedFile | undefined): QuerySlice {
  if (!validated) return slice
  const { sizeBytes, sha256, facts } = validated
  const { firstTimeMs, lastTimeMs, duplicateTimes } = facts
  const columns = facts.columns.map(({ name, type }) => [name, type] as const)
  const isFirstColumnComplete = facts.columns[0]?.nulls === 0 ? 1 : 0
  const doubtfulColumns = facts.doubtfulColumns?.join(',') ?? null
  const found = {
    sizeBytes,
    sha256,
    firstTimeMs,
    lastTimeMs,
    duplicateTimes,
    isFirstColumnComplete,
    doubtfulColumns,
  } as const
  return { ...slice, columns, file: { ...slice.file, ...found } }
}

/** Returns, for each file, its owner's folder, or the folder that contains the file if it is a kept copy. */
function foldersOf(files: readonly QuerySlice[], { folder }: Store): string[] {
  const folders = files.map(({ path, file }) => {
    const ownerFolder = join(folder.ownerFolder(file.connectionId), sep)
    return path.startsWith(ownerFolder) ? ownerFolder : join(dirname(path), sep)
  })
  return [...new Set(folders)]
}

/** Returns the tables that a query needs: the tables that it names, or all tables if it lists them. */
function tablesOf({ uses, listsTables }: CheckedQuery, served: () => readonly SqlTable[]): SqlTable[] {
  if (listsTables) return [...sqlTables, ...served()]
  const namedTables = new Map(uses.map(({ schema, name }) => [`${schema}.${name}`, findTable(schema, name)]))
  // A table that nobody has is no table, which the engine says.
  return [...namedTables.values()].flatMap((table) =>
    table === undefined || isDocumented(table)
      ? (table ?? [])
      : (served().find((each) => each.schema === table.schema && each.name === table.name) ?? []),
  )
}

/**
 * Does the work for a query within its time, which begins now and includes waiting, checking the text and finding the
 * files. When the time is over, the work is cancelled.
 */
async function timed<Result>(
  { timeoutMs = DEFAULT_TIMEOUT_MS }: SqlQuery,
  signal: AbortSignal | undefined,
  work: (clock: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new SqlStopped(lateText(timeoutMs))), timeoutMs)
  try {
    return await work(signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal)
  } finally {
    clearTimeout(timer)
  }
}

const limitsOf = ({ timeoutMs }: SqlQuery, { memoryBytes }: EngineSettings) => ({
  wallMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
  memoryBytes,
})

const lateText = (timeoutMs: number): string =>
  `The query took longer than ${timeoutMs / 1000} s and was stopped. ${RESTART_TEXT}`

function stoppedText({ reason }: GuardStopped, task: EngineTask): string {
  if (reason === 'memory')
    return `The query exceeded its memory limit and was stopped. ${RESTART_TEXT} Read less data, or raise the limit with --memory on the command line.`
  return lateText('limits' in task ? task.limits.wallMs : 0)
}

const closedResultError = () => new AppError('not-found', 'The result is no longer open. Run the query again.')
