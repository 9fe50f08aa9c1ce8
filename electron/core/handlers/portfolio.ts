/** Handles the calls on portfolios: histories, live responses, tickers, earlier snapshots and revised values. */
import { AppError } from '#shared/contract/errors.ts'
import { numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { endpointSpec } from '#shared/catalog/portfolioEndpoints.ts'
import {
  queryTextOf,
  requestOfQuery,
  tickersOf,
  type LiveRequest,
  type PortfolioRequest,
} from '#shared/catalog/portfolioRequest.ts'
import { dayFrame, columnWithGaps, type PortfolioSnapshot } from '#shared/portfolio/dailySeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import { changedTickers, changedValues, type ChangedValue } from '#core/portfolio/changedValues.ts'
import type { ServedAnswer } from '#core/portfolio/portfolio.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { PortfolioSeriesStore } from '#core/portfolio/portfolioSeries.ts'
import type { PortfolioStore } from '#core/store/portfolioStore.ts'

export interface PortfolioHandlerDeps {
  open: OpenPortfolio
  store: PortfolioStore
  series: PortfolioSeriesStore
  bus: EventBus
}

export function portfolioHandlers({ open, store, series, bus }: PortfolioHandlerDeps): Handlers<CallsOf<'portfolio'>> {
  async function reportIfChanged<Value>(
    connectionId: string,
    request: PortfolioRequest,
    answer: Promise<ServedAnswer<Value>>,
  ) {
    const { value, freshness, changed } = await answer
    const { endpoint } = request
    if (changed) bus.emit('portfolio.changed', { connectionId, endpoint, query: queryTextOf(request) })
    return { value, freshness }
  }

  return {
    'portfolio.history': async ({ connectionId, request, start, end, refresh, isPreview }, { signal }) => {
      const portfolio = open(connectionId)
      const range = { start: start ? dayNumberOf(start) : null, end: end ? dayNumberOf(end) + 1 : null }
      const answer = portfolio.history(request, range, { refresh, isPreview }, signal)
      const { value, freshness } = await reportIfChanged(portfolio.connectionId, request, answer)
      return { rows: dayFrame(value), freshness }
    },
    'portfolio.live': async ({ connectionId, request, refresh }, { signal }) => {
      const portfolio = open(connectionId)
      const answer = portfolio.live(request, refresh, signal)
      const { value, freshness } = await reportIfChanged(portfolio.connectionId, request, answer)
      return { ...shownSnapshot(request, value), freshness }
    },
    'portfolio.tickers': async ({ connectionId, request, refresh }, { signal }) => {
      const portfolio = open(connectionId)
      const answer = portfolio.tickers(request, refresh, signal)
      const { value: tickers, freshness } = await reportIfChanged(portfolio.connectionId, request, answer)
      return { tickers, freshness }
    },
    'portfolio.snapshots': ({ connectionId, request, limit }) => {
      const storedRequest = open(connectionId).find(request)
      const snapshots = storedRequest ? store.snapshots(storedRequest.id, limit) : []
      return snapshots.map(({ day, createdAtMs, fetchedAtMs }) => ({
        day: day * MS_PER_DAY,
        createdAt: createdAtMs,
        fetchedAt: fetchedAtMs,
      }))
    },
    'portfolio.keptSnapshots': ({ connectionId, endpoint, limit }) =>
      store
        .snapshotsOf(open(connectionId).connectionId, endpoint, limit)
        .map(({ query, day, createdAtMs, fetchedAtMs, source }) => ({
          request: requestOfQuery(endpoint, query),
          day: day * MS_PER_DAY,
          createdAt: createdAtMs,
          fetchedAt: fetchedAtMs,
          source,
        })),
    'portfolio.snapshot': ({ connectionId, request, createdAt }) => {
      const storedRequest = open(connectionId).find(request)
      const snapshot = storedRequest && store.snapshot(storedRequest.id, createdAt)
      if (!snapshot) throw new AppError('not-here')
      return shownSnapshot(request, snapshot)
    },
    'portfolio.revisions': ({ connectionId, request, limit }) => {
      const storedRequest = open(connectionId).find(request)
      if (!storedRequest) return changeFrame([])
      const read = request.endpoint === 'tickers' ? changedTickers : changedValues
      return changeFrame(read(store, storedRequest.id, limit))
    },
    'portfolio.usedIds': ({ connectionId, kind, limit }) =>
      store.ids
        .usedIds(open(connectionId).connectionId, kind, limit)
        .map(({ id, usedAtMs }) => ({ id, usedAt: usedAtMs })),
    'portfolio.listSeries': ({ connectionId }) => series.list(connectionId),
    'portfolio.refreshSeries': async ({ connectionId, series: wanted }, { signal }) => {
      const answer = await series.refresh(connectionId, wanted, signal)
      if (answer.refreshed.length > 0) bus.emit('cache.changed', {})
      return answer
    },
  }
}

function shownSnapshot(request: LiveRequest, { day: dayNumber, createdAtMs, columns, values }: PortfolioSnapshot) {
  const isPoint = endpointSpec(request.endpoint).answer === 'point'
  const order = rowsInRequestOrder(request, columns)
  const orderedValues = Float64Array.from(order, (row) => values[row])
  const value = columnWithGaps('value', orderedValues)
  const tickers = textColumn(
    'ticker',
    order.map((row) => columns[row]),
  )
  const rows: Frame = { rows: columns.length, columns: isPoint ? [value] : [tickers, value] }
  return { day: dayNumber * MS_PER_DAY, createdAt: createdAtMs, rows }
}

/** Lists the rows of the requested tickers in the order of the request, then any others in the order of the service. */
function rowsInRequestOrder(request: LiveRequest, tickers: readonly string[]): number[] {
  const rankByTicker = new Map(tickersOf(request)?.map((ticker, index) => [ticker, index]))
  const rankOf = (row: number) => rankByTicker.get(tickers[row]) ?? rankByTicker.size
  return tickers.map((_, row) => row).sort((a, b) => rankOf(a) - rankOf(b))
}

function changeFrame(changes: readonly ChangedValue[]): Frame {
  const valuesOf = <Name extends keyof ChangedValue>(name: Name) => changes.map((change) => change[name])
  return {
    rows: changes.length,
    columns: [
      timeColumn(
        'day',
        valuesOf('day').map((day) => (day === null ? null : day * MS_PER_DAY)),
      ),
      timeColumn('created', valuesOf('createdAtMs')),
      textColumn('column', valuesOf('column')),
      numberColumn('before', valuesOf('before')),
      numberColumn('after', valuesOf('after')),
      timeColumn('fetched', valuesOf('fetchedAtMs')),
      timeColumn('replaced', valuesOf('replacedAtMs')),
    ],
  }
}
