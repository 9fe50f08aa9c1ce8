import * as z from '#shared/schemas/lazySchemas.ts'
import type { ServiceTestResult } from '#shared/contract/areas/connections.ts'
import { AppError, type ErrorCode, toAppError } from '#shared/contract/errors.ts'
import { type PreviewSlice, sliceDays, sliceOfCatalog, sliceText } from '#shared/contract/previewSlice.ts'
import { addDays, dayOf } from '#shared/time.ts'
import { formatTime } from '#shared/units/instants.ts'
import { plainPlural, plural } from '#shared/units/plurals.ts'
import { createClickHouse, type ClickHouseAccess } from '#core/clients/clickhouse.ts'
import { createMetricsService } from '#core/clients/metricsService.ts'
import { createServiceRequest, type ServiceRequest, type ServiceAccess } from '#core/clients/serviceRequest.ts'
import type { HttpClient } from '#core/clients/http.ts'
import { withRetries } from '#core/clients/httpErrors.ts'
import { parseResponse } from '#core/clients/parseResponse.ts'
import { findRawCatalog, foundCatalogUrl, type RawCatalog, readRawCatalog } from '#core/clients/rawCatalog.ts'
import { catalogVenues, coveredVenues, venueContradictions } from '#shared/catalog/catalogVenues.ts'
import { type KnownVenue, type Venue, venuesOfDocuments } from '#shared/catalog/venues.ts'
import type { StoreFiles } from '#core/sharedStore/storeFiles.ts'

type Service = ServiceTestResult['service']
type Outcome = ServiceTestResult['outcome']

interface TestedConnection {
  metrics: ServiceAccess
  portfolio: ServiceAccess
  catalogLocation: string
  /** Venue whose symbols are requested; null if none is known. The catalog goes before one that it may not name. */
  venue: KnownVenue | null
  typedVenues: readonly Venue[]
  /** True if the service offers previews only, so that a preview is requested. */
  isPreview: boolean
  engine: ClickHouseAccess | null
  store: StoreFiles | null
  /** Called with the catalog and its address, once it has been read or looked for. */
  onCatalog(source: string, catalog: RawCatalog | null): void
}

/**
 * Sends a small request to every service of a connection, in parallel. A failed service is a result; only cancelling,
 * offline mode and internal errors reject.
 */
export function testServices(
  http: HttpClient,
  { metrics, portfolio, catalogLocation, venue, typedVenues, isPreview, engine, store, onCatalog }: TestedConnection,
  nowMs: number,
  signal: AbortSignal,
): Promise<ServiceTestResult[]> {
  const source = catalogLocation || (metrics.baseUrl && foundCatalogUrl(metrics.baseUrl))
  const catalog =
    catalogLocation !== ''
      ? readRawCatalog(http, catalogLocation, signal)
      : metrics.baseUrl === ''
        ? Promise.resolve(null)
        : findRawCatalog(http, metrics.baseUrl, signal)
  // Whether it can be read is the result of its own test.
  const venueOfCatalog = catalog.then((found) => found && firstVenueOf(found)).catch(() => null)
  const testedVenue = async () =>
    venue?.basis.id === 'typed' ? venue.id : ((await venueOfCatalog) ?? venue?.id ?? null)
  return Promise.all([
    probe('metrics', metrics.baseUrl, signal, async () => {
      const send = createServiceRequest(http, metrics)
      if (isPreview) return testPreview(send, sliceOfCatalog(await catalog.catch(() => null)), signal)
      return testMetrics(send, await testedVenue(), signal)
    }),
    probe('portfolio', portfolio.baseUrl, signal, () =>
      testPortfolio(createServiceRequest(http, portfolio), nowMs, signal),
    ),
    probe('catalog', source, signal, async () => {
      const found = await catalog
      onCatalog(source, found)
      return found && testCatalog(found, typedVenues, catalogLocation === '' ? source : null)
    }),
    ...(engine ? [probe('engine', engine.url, signal, () => testEngine(http, engine, signal))] : []),
    ...(store ? [probe('store', store.location, signal, () => testStore(store, signal))] : []),
  ])
}

async function probe(
  service: Service,
  location: string,
  signal: AbortSignal,
  run: () => Promise<string | null>,
): Promise<ServiceTestResult> {
  if (location === '') return { service, outcome: 'not-set', message: 'No address is set.' }
  try {
    const message = await withRetries(run, signal)
    if (message !== null) return { service, outcome: 'ok', message }
    return { service, outcome: 'not-set', message: `No catalog: none is set, and the service has none at ${location}.` }
  } catch (thrown) {
    signal.throwIfAborted()
    const error = toAppError(thrown)
    // When offline, nothing was sent, and an internal error is our own, so neither says anything about the service.
    if (error.code === 'offline' || error.code === 'internal') throw error
    return { service, outcome: outcomeOf(error.code), message: describeFailure(error) }
  }
}

function outcomeOf(code: ErrorCode): Outcome {
  if (
    code === 'unauthorized' ||
    code === 'forbidden' ||
    code === 'no-key' ||
    code === 'no-keychain' ||
    code === 'login'
  )
    return 'refused'
  return code === 'network' || code === 'timeout' ? 'unreachable' : 'trouble'
}

function describeFailure(error: AppError): string {
  const detail = error.detail ? `${error.detail.replace(/\.$/, '')}.` : ''
  // The general message for these codes would add nothing to the detail.
  if (detail && (error.code === 'unsupported' || error.code === 'not-found')) return detail
  const message = error.code === 'no-key' ? 'It responds, but no API key is set.' : error.sentence
  const service = error.service?.message ? ` It says: “${error.service.message}”` : ''
  return `${message}${detail && ` ${detail}`}${service}`
}

