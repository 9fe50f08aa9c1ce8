import type { HttpClient } from '#core/clients/http.ts'
import { isUnanswered } from '#core/clients/httpErrors.ts'
import {
  catalogEntries,
  type CatalogEntry,
  createMetricsService,
  isRawAddress,
  type MetricsService,
  type RawAddress,
} from '#core/clients/metricsService.ts'
import { findRawCatalog, foundCatalogUrl, type RawCatalog, readRawCatalog } from '#core/clients/rawCatalog.ts'
import { createServiceRequest } from '#core/clients/serviceRequest.ts'
import type { Connections } from '#core/connections/connections.ts'
import type { Clock } from '#core/ports.ts'
import {
  type CoverageChange,
  type CoverageStore,
  METRICS_CATALOG,
  NO_RAW_CATALOG,
  RAW_ADDRESS,
  RAW_CATALOG,
  type StoredDocument,
  SYMBOLS_DOCUMENT,
} from '#core/store/coverageStore.ts'
import { storedSlice } from '#core/store/storedSlice.ts'
import { isTextList, storedJsonOr } from '#core/store/storedJson.ts'
import type { RawCatalogView } from '#shared/contract/areas/discovery.ts'
import { coveredVenues } from '#shared/catalog/catalogVenues.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { coverageRows, readCatalogDocument } from './rawCatalogDocument.ts'

/** The services from which a connection discovers its data. */
interface DiscoverySources {
  connectionId: string
  metrics(): Promise<MetricsService>
  /** Reads the raw-event catalog; null if the service, where it is looked for, has none. */
  readCatalog(signal: AbortSignal): Promise<RawCatalog | null>
  /** Address from which the catalog is read; empty if there is none. */
  catalogLocation: string
  metricsUrl: string
}

/** The last fetched version of a document, with the time of the request and the address. */
export interface FetchedDocument<Value> {
  value: Value
  fetchedAtMs: number
  generatedAtMs: number | null
  source: string
}

interface StoredRawCatalog {
  catalog: RawCatalog
  /** Descriptions of coverage rows that are invalid and were left out. */
  problems: string[]
  /** Venues of the coverage, in the order in which it first names them; absent in older catalogs. */
  covered?: string[]
}

/** Discovers what the services of a connection offer; responses are cached and refreshed on demand. */
interface Discovery {
  catalog(): FetchedDocument<CatalogEntry[]> | null
  refreshCatalog(signal: AbortSignal): Promise<FetchedDocument<CatalogEntry[]>>
  symbols(exchange: string): FetchedDocument<string[]> | null
  refreshSymbols(exchange: string, signal: AbortSignal): Promise<CoverageChange>
  rawCatalog(): FetchedDocument<StoredRawCatalog> | null
  /**
   * Replaces the coverage index in one transaction and reports what has changed. A service that had no catalog is asked
   * again only if `force` is true.
   */
  refreshRawCatalog(signal: AbortSignal, force: boolean): Promise<CoverageChange>
}

const isCatalog = (value: unknown): value is CatalogEntry[] | null => catalogEntries.safeParse(value).success

const isRawCatalog = (value: unknown): value is StoredRawCatalog | null =>
  isRecord(value) && isRecord(value.catalog) && isTextList(value.problems)

const symbolsDocumentName = (exchange: string) => SYMBOLS_DOCUMENT + exchange

