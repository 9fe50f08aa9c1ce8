import * as z from '../../schemas/lazySchemas.ts'
import {
  endpointSpec,
  idKinds,
  parameterSpec,
  portfolioEndpoints,
  type EndpointSpec,
  type PortfolioEndpoint,
  type PortfolioParameter,
} from '../../catalog/portfolioEndpoints.ts'
import type { HistoryRequest, LiveRequest, PortfolioRequest, TickersRequest } from '../../catalog/portfolioRequest.ts'
import { type PortfolioDatasetId, portfolioDatasetIds } from '../../catalog/portfolioSeries.ts'
import { parseDay } from '../../time.ts'
import type { ErrorShape } from '../errors.ts'
import type { Frame } from '../frame.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'

/** Age and source of a portfolio service answer. */
export interface PortfolioFreshness {
  /** Milliseconds since the epoch; for a history, when its end was last requested. */
  fetchedAt: number
  source: string
  /** True if this call sent a request to the service, false if the cache answered. */
  asked: boolean
  /**
   * Start of the last day on which a history has values, in milliseconds; null if it has none or if its end was not
   * requested.
   */
  dataEndsAt: number | null
  /** Problems with the answer, and parts of it that are missing. */
  problems: string[]
  /** Error that kept the service from answering a due refresh; the answer then comes from the cache. */
  trouble: ErrorShape | null
}

/** A live answer. Weights and factors have columns `ticker` and `value`; a single value has one row with `value`. */
export interface LiveAnswer {
  /** Day of the values, as its start in milliseconds. */
  day: number
  /** Time at which the service generated the answer, in milliseconds; null if it does not say. */
  createdAt: number | null
  rows: Frame
  freshness: PortfolioFreshness
}

/** A stored live answer, with the request it answered. */
export interface StoredSnapshot {
  request: LiveRequest
  /** Day of the values, as its start in milliseconds. */
  day: number
  /** Time at which the service computed the values, in milliseconds since the epoch; null if it does not say. */
  createdAt: number | null
  /** Where `createdAt` is null, when the answer was first fetched. */
  fetchedAt: number
  source: string
}

/** A history that is stored as a daily series for the workbench, under the venue `portfolio`. */
export interface PortfolioSeries {
  dataset: PortfolioDatasetId
  symbol: string
  columns: string[]
}

export interface RefreshedPortfolioSeries {
  /** Symbols of the series that were written because they were new or changed. */
  refreshed: string[]
  problems: { symbol: string; message: string }[]
}

const text = z.string().trim().min(1).max(300)
const tickerList = z
  .array(text.regex(/^[^,]*$/, 'must be one ticker without a comma'))
  .min(1)
  .max(2000)

function valueSchema(name: PortfolioParameter): z.ZodType {
  const { values, pattern, many } = parameterSpec(name)
  if (many) return tickerList
  if (values) return z.enum(values as [string, ...string[]])
  return pattern ? text.regex(pattern) : text
}

/** Builds the schema of one request from the endpoint's description. */
function requestSchema(endpoint: PortfolioEndpoint) {
  const { required, optional } = endpointSpec(endpoint)
  const fields = [
    ...required.map((name) => [name, valueSchema(name)] as const),
    ...optional.map((name) => [name, valueSchema(name).optional()] as const),
  ]
  return z.strictObject({ endpoint: z.literal(endpoint), ...Object.fromEntries(fields) })
}

function requestFor<Request extends PortfolioRequest>(
  ...answers: EndpointSpec['answer'][]
): z.ZodType<Request, Request> {
  const names = Object.keys(portfolioEndpoints) as PortfolioEndpoint[]
  const schemas = names.filter((name) => answers.includes(endpointSpec(name).answer)).map(requestSchema)
  const [first, ...others] = schemas
  return z.discriminatedUnion('endpoint', [first, ...others]) as unknown as z.ZodType<Request, Request>
}

const liveEndpoints = [
  'weights',
  'factors-live',
  'overlay-live',
  'regime-live',
] as const satisfies readonly LiveRequest['endpoint'][]

const historyRequest = requestFor<HistoryRequest>('matrix', 'series', 'prices')
const liveRequest = requestFor<LiveRequest>('snapshot', 'point')
const tickersRequest = requestFor<TickersRequest>('tickers')
const anyRequest = requestFor<PortfolioRequest>('matrix', 'series', 'prices', 'snapshot', 'point', 'tickers')

const day = z.string().refine((value) => parseDay(value) !== null, 'must be a day, YYYY-MM-DD')
const refresh = z.boolean().default(false)
const limit = z.int().min(1).max(10_000)

/**
 * Calls to the portfolio service. The cache answers while its data is current; otherwise the service is asked. Without
 * a network the cache answers and tells the age of its data. `refresh` always asks the service.
 */
export const portfolioCalls = {
  /** Returns a column `time` (start of the day) and a column of numbers per ticker, or a single one for a series. */
  'portfolio.history': call(
    z
      .strictObject({
        connectionId,
        request: historyRequest,
        start: day.optional(),
        /** Last day, inclusive. */
        end: day.optional(),
        refresh,
        /**
         * True if the answer only fills a list: the user did not choose the portfolio, so it does not count as used.
         */
        isPreview: z.boolean().default(false),
      })
      .refine(({ start, end }) => !start || !end || start <= end, 'start must not be after end'),
  )<{ rows: Frame; freshness: PortfolioFreshness }>(),
  'portfolio.live': call(z.strictObject({ connectionId, request: liveRequest, refresh }))<LiveAnswer>(),
  'portfolio.tickers': call(z.strictObject({ connectionId, request: tickersRequest, refresh }))<{
    tickers: string[]
    freshness: PortfolioFreshness
  }>(),
  /** Lists the stored live answers to this request, newest first, without contacting the service. */
  'portfolio.snapshots': call(z.strictObject({ connectionId, request: liveRequest, limit }))<
    { day: number; createdAt: number | null; fetchedAt: number }[]
  >(),
  /** Lists the stored live answers to all requests of an endpoint, newest first, without contacting the service. */
  'portfolio.keptSnapshots': call(z.strictObject({ connectionId, endpoint: z.enum(liveEndpoints), limit }))<
    StoredSnapshot[]
  >(),
  /** Returns one stored snapshot, by its `createdAt`, or, where that is null, by its `fetchedAt`. */
  'portfolio.snapshot': call(z.strictObject({ connectionId, request: liveRequest, createdAt: z.number() }))<
    Omit<LiveAnswer, 'freshness'>
  >(),
  /**
   * Lists the values that the service revised, newest first, without contacting it: `day`, `created` (of a live
   * answer), `column`, `before`, `after`, `fetched` (time of the earlier value), `replaced` (time of the later value).
   * In lists of tickers, 1 means member.
   */
  'portfolio.revisions': call(z.strictObject({ connectionId, request: anyRequest, limit }))<Frame>(),
  /** Lists identifiers that were used successfully, most recent first. */
  'portfolio.usedIds': call(z.strictObject({ connectionId, kind: z.enum(idKinds), limit }))<
    { id: string; usedAt: number }[]
  >(),
  /** Lists the series of stored histories, without contacting the service. */
  'portfolio.listSeries': call(z.strictObject({ connectionId }))<PortfolioSeries[]>(),
  /** Stores the histories behind series of the workbench; changed ones are stored again. */
  'portfolio.refreshSeries': call(
    z.strictObject({
      connectionId,
      series: z
        .array(z.strictObject({ dataset: z.enum(portfolioDatasetIds), symbol: text, columns: z.array(text).max(2000) }))
        .max(100),
    }),
  )<RefreshedPortfolioSeries>(),
}
