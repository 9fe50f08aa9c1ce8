import { createHash } from 'node:crypto'
import {
  isPortfolioDataset,
  PORTFOLIO_VENUE,
  portfolioDatasetEndpoints,
  type PortfolioDatasetId,
  portfolioDatasetIds,
  portfolioSeriesOf,
  portfolioSeriesRequest,
} from '#shared/catalog/portfolioSeries.ts'
import { type HistoryRequest, requestOfQuery, tickersOf } from '#shared/catalog/portfolioRequest.ts'
import type { PortfolioSeries, RefreshedPortfolioSeries } from '#shared/contract/areas/portfolio.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { TimeTable } from '#core/parquet/timeTable.ts'
import { resultFiles, type StoredResultDeps, storeResult } from '#core/series/storedResults.ts'
import type { StoredHistory } from '#core/store/portfolioDays.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { ServedAnswer, Portfolio } from './portfolio.ts'
import type { OpenPortfolio } from './portfolios.ts'

export interface PortfolioSeriesDeps extends StoredResultDeps {
  open: OpenPortfolio
  /** Version of Perpscope. */
  version: string
}

/**
 * Stores histories of the portfolio service as daily series for the workbench. A refresh writes the series whose
 * histories have changed.
 */
export interface PortfolioSeriesStore {
  /** Lists the series that stored histories contain, without any request to a service. */
  list(connectionId: string): PortfolioSeries[]
  refresh(
    connectionId: string,
    series: readonly PortfolioSeries[],
    signal: AbortSignal,
  ): Promise<RefreshedPortfolioSeries>
}

const ALL_DAYS = { start: null, end: null }
/** Maximum number of histories of one factor that are combined into a series, each with different tickers. */
const MOST_HISTORIES = 8

export function createPortfolioSeriesStore(deps: PortfolioSeriesDeps): PortfolioSeriesStore {
  const { store, open, clock, version } = deps

  const storedSeries = (connectionId: string, dataset: PortfolioDatasetId) => {
    const endpoint = portfolioDatasetEndpoints[dataset]
    return store.portfolio.histories(connectionId, endpoint).map(({ query, columns }: StoredHistory) => {
      const request = requestOfQuery(endpoint, query) as HistoryRequest
      return { request, columns, symbol: portfolioSeriesOf(request)?.symbol ?? '' }
    })
  }

  /**
   * Finds the requests whose responses have these columns; for a factor, the requests sent before, and one for the
   * remaining tickers.
   */
  function requestsOf(connectionId: string, { dataset, symbol, columns }: PortfolioSeries): HistoryRequest[] {
    if (dataset !== 'portfolio_factors') return [portfolioSeriesRequest(dataset, symbol, [])]
    const storedRequests = storedSeries(connectionId, dataset)
      .filter((each) => each.symbol === symbol)
      .slice(0, MOST_HISTORIES)
      .map(({ request }) => request)
    const tickers = new Set(storedRequests.flatMap((request) => tickersOf(request) ?? []))
    const missingTickers = columns.filter((column) => !tickers.has(column))
    return missingTickers.length > 0
      ? [...storedRequests, portfolioSeriesRequest(dataset, symbol, missingTickers)]
      : storedRequests
  }

  async function refreshSeries(connectionId: string, wanted: PortfolioSeries, signal: AbortSignal): Promise<boolean> {
    const portfolio: Portfolio = open(connectionId)
    const requests = requestsOf(portfolio.connectionId, wanted)
    const answers = await Promise.all(requests.map((each) => portfolio.history(each, ALL_DAYS, {}, signal)))
    const table = tableOf(
      wanted.dataset,
      answers.map(({ value }) => value),
    )
    if (table.times.length === 0) throw new AppError('not-found', 'The service has no data for this series.')
    const series = seriesOf(computedOwner(portfolio.connectionId), wanted)
    const etag = createHash('sha256').update(JSON.stringify(table)).digest('hex')
    const files = resultFiles(store, series)
    if (files.length > 0 && files.every((file) => file.etag === etag)) return false
    await storeResult(deps, series, table, { etag, provenance: provenanceOf(requests, answers) })
    return true
  }

  const provenanceOf = (
    requests: readonly HistoryRequest[],
    answers: readonly ServedAnswer<HistoryMatrix>[],
  ): string => {
    const histories = requests.map((request, at) => {
      const { source, fetchedAt } = answers[at].freshness
      return { request, source, fetched: new Date(fetchedAt).toISOString() }
    })
    const writtenAt = new Date(clock.nowMs()).toISOString()
    return `${JSON.stringify({ writtenBy: `Perpscope ${version}`, writtenAt, histories }, null, 2)}\n`
  }

  return {
    list(connectionId) {
      const { connectionId: id } = open(connectionId)
      const allSeries = portfolioDatasetIds.flatMap((dataset) =>
        storedSeries(id, dataset).map(({ symbol, columns }) => ({ dataset, symbol, columns })),
      )
      const bySymbol = Map.groupBy(allSeries, ({ dataset, symbol }) => `${dataset} ${symbol}`)
      return [...bySymbol.values()].map((sameSymbol) => ({
        ...sameSymbol[0],
        columns: [...new Set(sameSymbol.flatMap(({ columns }) => columns))].sort(),
      }))
    },
    async refresh(connectionId, wanted, signal) {
      const answer: RefreshedPortfolioSeries = { refreshed: [], problems: [] }
      for (const each of wanted.filter(({ dataset }) => isPortfolioDataset(dataset))) {
        signal.throwIfAborted()
        try {
          if (await refreshSeries(connectionId, each, signal)) answer.refreshed.push(each.symbol)
        } catch (thrown) {
          const { detail, sentence } = toAppError(thrown)
          answer.problems.push({ symbol: each.symbol, message: detail ?? sentence })
        }
      }
      return answer
    },
  }
}