const metricCatalog = z.object({ metrics: z.array(z.object({ id: z.string() })) })
const symbolList = z.object({ symbols: z.array(z.string()) })
const matrix = z.object({ index: z.array(z.string()), columns: z.array(z.string()) })

async function testMetrics(send: ServiceRequest, venue: string | null, signal: AbortSignal): Promise<string> {
  const { metrics } = parseResponse(metricCatalog, (await send('/metadata/catalog', {}, signal)).value)
  const datasetsText = plainPlural(metrics.length, 'dataset')
  if (venue === null)
    return `${datasetsText}. No venue is known: read the catalog, or name one under Settings → Connections or with “perpscope connection edit NAME --venue ID”.`
  const answer = await send('/metadata/symbols', { exchange: venue }, signal)
  const { symbols } = parseResponse(symbolList, answer.value)
  return `${datasetsText}; ${plainPlural(symbols.length, 'symbol')} on ${venue}.`
}

/** Lists the preview of one dataset: a service of previews may list neither datasets nor symbols without a key. */
async function testPreview(send: ServiceRequest, slice: PreviewSlice | null, signal: AbortSignal): Promise<string> {
  if (slice === null) throw new AppError('not-found', 'The raw-event catalog names no preview, or cannot be read.')
  const preview = { slice }
  const service = createMetricsService(send, { rawAddress: { read: () => null, write() {} }, preview })
  const [[exchange, symbol]] = Object.entries(slice.symbols)
  const { files } = await service.rawFiles({ dataset: 'trades', exchange, symbol, ...sliceDays(slice) }, signal)
  return `Previews: ${sliceText(slice)}; ${plural(files.length, 'file')} of trades on ${exchange}.`
}

async function testPortfolio(send: ServiceRequest, nowMs: number, signal: AbortSignal): Promise<string> {
  const today = dayOf(nowMs)
  const query = { size: '20', start_date: addDays(today, -7), end_date: today }
  const { index, columns } = parseResponse(matrix, (await send('/portfolio/universe', query, signal)).value)
  const lastDay = index.at(-1)
  return `The universe of 20 has ${plainPlural(columns.length, 'ticker')}${lastDay ? `, up to ${lastDay.slice(0, 10)}` : ''}.`
}

const venuesIn = (catalog: RawCatalog) => catalogVenues(catalog, coveredVenues(catalog.coverage?.datasets))

/** Returns the first venue that a catalog names, or that of the documents if it names none. */
const firstVenueOf = (catalog: RawCatalog): string => (venuesIn(catalog).at(0) ?? venuesOfDocuments.list[0]).id

/** @param foundAt address at which the catalog was found; null if its address is set */
function testCatalog(catalog: RawCatalog, typedVenues: readonly Venue[], foundAt: string | null): string {
  const { datasets, coverage, schema_version: version } = catalog
  const countText = Array.isArray(datasets) ? `${datasets.length} datasets` : 'No list of datasets'
  const generatedMs = Date.parse(String(coverage?.generated_at ?? ''))
  const generatedText = Number.isNaN(generatedMs)
    ? ''
    : `, coverage as of ${formatTime(generatedMs, 'utc', 'minute')} UTC`
  const foundText = foundAt === null ? '' : ` Found at ${foundAt}.`
  const versionText = version === 1 ? '' : ' Its schema_version is not 1: only known fields are used.'
  const contradictions = venueContradictions(typedVenues, { catalog: venuesIn(catalog) })
  const contradictionText =
    contradictions.length === 0 ? '' : ` It differs from what was typed: ${contradictions.join('; ')}.`
  return `${countText}${generatedText}.${foundText}${versionText}${contradictionText}`
}

/** Time limit for testing a ClickHouse server, because a request to such a server may otherwise take an hour. */
const ENGINE_TIMEOUT_MS = 30_000

async function testEngine(http: HttpClient, engine: ClickHouseAccess, signal: AbortSignal): Promise<string> {
  const timeout = AbortSignal.timeout(ENGINE_TIMEOUT_MS)
  const { cluster } = engine
  const sql = `SELECT version(), (SELECT count() FROM system.clusters WHERE cluster = '${cluster}')`
  try {
    const [[version, servers]] = await createClickHouse(http, engine).rows(sql, AbortSignal.any([signal, timeout]))
    if (cluster === '') return `ClickHouse ${version}.`
    if (servers !== '0') return `ClickHouse ${version}; ${plural(Number(servers), 'server')} in the cluster ${cluster}.`
    throw new AppError('not-found', `ClickHouse ${version} responds, but has no cluster “${cluster}”`)
  } catch (thrown) {
    throw timeout.aborted && !signal.aborted ? new AppError('timeout') : thrown
  }
}

async function testStore(store: StoreFiles, signal: AbortSignal): Promise<string> {
  const names = await store.folders('', signal)
  // A store may be a connection's cache folder, with one more level of folders.
  const all = names.includes('metrics') ? [...names, ...(await store.folders('metrics', signal))] : names
  const datasets = all.filter((name) => name.startsWith('dataset=')).length
  if (datasets > 0) return `It can be read and has ${plural(datasets, 'dataset')}.`
  return `It can be read${names.length === 0 ? ' and has no files yet' : ', but has no folder named “dataset=…”'}.`
}
