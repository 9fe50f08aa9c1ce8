import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { type EngineOrigin, PROVENANCE_KEY } from '#shared/contract/engineOrigin.ts'
import { AppError } from '#shared/contract/errors.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { metricQuery, sourcesRead } from '#shared/engines/metricQuery.ts'
import { type EventPlace, quotedText } from '#shared/engines/dialects/sources.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import {
  type ComputeOptions,
  type ComputeOutput,
  type ComputeRequest,
  type ComputeResult,
  noEventsError,
} from '#core/compute/compute.ts'
import { type ComputePlan, sourceFilesOf, type RawSourceFiles } from '#core/compute/computePlan.ts'
import type { ComputePool } from '#core/compute/computePool.ts'
import { eventTimeColumn, type ValueRule, eventValueColumns } from '#core/compute/eventColumns.ts'
import { MetricFileWriter } from '#core/compute/metricFile.ts'
import { createGuard, type Guard } from '#core/guard/guard.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { StartProcess } from '#core/ports.ts'
import { SqlFailed } from '#core/sql/sqlErrors.ts'
import { sqlEngineEntry } from '#core/sql/sqlService.ts'
import { removeStaleFolders, tempSpace } from '#core/sql/engineFolder.ts'
import { requirePlannedDataset } from './clickhouseDays.ts'
import type { EngineAnswer, EngineTask, OpenedResult, QuerySetup } from '#core/sql/sqlTask.ts'

export interface DuckDbOptions extends Pick<ComputeOptions, 'signal' | 'onProgress'> {
  /** Reads the footers of the raw files, to find the row groups needed. */
  pool: ComputePool
  start?: StartProcess | undefined
}

export type DuckDbResult = Omit<ComputeResult, 'outputs'> & {
  outputs: (ComputeOutput & { rows: number; origin: EngineOrigin })[]
}

/** Number of rows of a page that the process passes on. */
const PAGE_ROWS = 20_000
const WALL_MS = 24 * 3_600_000
const EXTRA_MEMORY_BYTES = 500e6

/** Computes metric datasets with DuckDB in a guarded process; either all outputs appear or none. */
export async function computeOnDuckDb(request: ComputeRequest, options: DuckDbOptions): Promise<DuckDbResult> {
  const datasets = request.outputs.map(({ dataset }) => dataset)
  const range = {
    datasets,
    intervalSeconds: request.intervalSeconds,
    timestamp: request.timestamp,
    startDay: dayNumberOf(request.startDay),
    endDay: dayNumberOf(request.endDay),
    threads: 1,
  }
  const sourceFiles = sourceFilesOf(datasets, request.findFiles)
  const plan = await options.pool.plan(range, sourceFiles, options.signal)
  const places = placesOf(plan, sourceFiles)
  const engine = new DuckDbProcess(options)
  const files: MetricFileWriter[] = []
  try {
    await checkValues(engine, places, request)
    const version = await engine.text('SELECT version()', [])
    const outputs: DuckDbResult['outputs'] = []
    for (const [i, output] of request.outputs.entries()) {
      const dataset = requirePlannedDataset(output.dataset)
      const sql = metricQuery('duckdb', {
        ...queryRange(request),
        dataset,
        places,
        continuation: request.continuationOf?.(dataset),
      })
      const source = sourcesRead(dataset).flatMap((id) => pathsOf(places[id]))
      const sqlSha256 = createHash('sha256').update(sql).digest('hex')
      const origin: EngineOrigin = { engine: 'duckdb', version, sqlSha256, source }
      const file = new MetricFileWriter(output.path, dataset, { [PROVENANCE_KEY]: JSON.stringify(origin) })
      files.push(file)
      await engine.visitRows(sql, source, async (rows) => file.add(metricRows(dataset, rows)))
      if (file.rows + file.waitingRows === 0) throw noEventsError(dataset, plan.missing)
      outputs.push({ ...output, rows: 0, origin })
      options.onProgress?.({ doneTasks: i + 1, tasks: request.outputs.length })
    }
    await MetricFileWriter.finishAll(files)
    const { missing, lacksDays } = plan
    return { outputs: outputs.map((output, i) => ({ ...output, rows: files[i].rows })), missing, lacksDays }
  } finally {
    for (const file of files) file.discard()
    await engine.close()
  }
}

const queryRange = ({ intervalSeconds, timestamp, startDay, endDay }: ComputeRequest) => ({
  intervalSeconds,
  timestamp,
  startUs: dayNumberOf(startDay) * 86_400_000_000,
  endUs: dayNumberOf(endDay) * 86_400_000_000,
})

type Places = Partial<Record<RawDatasetId, EventPlace>>

/** Returns the files that the built-in engine would read, in the order of their periods. */
function placesOf({ tasks }: ComputePlan, sourceFiles: RawSourceFiles): Places {
  const places: Places = {}
  for (const [id, files] of Object.entries(sourceFiles)) {
    if (!isRawDatasetId(id)) continue
    const readPaths = new Set(tasks.flatMap(({ rowGroups }) => rowGroups[id] ?? []).map(({ path }) => path))
    places[id] = { kind: 'files', paths: files.map(({ path }) => path).filter((path) => readPaths.has(path)) }
  }
  return places
}

const pathsOf = (place: EventPlace | undefined): string[] => (place?.kind === 'files' ? place.paths : [])