function createDiscovery(store: CoverageStore, clock: Clock, sources: DiscoverySources): Discovery {
  const { connectionId } = sources

  /** Reads a stored document; a damaged one counts as never fetched, so that it is fetched again. */
  function readStored<Value>(
    name: string,
    read: (document: StoredDocument) => Value | null,
  ): FetchedDocument<Value> | null {
    const document = store.document(connectionId, name)
    const value = document ? read(document) : null
    if (!document || value === null) return null
    const { fetchedAtMs, generatedAtMs, source } = document
    return { value, fetchedAtMs, generatedAtMs, source }
  }

  const storedDocument = (
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

  const catalog = () => readStored(METRICS_CATALOG, ({ body }) => storedJsonOr(body, isCatalog, null))

  return {
    catalog,
    async refreshCatalog(signal) {
      const entries = await (await sources.metrics()).catalog(signal)
      const document = storedDocument(METRICS_CATALOG, entries, sources.metricsUrl)
      store.saveDocument(document)
      return { value: entries, fetchedAtMs: document.fetchedAtMs, generatedAtMs: null, source: document.source }
    },
    symbols: (exchange) => readStored(symbolsDocumentName(exchange), () => store.symbols(connectionId, exchange)),
    async refreshSymbols(exchange, signal) {
      const symbols = await (await sources.metrics()).symbols(exchange, signal)
      return store.replaceSymbols(
        storedDocument(symbolsDocumentName(exchange), null, sources.metricsUrl),
        exchange,
        symbols,
      )
    },
    rawCatalog: () => readStored(RAW_CATALOG, ({ body }) => storedJsonOr(body, isRawCatalog, null)),
    async refreshRawCatalog(signal, force) {
      const { catalogLocation: source } = sources
      if (!force && store.document(connectionId, NO_RAW_CATALOG)) throw noCatalogError(source)
      const catalog = await sources.readCatalog(signal)
      const change = keepRawCatalog(store, clock, { connectionId, source }, catalog)
      if (change === null) throw noCatalogError(source)
      return change
    },
  }
}

const noCatalogError = (looked: string) =>
  new AppError(
    'not-found',
    `This connection has no catalog of raw events: none is set${looked === '' ? '' : `, and the service has none at ${looked}`}.`,
  )

/**
 * Stores the catalog of raw events and its coverage, or the note that the service has none.
 * @returns what has changed; null if there is no catalog
 */
export function keepRawCatalog(
  store: CoverageStore,
  clock: Clock,
  { connectionId, source }: { connectionId: string; source: string },
  found: RawCatalog | null,
): CoverageChange | null {
  const document = { connectionId, name: RAW_CATALOG, fetchedAtMs: clock.nowMs(), generatedAtMs: null, source }
  if (found === null) {
    store.saveDocument({ ...document, name: NO_RAW_CATALOG, body: 'null' })
    return null
  }
  const { coverage, ...catalog } = found
  const { rows, problems } = coverageRows(coverage?.datasets)
  const generatedAtMs = Date.parse(coverage?.generated_at ?? '')
  const body: StoredRawCatalog = { catalog, problems, covered: coveredVenues(coverage?.datasets) }
  store.removeDocument(connectionId, NO_RAW_CATALOG)
  return store.replaceCoverage(
    { ...document, body: JSON.stringify(body), generatedAtMs: Number.isNaN(generatedAtMs) ? null : generatedAtMs },
    rows,
  )
}

/** Opens the discovery of the connection with this id, or of the active connection if the id is empty. */
export type OpenDiscovery = (connectionId: string) => Promise<Discovery & { connectionId: string }>

/** Returns a connection's metrics service; throws if it has none. */
export async function reachMetrics(
  http: HttpClient,
  connections: Connections,
  connectionId: string,
  store: CoverageStore,
  clock: Clock,
): Promise<MetricsService> {
  const { id, metrics, isPreview } = await connections.access(connectionId)
  if (metrics.baseUrl === '') throw new AppError('not-found', 'This connection has no metrics service.')
  return createMetricsService(createServiceRequest(http, metrics), {
    rawAddress: rememberedRawAddress(store, clock, id, metrics.baseUrl),
    preview: isPreview ? { slice: storedSlice(store, id) } : null,
  })
}

const isRawAddressOrNull = (value: unknown): value is RawAddress | null => value === null || isRawAddress(value)

/** Remembers the address at which a service lists raw events, as a document of the service. */
const rememberedRawAddress = (store: CoverageStore, clock: Clock, connectionId: string, source: string) => ({
  read: () => storedJsonOr(store.document(connectionId, RAW_ADDRESS)?.body, isRawAddressOrNull, null),
  write: (address: RawAddress) =>
    store.saveDocument({
      connectionId,
      name: RAW_ADDRESS,
      body: JSON.stringify(address),
      fetchedAtMs: clock.nowMs(),
      generatedAtMs: null,
      source,
    }),
})

export function createDiscoveryOpener(
  http: HttpClient,
  connections: Connections,
  store: CoverageStore,
  clock: Clock,
): OpenDiscovery {
  return async (wantedId) => {
    const { id: connectionId, metrics, catalogLocation } = await connections.access(wantedId)
    const discovery = createDiscovery(store, clock, {
      connectionId,
      metrics: () => reachMetrics(http, connections, connectionId, store, clock),
      async readCatalog(signal) {
        if (catalogLocation !== '') return readRawCatalog(http, catalogLocation, signal)
        return metrics.baseUrl === '' ? null : findRawCatalog(http, metrics.baseUrl, signal)
      },
      catalogLocation: catalogLocation || (metrics.baseUrl && foundCatalogUrl(metrics.baseUrl)),
      metricsUrl: metrics.baseUrl,
    })
    return { ...discovery, connectionId }
  }
}

export function rawCatalogView({
  value,
  fetchedAtMs,
  generatedAtMs,
  source,
}: FetchedDocument<StoredRawCatalog>): RawCatalogView {
  const document = readCatalogDocument(value.catalog)
  return {
    ...document,
    freshness: { fetchedAt: fetchedAtMs, generatedAt: generatedAtMs, source },
    problems: [...document.problems, ...value.problems],
  }
}

/** Age at which a document is requested again if possible; services rarely add datasets and symbols. */
const FRESH_FOR_MS = 24 * 60 * 60 * 1000

/**
 * Refreshes a cached document unless it is fresh.
 * @param force true to refresh in any case, and to throw if that fails
 * @returns the change; null if the cached document stays, because it is fresh or because the network or the service
 * failed
 */
export async function refreshIfStale<Cached extends { fetchedAtMs: number }, Change>(
  clock: Clock,
  readStored: () => Cached | null,
  renew: () => Promise<Change>,
  force: boolean,
): Promise<Change | null> {
  const before = readStored()
  if (!force && before && clock.nowMs() - before.fetchedAtMs < FRESH_FOR_MS) return null
  try {
    return await renew()
  } catch (thrown) {
    const error = toAppError(thrown)
    if (before && !force && isUnanswered(error)) return null
    throw !before && error.code === 'offline' ? new AppError('not-here') : thrown
  }
}