const seriesOf = (connectionId: string, { dataset, symbol }: PortfolioSeries): OwnedSeries => ({
  connectionId,
  kind: 'metrics',
  dataset,
  exchange: PORTFOLIO_VENUE,
  symbol,
  interval: '1d',
  timestamp: 'exchange',
})

/** Joins histories by day, with a row for each day that any of them has. */
function tableOf(dataset: PortfolioDatasetId, histories: readonly HistoryMatrix[]): TimeTable {
  const days = Int32Array.from(new Set(histories.flatMap((each) => [...each.days]))).sort()
  const rowByDay = new Map(Array.from(days, (day, row) => [day, row]))
  const columns = new Map<string, (number | null)[]>()
  for (const { days: historyDays, columns: names, values } of histories)
    for (const [index, name] of names.entries()) {
      const cells = columns.get(name) ?? Array.from<number | null>({ length: days.length }).fill(null)
      columns.set(name, cells)
      historyDays.forEach((day, row) => {
        const value = values[row * names.length + index]
        if (!Number.isNaN(value)) cells[rowByDay.get(day)!] = value
      })
    }
  const times = Array.from(days, (day) => day * MS_PER_DAY)
  if (dataset === 'portfolio_returns') return { times, columns: returnsColumns([...columns.values()].at(0) ?? []) }
  // The time column of the file is named `time`, so any other column of that name is left out.
  columns.delete('time')
  return { times, columns: [...columns].map(([name, values]) => ({ name, values })) }
}

/**
 * Returns the columns of a return series. A day without a return has no equity either; the next day continues from the
 * last equity.
 */
function returnsColumns(returns: readonly (number | null)[]): TimeTable['columns'] {
  let equityLevel = 1
  const equity = returns.map((each) => (each === null ? null : (equityLevel *= 1 + each)))
  return [
    { name: 'equity', values: equity },
    { name: 'return', values: returns },
  ]
}
