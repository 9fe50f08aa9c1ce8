import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { DownloadRequest } from '#shared/contract/areas/downloads.ts'
import { type OpenedSql, type SqlCheck, type SqlExportFormat, type SqlProblem } from '#shared/contract/areas/sql.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { type Arrangement, UNARRANGED } from '#shared/tables/arrangement.ts'
import { safeFileName } from '#shared/units/fileNames.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import { provenanceInForm } from '#core/sql/fileList.ts'
import type { ProvenanceForm } from '#shared/export/provenanceForms.ts'
import type { Clock } from '#core/ports.ts'
import { writeResultPanel } from '#core/sql/resultPanel.ts'
import type { ResultSeriesStore } from '#core/sql/resultSeries.ts'
import { servedDatasets } from '#core/sql/servedTables.ts'
import { heldOf, sqlDictionary } from '#core/sql/sqlDictionary.ts'
import { SqlFailed, SqlParametersMissing, SqlRefused, SqlStopped } from '#core/sql/sqlErrors.ts'
import type { MissingData, OpenedQuery, SqlQuery, SqlService } from '#core/sql/sqlService.ts'
import {
  carriesProvenance,
  encodeResult,
  PROVENANCE_SUFFIX,
  resultPages,
  resultProvenance,
} from '#core/sql/writeResult.ts'
import type { Store } from '#core/store/store.ts'

export interface SqlDeps {
  store: Store
  service: SqlService
  /** Query results as series of the workbench. */
  series: ResultSeriesStore
  dataDir: string
  version: string
  clock: Clock
  bus: EventBus
}

/** Maximum number of rows that the window fetches; a longer result is cut, and marked as cut. */
const MOST_ROWS = 10_000_000

/** A result that the window can page through and export. */
interface KeptResult {
  opened: OpenedQuery
  query: SqlQuery
}

/** Maximum number of results whose queries are remembered; the engine itself keeps eight results open. */
const MOST_KEPT = 16

export function sqlHandlers({
  store,
  service,
  series,
  dataDir,
  version,
  clock,
  bus,
}: SqlDeps): Handlers<CallsOf<'sql'>> {
  const resultById = new Map<number, KeptResult>()

  function keptResult(id: number): KeptResult {
    const result = resultById.get(id)
    if (!result) throw new AppError('not-found', 'The result is no longer open. Run the query again.')
    return result
  }

  function keep(result: KeptResult): void {
    const [oldest] = resultById.keys()
    if (oldest !== undefined && resultById.size >= MOST_KEPT) resultById.delete(oldest)
    resultById.set(result.opened.id, result)
  }

  function provenanceOf({ opened, query }: KeptResult, form: ProvenanceForm): string {
    const facts = resultProvenance(opened, query, { version, nowMs: clock.nowMs() })
    return `${JSON.stringify(provenanceInForm(dataDir, facts, form), null, 2)}\n`
  }

  /** Runs a query and records its outcome in the history. */
  async function run(input: Pick<SqlQuery, 'sql' | 'parameters'>, signal: AbortSignal) {
    const query = queryOf(input)
    const ranAt = clock.nowMs()
    const startedMs = performance.now()
    const remember = (rows: number | null, problem: string | null) => {
      store.queryHistory.remember({ ranAt, ...input, durationMs: performance.now() - startedMs, rows, problem })
      bus.emit('sql.changed', {})
    }
    try {
      const opened = await service.run(query, { limit: MOST_ROWS, signal })
      keep({ opened, query })
      remember(opened.rows, null)
      return { opened: shownResult(opened, input, ranAt) }
    } catch (thrown) {
      const problem = problemOf(thrown)
      remember(null, problem?.message ?? toAppError(thrown).message)
      if (problem) return { problem }
      throw thrown
    }
  }

  return {
    'sql.dictionary': () => {
      const { id } = store.connections.active()
      const symbols = [...new Set(store.queryRows.symbols(id).map(({ symbol }) => symbol))]
      return sqlDictionary(
        symbols,
        store.venues.of(id),
        servedDatasets(store, id),
        store.ownData.list(),
        heldOf(store, id),
      )
    },
    'sql.check': (input, { signal }) => check(service, store, input, signal),
    'sql.run': (input, { signal }) => run(input, signal),
    'sql.rows': async ({ result, from, to, arrangement = UNARRANGED }, { signal }) =>
      service.arrangedPage(
        result,
        { from, count: Math.max(0, to - from), arrangement: arrangement as Arrangement },
        signal,
      ),
    'sql.close': async ({ result }) => {
      if (resultById.delete(result)) await service.closeResult(result)
      return null
    },
    'sql.plan': async (input, { signal }) => {
      try {
        return await service.measure(queryOf(input), signal)
      } catch (thrown) {
        const problem = problemOf(thrown)
        if (problem) return { problem }
        throw thrown
      }
    },
    'sql.export': async ({ result, name, format }, { host, signal }) => {
      const found = keptResult(result)
      const provenance = () => provenanceOf(found, store.settings.read().provenance)
      const companion = {
        suffix: PROVENANCE_SUFFIX,
        type: 'application/json',
        open: () => Readable.from([provenance()]),
      }
      const { type, extension } = fileTypes[format]
      const saved = await host.save(
        { name: safeFileName(`${name}.${extension}`), type, ...(!carriesProvenance(format) && { companion }) },
        () =>
          Readable.from(
            encodeResult(format, found.opened.columns, resultPages(service, found.opened, signal), provenance),
          ),
      )
      return saved && { ...saved, rows: found.opened.rows }
    },
    'sql.toPanel': async ({ result, name }, { signal }) => {
      const found = keptResult(result)
      const pages = resultPages(service, found.opened, signal)
      const path = await writeResultPanel(
        join(dataDir, 'panels'),
        name,
        found.opened,
        pages,
        provenanceOf(found, 'full'),
      )
      const study = { version: 1, kind: 'signal', interval: '1h' }
      const created = store.documents.study.create(name, { version: 1, study, panel: { path, against: null } })
      bus.emit('documents.changed', { kind: 'study' })
      return created
    },
    'sql.toSeries': async ({ result, name }, { signal }) => {
      const { opened, query } = keptResult(result)
      const writtenSeries = await series.write(opened, query, name, signal)
      bus.emit('cache.changed', {})
      return writtenSeries
    },
    'sql.refreshSeries': async ({ symbols }, { signal }) => {
      const answer = await series.refresh(symbols, signal)
      if (answer.refreshed.length > 0) bus.emit('cache.changed', {})
      return answer
    },
    'sql.history': () => store.queryHistory.list(),
    'sql.clearHistory': () => {
      store.queryHistory.clear()
      bus.emit('sql.changed', {})
      return null
    },
  }
}

