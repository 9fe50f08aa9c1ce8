/**
 * Entry of the guarded process that runs SQL. It has no key and no network access, and cannot choose which files it may
 * read.
 */
import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api'
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import {
  type EngineAnswer,
  type EngineTask,
  FIRST_ROWS,
  MOST_FIRST_BYTES,
  isQuickTask,
  MOST_RESULTS,
  type OpenedResult,
  type OwnTable,
  type QueryFailure,
  type QuerySetup,
  type RunAnswer,
} from '#core/sql/sqlTask.ts'
import { OWN_SCHEMA } from '#core/sql/tableCatalog.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { ArrangedResult } from './arrangedResult.ts'
import { QueryGate } from './checkQuery.ts'
import { type OpenConnection, SharedDatabase, SpareDatabase } from './openDatabase.ts'
import { failureOf } from './queryError.ts'
import type { ChunkSource } from './resultFrame.ts'

// The binding keeps the fields of a VARIANT in an object; with this accessor, a field of this name would be lost.
Reflect.deleteProperty(Object.prototype, '__proto__')

/** A result that stays in the engine until it is closed. */
interface EngineResult {
  columns: OpenedResult['columns']
  rows: number
  frame(from: number, count: number): Frame
  arranged: ArrangedResult
  close(): void
}

/** Delay after a query before the next database is prepared; by then the first rows have been fetched. */
const SPARE_AFTER_MS = 20

const gate = new QueryGate()
const spareDatabase = new SpareDatabase()
const results = new Map<number, EngineResult>()
/** Connection of the running query. */
let runningConnection: DuckDBConnection | null = null
let isCancelled = false

function cancel(): void {
  isCancelled = true
  runningConnection?.interrupt()
}

async function answer(task: EngineTask): Promise<EngineAnswer> {
  if (task.do === 'check')
    return { do: 'check', answer: await gate.check(task.sql, task.parameters, task.settings, task.instrument) }
  if (task.do === 'arranged') {
    const { result, arrangement, from, count } = task
    return { do: 'arranged', page: (await results.get(result)?.arranged.page(arrangement, from, count)) ?? null }
  }
  if (task.do === 'page') return { do: 'page', frame: results.get(task.result)?.frame(task.from, task.count) ?? null }
  if (task.do === 'close') {
    close(task.result)
    return { do: 'close' }
  }
  // The tasks below run one at a time; those above are answered in parallel.
  isCancelled = false
  if (task.do === 'run') return { do: 'run', answer: await run(task) }
  if (task.do === 'explain') return { do: 'explain', answer: await explain(task.setup) }
  return { do: 'measure', answer: await measure(task.setup) }
}

async function run({ id, setup, limit }: Extract<EngineTask, { do: 'run' }>): Promise<RunAnswer> {
  const openConnection = await connectionFor(setup)
  try {
    const { source, isCut } = await execute(openConnection.connection, setup, limit)
    const { ResultReader } = await import('./resultFrame.ts')
    const reader = new ResultReader(source, isCut && limit !== null ? limit : source.rowCount)
    const { ArrangedResult } = await import('./arrangedResult.ts')
    // The database of the next query is prepared later, because the user waits only for the rows of this one.
    setTimeout(() => spareDatabase.prepare(setup.settings), SPARE_AFTER_MS).unref()
    const firstRows = firstRowsIfSmall(reader.frame(0, FIRST_ROWS))
    return { opened: keepResult(id, reader, new ArrangedResult(reader), openConnection), isCut, firstRows }
  } catch (thrown) {
    openConnection.close()
    if (isCancelled) throw new AppError('cancelled')
    return { failed: failureOf(thrown, setup.sql) }
  } finally {
    runningConnection = null
  }
}

/**
 * Returns the first rows if they are small enough to send with the answer; null if they are too large, so that they are
 * sent on request.
 */
function firstRowsIfSmall(frame: Frame): Frame | null {
  const sizes = frame.columns.map((column) => {
    const texts = column.kind === 'text' ? column.dictionary : []
    return texts.reduce((sum, text) => sum + text.length, column.values.byteLength)
  })
  return sizes.reduce((sum, size) => sum + size, 0) <= MOST_FIRST_BYTES ? frame : null
}

/** Expected number of rows above which a result is streamed if the user wants only the first few. */
const LARGE_RESULT_ROWS = 1_000_000

/**
 * Runs a query. If only the first rows of a large result are wanted, they are read from a stream; because a stream ends
 * silently at an error, its rows are used only if there are more than wanted, and otherwise the query runs to its end.
 */
async function execute(
  connection: DuckDBConnection,
  { sql, parameters }: QuerySetup,
  limit: number | null,
): Promise<{ source: ChunkSource; isCut: boolean }> {
  runningConnection = connection
  if (isCancelled) throw new AppError('cancelled')
  const expected = limit === null ? 0 : await expectedRows(connection, sql, parameters)
  if (isCancelled) throw new AppError('cancelled')
  if (limit !== null && expected > LARGE_RESULT_ROWS) {
    const firstPart = await firstChunks(await connection.stream(sql, parameters), limit)
    if (firstPart) return { source: firstPart, isCut: true }
    if (isCancelled) throw new AppError('cancelled')
  }
  const result = await connection.run(sql, parametersOrNone(parameters))
  if (limit === null || result.rowCount <= limit) return { source: result, isCut: false }
  return { source: result, isCut: true }
}

/** Returns the parameters; undefined if there are none, so that the query is not prepared first. */
const parametersOrNone = (parameters: Record<string, string>) =>
  Object.keys(parameters).length > 0 ? parameters : undefined

