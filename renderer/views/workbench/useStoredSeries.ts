import { computed, onScopeDispose, watch } from 'vue'
import { isPortfolioDataset, type PortfolioDatasetId } from '#shared/catalog/portfolioSeries.ts'
import { isSqlDataset } from '#shared/catalog/sqlSeries.ts'
import { AppError } from '#shared/contract/errors.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { ColumnSource, WorkspaceContent } from '#shared/workspace/workspaceSchema.ts'
import { onCacheChange } from '../../stores/cache.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'
import { usePortfolioSeries } from '../../stores/portfolioSeries.ts'
import { useToasts } from '../../stores/toasts.ts'
import { workbenchText } from '../../text/workbench.ts'

interface StoredSeriesKind {
  sources: readonly ColumnSource[]
  /** Recomputes the series whose sources have changed. */
  refresh(): Promise<{ refreshed: readonly string[]; problems: readonly { symbol: string; message: string }[] }>
  /** Returns the message for a series that could not be recomputed. */
  text(symbol: string, message: string): string
}

/** Returns a function that refreshes series of one kind, one request after another, and reports each problem once. */
function createRefresh(kind: () => StoredSeriesKind, onRefreshed: () => void): () => Promise<void> {
  const toasts = useToasts()
  const reported = new Set<string>()
  let isBusy = false
  let isRequestedAgain = false

  return async function refresh(): Promise<void> {
    const { sources, refresh: requestRefresh, text } = kind()
    if (sources.length === 0) return
    if (isBusy) {
      isRequestedAgain = true
      return
    }
    isBusy = true
    try {
      const { refreshed, problems } = await requestRefresh()
      if (refreshed.length > 0) onRefreshed()
      for (const { symbol, message } of problems) {
        const sentence = text(symbol, message)
        if (!reported.has(sentence)) toasts.problem(new AppError('bad-input', sentence))
        reported.add(sentence)
      }
    } catch (thrown) {
      toasts.problem(thrown)
    } finally {
      isBusy = false
    }
    if (!isRequestedAgain) return
    isRequestedAgain = false
    await refresh()
  }
}

/** Refreshes the workspace's series that are stored answers: results of queries, and histories of portfolios. */
export function useStoredSeries(document: () => WorkspaceContent, onRefreshed: () => void): void {
  const host = useHost()
  const connections = useConnections()
  const portfolios = usePortfolioSeries()
  const columns = computed(() =>
    allSeries(document()).flatMap(({ source }) => (source.kind === 'column' ? [source] : [])),
  )
  const sqlSources = computed(() => columns.value.filter(({ dataset }) => isSqlDataset(dataset)))
  const portfolioSources = computed(() => columns.value.filter(({ dataset }) => isPortfolioDataset(dataset)))

  const refreshSql = createRefresh(
    () => ({
      sources: sqlSources.value,
      refresh: () =>
        host.call('sql.refreshSeries', { symbols: [...new Set(sqlSources.value.map(({ symbol }) => symbol))] }),
      text: workbenchText.sqlSeries,
    }),
    onRefreshed,
  )
  const refreshPortfolios = createRefresh(
    () => ({
      sources: portfolioSources.value,
      refresh: () => portfolios.refresh(seriesWithColumns(portfolioSources.value)),
      text: workbenchText.portfolioSeries,
    }),
    onRefreshed,
  )

  watch(() => sqlSources.value.map(({ symbol }) => symbol).join('\n'), refreshSql, { immediate: true })
  onCacheChange(() => void refreshSql())
  watch(
    () => [connections.active?.id, JSON.stringify(seriesWithColumns(portfolioSources.value))].join('\n'),
    refreshPortfolios,
    {
      immediate: true,
    },
  )
  // Portfolios are not refreshed when files arrive, because that could send requests to the service.
  onScopeDispose(host.on('portfolio.changed', () => void refreshPortfolios()))
}

/** Lists each portfolio series once, with all of its charted columns. */
const seriesWithColumns = (sources: readonly ColumnSource[]) =>
  [...Map.groupBy(sources, ({ dataset, symbol }) => `${dataset} ${symbol}`).values()].map((sameSeries) => ({
    dataset: sameSeries[0].dataset as PortfolioDatasetId,
    symbol: sameSeries[0].symbol,
    columns: [...new Set(sameSeries.map(({ column }) => column))].sort(),
  }))
