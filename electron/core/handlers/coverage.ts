import { resolveOwner } from '#shared/contract/computedOwner.ts'
import { numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { periodCoverage } from '#core/downloads/plan.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Clock } from '#core/ports.ts'
import type { CacheIndex } from '#core/store/cacheIndex.ts'
import type { Store } from '#core/store/store.ts'

/** Answers the calls on coverage from the cache, without any request to a service. */
export function coverageHandlers(store: Store, clock: Clock): Handlers<CallsOf<'coverage'>> {
  const connectionOf = (id: string) => (id === '' ? store.connections.active() : store.connections.find(id))
  return {
    'coverage.periods': ({ connectionId, startDay, endDay, ...named }) => {
      const { id, tier } = connectionOf(connectionId)
      const series = { ...named, connectionId: id, ...(named.kind === 'raw' && { interval: '', timestamp: '' }) }
      return { periods: periodCoverage(store, clock.nowMs(), { series, startDay, endDay, tier }) }
    },
    'coverage.cachedShares': ({ connectionId }) => sharesFrame(store.cacheIndex.rawDays(connectionOf(connectionId).id)),
    'coverage.cachedGaps': ({ connectionId }) => gapsFrame(store.cacheIndex.gaps(connectionOf(connectionId).id)),
    'coverage.cachedSeries': ({ connectionId }) =>
      seriesFrame(store.cacheIndex.series(resolveOwner(connectionId, () => store.connections.active().id))),
    'coverage.refusals': ({ connectionId }) =>
      store.unavailable
        .refusals(connectionOf(connectionId).id)
        .map(({ kind, dataset, interval, message, atMs }) => ({ kind, dataset, interval, message, at: atMs })),
  }
}

function sharesFrame(rows: ReturnType<CacheIndex['rawDays']>): Frame {
  const text = (name: 'dataset' | 'exchange' | 'symbol') =>
    textColumn(
      name,
      rows.map((row) => row[name]),
    )
  const days = rows.map((row) => row.days)
  return { rows: rows.length, columns: [text('dataset'), text('exchange'), text('symbol'), numberColumn('days', days)] }
}

function gapsFrame(rows: ReturnType<CacheIndex['gaps']>): Frame {
  const names = ['dataset', 'exchange', 'symbol', 'interval'] as const
  const texts = names.map((name) =>
    textColumn(
      name,
      rows.map((row) => row[name]),
    ),
  )
  const missing = rows.map((row) => row.missing)
  return { rows: rows.length, columns: [...texts, numberColumn('missing', missing)] }
}

function seriesFrame(rows: ReturnType<CacheIndex['series']>): Frame {
  const names = ['kind', 'dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const
  return {
    rows: rows.length,
    columns: [
      ...names.map((name) =>
        textColumn(
          name,
          rows.map(({ series }) => series[name]),
        ),
      ),
      numberColumn(
        'files',
        rows.map(({ files }) => files),
      ),
      numberColumn(
        'bytes',
        rows.map(({ sizeBytes }) => sizeBytes),
      ),
    ],
  }
}