/** Reads the first chunks of a stream; null if it ended before it had more rows than the limit. */
async function firstChunks(stream: DuckDBResult, limit: number): Promise<ChunkSource | null> {
  const chunks: DuckDBDataChunk[] = []
  let rows = 0
  while (rows <= limit) {
    const chunk = await stream.fetchChunk()
    if (!chunk || chunk.rowCount === 0) return null
    chunks.push(chunk)
    rows += chunk.rowCount
  }
  return {
    rowCount: rows,
    chunkCount: chunks.length,
    getChunk: (index) => chunks[index],
    columnNames: () => stream.columnNames(),
    columnTypeId: (index) => stream.columnTypeId(index),
    columnType: (index) => stream.columnType(index),
  }
}

interface PlanNode {
  name?: string
  extra_info?: Record<string, unknown>
  children?: PlanNode[]
}

const explainPrefix = (format: string) => `EXPLAIN (FORMAT ${format}) `

async function planOf(connection: DuckDBConnection, sql: string, parameters: Record<string, string>, format: string) {
  const result = await connection.run(`${explainPrefix(format)}${sql}`, parameters)
  return String((await result.getRows()).at(0)?.at(1) ?? '')
}

/** Returns the number of rows that DuckDB expects; infinity if the plan does not state it, or if the query fails. */
async function expectedRows(connection: DuckDBConnection, sql: string, parameters: Record<string, string>) {
  const plan = await planOf(connection, sql, parameters, 'json').catch(() => '[{}]')
  const [top] = JSON.parse(plan) as PlanNode[]
  const rows = Number(top.extra_info?.['Estimated Cardinality'])
  return Number.isFinite(rows) ? rows : Infinity
}

const explain = (setup: QuerySetup): Promise<Extract<EngineAnswer, { do: 'explain' }>['answer']> =>
  inDatabase(setup, explainPrefix('text'), async (connection) => ({
    plan: await planOf(connection, setup.sql, setup.parameters, 'text'),
  }))

const MEASURE_PREFIX = 'EXPLAIN (ANALYZE, FORMAT json) '

const measure = (setup: QuerySetup): Promise<Extract<EngineAnswer, { do: 'measure' }>['answer']> =>
  inDatabase(setup, MEASURE_PREFIX, async (connection) => {
    const { measurePlan } = await import('./measuredPlan.ts')
    return measurePlan(connection, `${MEASURE_PREFIX}${setup.sql}`, setup.parameters)
  })

/**
 * Runs work on a connection for a query and closes the connection afterwards; `prefix` is what `work` puts before the
 * query, so that the position of an error can be corrected for it.
 */
async function inDatabase<Result>(
  setup: QuerySetup,
  prefix: string,
  work: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result | { failed: QueryFailure }> {
  const openConnection = await connectionFor(setup)
  try {
    runningConnection = openConnection.connection
    return await work(openConnection.connection)
  } catch (thrown) {
    if (isCancelled) throw new AppError('cancelled')
    return { failed: failureOf(thrown, setup.sql, prefix) }
  } finally {
    runningConnection = null
    openConnection.close()
  }
}

/** Database of the previous query; the next query on the same files can reuse it. */
let lastDatabase: SharedDatabase | null = null

/** Opens a connection for a query, to a database with the views and tables that the query names. */
async function connectionFor(setup: QuerySetup): Promise<OpenConnection> {
  const key = JSON.stringify([setup.settings, setup.allowedPaths, setup.allowedFolders, setup.views, setup.ownTables])
  // The app's own tables are passed anew for each query, because the app changes them.
  const isShared = setup.tables.length === 0
  const database =
    isShared && lastDatabase?.key === key ? lastDatabase : new SharedDatabase(key, await databaseFor(setup))
  if (isShared && database !== lastDatabase) {
    lastDatabase?.release()
    lastDatabase = database.take()
  }
  return database.connect()
}

/** Opens a database and creates the views and tables of a query in it. */
async function databaseFor({ tables, views, ownTables = [], ...options }: QuerySetup) {
  const database = await spareDatabase.open(options)
  try {
    if (views.length > 0) await database.connection.run(views.join(';\n'))
    if (ownTables.length > 0) await createOwnTables(database.connection, ownTables)
    if (tables.length > 0) {
      const { loadAppTable } = await import('./loadAppTable.ts')
      for (const table of tables) await loadAppTable(database.connection, table)
    }
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

/** Creates the views of the user's own files; an error names the file that cannot be read. */
async function createOwnTables(connection: DuckDBConnection, ownTables: readonly OwnTable[]): Promise<void> {
  await connection.run(`CREATE SCHEMA ${OWN_SCHEMA}`)
  for (const { path, statement } of ownTables) {
    try {
      await connection.run(statement)
    } catch (thrown) {
      throw new AppError('corrupt-file', `${path} cannot be read: ${failureOf(thrown, '').message}`, { cause: thrown })
    }
  }
}

function keepResult(
  id: number,
  reader: Omit<EngineResult, 'close' | 'arranged'>,
  arranged: ArrangedResult,
  { close: closeConnection }: OpenConnection,
): OpenedResult {
  const [oldest] = results.keys()
  if (oldest !== undefined && results.size >= MOST_RESULTS) close(oldest)
  results.set(id, {
    columns: reader.columns,
    rows: reader.rows,
    frame: (from, count) => reader.frame(from, count),
    arranged,
    close: closeConnection,
  })
  return { id, columns: reader.columns, rows: reader.rows }
}

/** Closes a result; its memory is freed only after the answer has been sent, because freeing it takes a while. */
function close(id: number): void {
  const result = results.get(id)
  results.delete(id)
  if (result) setImmediate(() => result.close())
}

answerGuarded(answer, cancel, isQuickTask)
