import type { CatalogEntry, MetricsService } from '#core/clients/metricsService.ts'
import type { RawCatalog } from '#core/clients/rawCatalog.ts'
import type { Clock } from '#core/ports.ts'
import type { CoverageChange, CoverageStore, StoredDocument } from '#core/store/coverageStore.ts'
import { coverageRows } from './coverageRows.ts'

/** Sources of the data that a connection discovers. */
export interface DiscoverySources {
  connectionId: string
  metrics(): Promise<MetricsService>
  readCatalog(signal: AbortSignal): Promise<RawCatalog>
  catalogLocation: string
  metricsUrl: string
}

/** A document as it is known here: when and from where it came. */
export interface Known<Value> {
  value: Value
  fetchedAtMs: number
  generatedAtMs: number | null
  source: string
}

export interface RawCatalogKnown {
  catalog: RawCatalog
  /** Rows of the coverage part that make no sense and were left out. */
  problems: string[]
}

/** Discovery finds what the services of a connection offer: requested once, cached, and refreshed on demand. */
export interface Discovery {
  catalog(): Known<CatalogEntry[]> | null
  refreshCatalog(signal: AbortSignal): Promise<Known<CatalogEntry[]>>
  symbols(exchange: string): Known<string[]> | null
  refreshSymbols(exchange: string, signal: AbortSignal): Promise<CoverageChange>
  rawCatalog(): Known<RawCatalogKnown> | null
  /** Replaces the coverage index in one transaction and says what is different. */
  refreshRawCatalog(signal: AbortSignal): Promise<CoverageChange>
}

const METRICS_CATALOG = 'metrics-catalog'
const RAW_CATALOG = 'raw-catalog'
const symbolsOf = (exchange: string) => `symbols/${exchange}`

export function createDiscovery(store: CoverageStore, clock: Clock, sources: DiscoverySources): Discovery {
  const { connectionId } = sources

  function known<Value>(name: string, read: (document: StoredDocument) => Value): Known<Value> | null {
    const document = store.document(connectionId, name)
    if (!document) return null
    const { fetchedAtMs, generatedAtMs, source } = document
    return { value: read(document), fetchedAtMs, generatedAtMs, source }
  }

  const fetched = (
    name: string,
    body: unknown,
    source: string,
    generatedAtMs: number | null = null,
  ): StoredDocument => ({
    connectionId,
    name,
    body: JSON.stringify(body),
    fetchedAtMs: clock.nowMs(),
    generatedAtMs,
    source,
  })

  const catalog = () => known(METRICS_CATALOG, ({ body }) => JSON.parse(body) as CatalogEntry[])

  return {
    catalog,
    async refreshCatalog(signal) {
      const entries = await (await sources.metrics()).catalog(signal)
      const document = fetched(METRICS_CATALOG, entries, sources.metricsUrl)
      store.saveDocument(document)
      return { value: entries, fetchedAtMs: document.fetchedAtMs, generatedAtMs: null, source: document.source }
    },
    symbols: (exchange) => known(symbolsOf(exchange), () => store.symbols(connectionId, exchange)),
    async refreshSymbols(exchange, signal) {
      const symbols = await (await sources.metrics()).symbols(exchange, signal)
      return store.replaceSymbols(fetched(symbolsOf(exchange), null, sources.metricsUrl), exchange, symbols)
    },
    rawCatalog: () => known(RAW_CATALOG, ({ body }) => JSON.parse(body) as RawCatalogKnown),
    async refreshRawCatalog(signal) {
      const { coverage, ...catalog } = await sources.readCatalog(signal)
      const { rows, problems } = coverageRows(coverage?.datasets)
      const generatedAtMs = Date.parse(coverage?.generated_at ?? '')
      const body: RawCatalogKnown = { catalog, problems }
      const document = fetched(
        RAW_CATALOG,
        body,
        sources.catalogLocation,
        Number.isNaN(generatedAtMs) ? null : generatedAtMs,
      )
      return store.replaceCoverage(document, rows)
    },
  }
}
