import { onScopeDispose, shallowReactive, watch } from 'vue'
import { dailySeriesOf, type DailySeries } from '#shared/portfolio/dailySeries.ts'
import { figureValues, type FigureValues, returnsView } from '#shared/portfolio/figures.ts'
import { levelsOfReturns } from '#shared/portfolio/benchmark.ts'
import { addDays, dayOf } from '#shared/time.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'

const YEAR_DAYS = 365
/**
 * Extra days to fetch before the year, because the year ends earlier if the returns of the last days do not exist yet.
 */
const SPARE_DAYS = 5
/** Number of portfolios fetched at a time, to limit the load on the service. */
const PORTFOLIOS_AT_ONCE = 2

/** The last 365 days of a portfolio. */
export interface YearOverview {
  equity: DailySeries
  /** Figures of the year; null if there is less than a year of returns. */
  figures: FigureValues | null
  lastDay: number
}

/**
 * Computes the equity and the figures of the 365 days up to the last return, as in the 1Y window of a tear sheet; null
 * without returns.
 */
export function yearOverviewOf(series: DailySeries): YearOverview | null {
  const all = returnsView(series)
  const lastDay = all.days.at(-1)
  if (lastDay === undefined) return null
  const startDay = lastDay - YEAR_DAYS + 1
  const view = returnsView(series, { startDay, endDay: lastDay + 1 })
  return {
    equity: levelsOfReturns({ days: view.days, values: view.returns, valid: null }),
    figures: all.days[0] <= startDay ? figureValues(view) : null,
    lastDay,
  }
}

/** Loads the last year of portfolios, a few at a time; null for one that is not available. */
export function useYearOverviews(ids: () => readonly string[]) {
  const host = useHost()
  const connections = useConnections()
  const yearById = shallowReactive(new Map<string, YearOverview | null>())
  let controller = new AbortController()

  async function load(portfolio: string, signal: AbortSignal): Promise<void> {
    const start = addDays(dayOf(Date.now()), -YEAR_DAYS - SPARE_DAYS)
    try {
      const query = { request: { endpoint: 'returns' as const, portfolio }, start, isPreview: true }
      const { rows } = await host.call('portfolio.history', query, { signal })
      if (!signal.aborted) yearById.set(portfolio, yearOverviewOf(dailySeriesOf(rows).series))
    } catch {
      // Errors are ignored: the list omits the figures, and the page of the portfolio shows what is wrong.
      if (!signal.aborted) yearById.set(portfolio, null)
    }
  }

  async function loadMissing(signal: AbortSignal): Promise<void> {
    for (;;) {
      const next = ids()
        .filter((id) => !yearById.has(id))
        .slice(0, PORTFOLIOS_AT_ONCE)
      if (next.length === 0 || signal.aborted) return
      await Promise.all(next.map((id) => load(id, signal)))
    }
  }

  watch(
    [() => ids().join('\n'), () => connections.active?.id],
    ([, connection], [, before]) => {
      controller.abort()
      controller = new AbortController()
      if (connection !== before) yearById.clear()
      void loadMissing(controller.signal)
    },
    { immediate: true },
  )
  onScopeDispose(() => controller.abort())
  return yearById
}