const violationSql: Record<Exclude<ValueRule, 'a side'>, (column: string) => string> = {
  'above 0': (column) => `NOT (${column} > 0 AND isfinite(${column}))`,
  '0 or more': (column) => `NOT (${column} >= 0 AND isfinite(${column}))`,
  'a number': (column) => `NOT isfinite(${column})`,
}

/** Throws on values that the built-in engine refuses: empty cells, and values that cannot be computed with. */
async function checkValues(engine: DuckDbProcess, places: Places, { timestamp }: ComputeRequest): Promise<void> {
  for (const [source, place] of Object.entries(places)) {
    const paths = pathsOf(place)
    if (!isRawDatasetId(source) || paths.length === 0) continue
    const rules = eventValueColumns(source).map(({ column, rule }) => ({
      column,
      condition:
        rule === 'a side'
          ? `${column} NOT IN ('buy', 'sell', 'unknown') OR ${column} IS NULL`
          : `${column} IS NULL OR ${violationSql[rule](column)}`,
    }))
    rules.push({ column: eventTimeColumn(timestamp), condition: `${eventTimeColumn(timestamp)} IS NULL` })
    const cases = rules.map(({ column, condition }) => `WHEN ${condition} THEN ${quotedText(column)}`).join(' ')
    const pathsSql = paths.map(quotedText).join(', ')
    const violation = await engine.text(
      `SELECT coalesce(any_value(filename || ': column ' || wrong), '') FROM (SELECT filename, CASE ${cases} END AS wrong ` +
        `FROM read_parquet([${pathsSql}], hive_partitioning = false, filename = true)) WHERE wrong IS NOT NULL`,
      paths,
    )
    if (violation) throw new AppError('corrupt-file', `${violation} contains a value that cannot be used.`)
  }
}

function metricRows(dataset: MetricDatasetId, { rows, columns }: Frame): MetricRows {
  const [time, ...values] = columns.map((column) =>
    Float64Array.from({ length: rows }, (_, row) => {
      const cell = cellOf(column, row)
      return cell === null ? NaN : Number(cell)
    }),
  )
  if (values.length !== metricDataset(dataset).columns.length) throw new RangeError(`${dataset}: other columns`)
  return { dataset, timeMs: time, columns: values }
}

const FOLDER_PREFIX = 'perpscope-duckdb-'

/** Creates a folder for temporary files, and removes those of runs that were killed: each may have many gigabytes. */
function temporaryFolder(): string {
  removeStaleFolders(tmpdir(), FOLDER_PREFIX)
  return mkdtempSync(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`))
}

/** The process that runs DuckDB: it can read only the files of its task, and has no network access. */
class DuckDbProcess {
  readonly #folder = temporaryFolder()
  readonly #tempBytes = tempSpace(this.#folder)
  readonly #memoryBytes = totalmem() / 2
  readonly #signal: AbortSignal | undefined
  #lastResult = 0
  readonly #guard: Guard<EngineTask, EngineAnswer>

  constructor({ start = startNodeProcess, signal }: DuckDbOptions) {
    this.#signal = signal
    this.#guard = createGuard<EngineTask, EngineAnswer>({
      start,
      entry: sqlEngineEntry,
      name: 'Perpscope DuckDB',
      processes: 1,
      retireBytes: Infinity,
      limitsOf: () => ({ cpuMs: Infinity, wallMs: WALL_MS, memoryBytes: this.#memoryBytes + EXTRA_MEMORY_BYTES }),
    })
  }

  async text(sql: string, paths: string[]): Promise<string> {
    let text = ''
    await this.visitRows(sql, paths, async (frame) => {
      text = String(cellOf(frame.columns[0], 0) ?? '')
      return Promise.resolve()
    })
    return text
  }

  /** Runs a query and passes its rows on page by page. */
  async visitRows(sql: string, paths: string[], onPage: (frame: Frame) => Promise<void>): Promise<void> {
    const opened = await this.#open(sql, paths)
    for (let from = 0; from < opened.rows; from += PAGE_ROWS) {
      const answer = await this.#guard.run({ do: 'page', result: opened.id, from, count: PAGE_ROWS }, this.#signal)
      if (answer.do !== 'page' || !answer.frame) throw new AppError('internal', 'DuckDB lost the result of a query.')
      await onPage(answer.frame)
    }
    await this.#guard.run({ do: 'close', result: opened.id })
  }

  async #open(sql: string, allowedPaths: string[]): Promise<OpenedResult> {
    const setup: QuerySetup = {
      settings: {
        memoryBytes: this.#memoryBytes,
        threads: availableParallelism(),
        tempBytes: this.#tempBytes,
        folder: this.#folder,
      },
      tables: [],
      views: [],
      allowedPaths,
      allowedFolders: [],
      keepsFooters: true,
      sql,
      parameters: {},
    }
    const limits = { wallMs: WALL_MS, memoryBytes: this.#memoryBytes }
    const answer = await this.#guard.run(
      { do: 'run', id: ++this.#lastResult, setup, limits, limit: null },
      this.#signal,
    )
    if (answer.do !== 'run') throw new AppError('internal', 'DuckDB returned an unexpected answer.')
    if ('failed' in answer.answer) throw new SqlFailed(answer.answer.failed)
    return answer.answer.opened
  }

  async close(): Promise<void> {
    await this.#guard.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
