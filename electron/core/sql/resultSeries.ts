import { createHash } from 'node:crypto'
import { SQL_DATASET, SQL_VENUE } from '#shared/catalog/sqlSeries.ts'
import type { RefreshedSqlSeries, SqlSeries } from '#shared/contract/areas/sql.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { intervalName, parseInterval } from '#shared/time.ts'
import { resultFiles, type StoredResultDeps, storeResult } from '#core/series/storedResults.ts'
import type { QuerySeries } from '#core/store/querySeriesStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { OpenedQuery, SqlQuery, SqlService } from './sqlService.ts'
import { readResultColumns, timeTableOf } from './resultTimes.ts'
import { resultPages, resultProvenance } from './writeResult.ts'

export interface ResultSeriesDeps extends StoredResultDeps {
  service: SqlService
  /** Version of Perpscope. */
  version: string
}

type SeriesRequest = Pick<SqlQuery, 'sql' | 'parameters'>

/** Stores results of queries as series of the workbench, and reruns the queries when their files have changed. */
export interface ResultSeriesStore {
  write(opened: OpenedQuery, request: SeriesRequest, name: string, signal: AbortSignal): Promise<SqlSeries>
  refresh(symbols: readonly string[], signal: AbortSignal): Promise<RefreshedSqlSeries>
}

const MOST_NAME_LENGTH = 40
const MOST_ROWS = 2_000_000

export function createResultSeriesStore(deps: ResultSeriesDeps): ResultSeriesStore {
  const { store, service, clock, version } = deps
  const owner = () => computedOwner(store.connections.active().id)

  async function storeSeries(
    opened: OpenedQuery,
    { sql, parameters }: SeriesRequest,
    { symbol, name, interval }: Pick<QuerySeries, 'symbol' | 'name'> & { interval: string | null },
    signal: AbortSignal,
  ): Promise<SqlSeries> {
    if (opened.isCut || opened.rows > MOST_ROWS)
      throw new AppError(
        'too-large',
        'The result is too large for a series. Group its rows, or choose a shorter range.',
      )
    const columns = await readResultColumns(opened, resultPages(service, opened, signal))
    const { table, stepMs } = timeTableOf(columns, interval === null ? 0 : parseInterval(interval)! * 1000)
    const actualInterval = intervalName(stepMs)
    if (interval !== null && actualInterval !== interval)
      throw new AppError(
        'bad-input',
        `The rows of the query are ${actualInterval} apart now, not ${interval}. Add the result to the workbench again.`,
      )
    const series = seriesOf(owner(), symbol, actualInterval)
    const provenance = resultProvenance(opened, { sql, parameters }, { version, nowMs: clock.nowMs() })
    const { fingerprint, sources } = opened
    await storeResult(deps, series, table, {
      etag: fingerprint,
      provenance: `${JSON.stringify(provenance, null, 2)}\n`,
    })
    const { connectionId } = series
    store.querySeries.save({
      ...{ owner: connectionId, symbol, interval: actualInterval, name, sql, parameters, fingerprint, sources },
      ranAtMs: clock.nowMs(),
    })
    const isSparse = isMostlyEmpty(table.times, stepMs)
    const names = table.columns.map((column) => column.name)
    const range = { startMs: table.times[0], endMs: table.times.at(-1)! + stepMs }
    return {
      dataset: SQL_DATASET,
      exchange: SQL_VENUE,
      symbol,
      interval: actualInterval,
      columns: names,
      range,
      isSparse,
    }
  }

  async function refreshSeries(symbol: string, signal: AbortSignal): Promise<boolean> {
    const stored = store.querySeries.find(owner(), symbol)
    if (!stored) return false
    const { sql, parameters, interval } = stored
    const query = { sql, parameters, connectionId: '' }
    const isStored = resultFiles(store, seriesOf(owner(), symbol, interval)).length > 0
    if (isStored && (await service.fingerprint(query, signal)) === stored.fingerprint) return false
    const opened = await service.run(query, { limit: MOST_ROWS, signal })
    try {
      await storeSeries(opened, query, stored, signal)
    } finally {
      await service.closeResult(opened.id)
    }
    return true
  }

  return {
    write: (opened, request, name, signal) =>
      storeSeries(opened, request, { symbol: symbolOf(name, request), name, interval: null }, signal),
    async refresh(symbols, signal) {
      const answer: RefreshedSqlSeries = { refreshed: [], problems: [] }
      for (const symbol of new Set(symbols)) {
        signal.throwIfAborted()
        try {
          if (await refreshSeries(symbol, signal)) answer.refreshed.push(symbol)
        } catch (thrown) {
          const { detail, sentence } = toAppError(thrown)
          answer.problems.push({ symbol, message: detail ?? sentence })
        }
      }
      return answer
    },
  }
}

const seriesOf = (connectionId: string, symbol: string, interval: string): OwnedSeries => ({
  connectionId,
  kind: 'metrics',
  dataset: SQL_DATASET,
  exchange: SQL_VENUE,
  symbol,
  interval,
  timestamp: 'exchange',
})

/** Derives the symbol of a series from its query's name, text and parameters, so that a rerun gets the same symbol. */
function symbolOf(name: string, { sql, parameters }: SeriesRequest): string {
  const readablePart = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, MOST_NAME_LENGTH)
  const hash = createHash('sha256').update(JSON.stringify([sql, Object.entries(parameters).sort()]))
  return `${readablePart || 'query'}-${hash.digest('hex').slice(0, 6)}`
}

/**
 * Tells whether most steps between the first and the last row have no row, so that a chart would not connect the rows.
 */
const isMostlyEmpty = (times: readonly number[], stepMs: number): boolean =>
  times.length > 1 && times.length < (times.at(-1)! - times[0]) / stepMs / 2
