import { AppError } from '#shared/contract/errors.ts'
import type { Freshness } from '#shared/contract/areas/discovery.ts'
import { numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { type FetchedDocument, refreshIfStale, type OpenDiscovery, rawCatalogView } from '#core/discovery/discovery.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Clock } from '#core/ports.ts'
import type { VenueStore } from '#core/store/venueStore.ts'
import { type CoverageStore, type DayRange, RAW_CATALOG, type RawCoverageRow } from '#core/store/coverageStore.ts'

const freshnessOf = ({ fetchedAtMs, generatedAtMs, source }: FetchedDocument<unknown>): Freshness => ({
  fetchedAt: fetchedAtMs,
  generatedAt: generatedAtMs,
  source,
})

export interface DiscoveryHandlerDeps {
  open: OpenDiscovery
  store: CoverageStore
  venues: Pick<VenueStore, 'contradictions'>
  bus: EventBus
  clock: Clock
}

export function discoveryHandlers({
  open,
  store,
  venues,
  bus,
  clock,
}: DiscoveryHandlerDeps): Handlers<CallsOf<'discovery'>> {
  /**
   * Refreshes a stale document, and notifies the windows if that succeeds.
   * @returns the document stored afterwards, and what the refresh changed; null if there was no successful refresh
   */
  async function refreshAndRead<Value, Change>(
    connectionId: string,
    readStored: () => FetchedDocument<Value> | null,
    renew: () => Promise<Change>,
    force: boolean,
  ): Promise<{ document: FetchedDocument<Value>; changed: Change | null }> {
    const changed = await refreshIfStale(clock, readStored, renew, force)
    if (changed !== null) bus.emit('discovery.changed', { connectionId })
    const document = readStored()
    if (document === null) throw new AppError('not-here')
    return { document, changed }
  }

  return {
    'discovery.catalog': async ({ connectionId, refresh }, { signal }) => {
      const { catalog, refreshCatalog, ...discovery } = await open(connectionId)
      const { document } = await refreshAndRead(discovery.connectionId, catalog, () => refreshCatalog(signal), refresh)
      return { datasets: document.value, freshness: freshnessOf(document) }
    },
    'discovery.symbols': async ({ connectionId, exchange, refresh }, { signal }) => {
      const discovery = await open(connectionId)
      const { document, changed } = await refreshAndRead(
        discovery.connectionId,
        () => discovery.symbols(exchange),
        () => discovery.refreshSymbols(exchange, signal),
        refresh,
      )
      return { symbols: document.value, freshness: freshnessOf(document), changed }
    },
    'discovery.searchSymbols': async ({ connectionId, text, limit }) =>
      store.searchSymbols((await open(connectionId)).connectionId, text, limit),
    'discovery.rawCatalog': async ({ connectionId, refresh }, { signal }) => {
      const { rawCatalog, refreshRawCatalog, ...discovery } = await open(connectionId)
      const renew = () => refreshRawCatalog(signal, refresh)
      const { document, changed } = await refreshAndRead(discovery.connectionId, rawCatalog, renew, refresh)
      const view = rawCatalogView(document)
      const problems = [...view.problems, ...venues.contradictions(discovery.connectionId)]
      return { catalog: { ...view, problems }, changed }
    },
    'discovery.coverage': async ({ connectionId, refresh, ...filter }, { signal }) => {
      const { rawCatalog, refreshRawCatalog, ...discovery } = await open(connectionId)
      const { document } = await refreshAndRead(
        discovery.connectionId,
        rawCatalog,
        () => refreshRawCatalog(signal, refresh),
        refresh,
      )
      return { rows: coverageFrame(store.coverage(discovery.connectionId, filter)), freshness: freshnessOf(document) }
    },
    'discovery.dataUntil': async ({ connectionId }) => {
      const { connectionId: id } = await open(connectionId)
      const [newestDay, document] = [store.newestDay(id), store.document(id, RAW_CATALOG)]
      if (newestDay === null || !document) return null
      const lagMs = Math.max(0, document.fetchedAtMs - (newestDay + 1) * MS_PER_DAY)
      return clock.nowMs() - lagMs
    },
  }
}

/**
 * Counts the days that are missing: those that the document names, or more if its number of days says so. If it claims
 * more days than the range has, the document is wrong, and no day counts as missing.
 */
const missingCount = ({ firstDay, lastDay, days, missing }: RawCoverageRow) =>
  Math.max(
    (missing ?? []).reduce((sum, [start, end]) => sum + end - start, 0),
    lastDay - firstDay + 1 - days,
    0,
  )

/** Writes a range as its day, or as its first and last day. */
function rangeText([start, end]: DayRange): string {
  const first = dayFromNumber(start)
  return end - start === 1 ? first : `${first}/${dayFromNumber(end - 1)}`
}

function coverageFrame(rows: readonly RawCoverageRow[]): Frame {
  return {
    rows: rows.length,
    columns: [
      textColumn(
        'dataset',
        rows.map(({ dataset }) => dataset),
      ),
      textColumn(
        'exchange',
        rows.map(({ exchange }) => exchange),
      ),
      textColumn(
        'symbol',
        rows.map(({ symbol }) => symbol),
      ),
      timeColumn(
        'first',
        rows.map(({ firstDay }) => firstDay * MS_PER_DAY),
      ),
      timeColumn(
        'last',
        rows.map(({ lastDay }) => lastDay * MS_PER_DAY),
      ),
      numberColumn(
        'days',
        rows.map(({ days }) => days),
      ),
      numberColumn('missing', rows.map(missingCount)),
      numberColumn(
        'bytes',
        rows.map(({ sizeBytes }) => sizeBytes),
      ),
      textColumn(
        'gaps',
        rows.map(({ missing }) => missing && missing.map(rangeText).join(' ')),
      ),
    ],
  }
}