const fileTypes: Record<SqlExportFormat, { type: string; extension: string }> = {
  csv: { type: 'text/csv', extension: 'csv' },
  json: { type: 'application/json', extension: 'json' },
  jsonl: { type: 'application/jsonl', extension: 'jsonl' },
  parquet: { type: 'application/vnd.apache.parquet', extension: 'parquet' },
  arrow: { type: 'application/vnd.apache.arrow.file', extension: 'arrow' },
  markdown: { type: 'text/markdown', extension: 'md' },
}

const queryOf = ({ sql, parameters }: Pick<SqlQuery, 'sql' | 'parameters'>): SqlQuery => ({
  sql,
  parameters,
  connectionId: '',
})

/** Extracts the problem of a query from an error; null if the query is not to blame. */
function problemOf(thrown: unknown): SqlProblem | null {
  if (thrown instanceof SqlFailed) return thrown.failure
  if (thrown instanceof SqlRefused || thrown instanceof SqlParametersMissing || thrown instanceof SqlStopped)
    return { message: thrown.detail ?? thrown.message, line: null, column: null }
  return null
}

const shownResult = (
  { id, columns, rows, isCut, durationMs, preflight }: OpenedQuery,
  { sql, parameters }: Pick<SqlQuery, 'sql' | 'parameters'>,
  ranAt: number,
): OpenedSql => ({
  id,
  columns,
  rows,
  isCut,
  durationMs,
  ranAt,
  files: preflight.files,
  bytes: preflight.bytes,
  leftOut: preflight.leftOut,
  warnings: preflight.warnings,
  sql,
  parameters,
})

async function check(
  service: SqlService,
  store: Store,
  input: Pick<SqlQuery, 'sql' | 'parameters'>,
  signal: AbortSignal,
): Promise<SqlCheck> {
  const emptyCheck = { parameters: null, problem: null, preflight: null, requests: [] }
  if (input.sql.trim() === '') return { ...emptyCheck, parameters: [] }
  try {
    const preflight = await service.preflight(queryOf(input), signal)
    const { id } = store.connections.active()
    return {
      parameters: preflight.parameters,
      problem: null,
      preflight,
      requests: preflight.missing.map((missing) => requestOf(id, missing)),
    }
  } catch (thrown) {
    if (thrown instanceof SqlParametersMissing) return { ...emptyCheck, parameters: thrown.allNames }
    const problem = problemOf(thrown)
    if (!problem) throw thrown
    return { ...emptyCheck, problem }
  }
}

const requestOf = (connectionId: string, missing: MissingData): DownloadRequest => ({
  connectionId,
  kind: missing.kind,
  datasets: [missing.dataset],
  exchanges: [missing.exchange],
  symbols: [missing.symbol],
  intervals: [missing.interval || '1m'],
  timestamps: [missing.clock || 'exchange'],
  startDay: missing.startDay,
  endDay: missing.endDay,
  refresh: false,
  tryLocked: false,
  tryRefused: false,
})
