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

/** Age and source of an answer of the portfolio service. */
export interface PortfolioFreshness {
  /** Milliseconds since the epoch; of a history, when its end was requested last. */
  fetchedAt: number
  source: string
  /** True if this call sent a request to the service, false if the cache answered. */
  asked: boolean
  /** The last day with values (its start in milliseconds) of a history; null where there is none, and where its end was not requested. */
  dataEndsAt: number | null
  /** Problems of the answer, and parts of it that are missing. */
  problems: string[]
  /** Error that kept the service from answering when a refresh was due; the answer is then the cached one. */
  trouble: ErrorShape | null
}

/** A live answer: weights and factors have columns `ticker` and `value`, a single value has `value` and one row. */
export interface LiveAnswer {
  /** The day it is for, its start in milliseconds. */
  day: number
  /** Time at which the service generated it, in milliseconds. */
  createdAt: number
  rows: Frame
  freshness: PortfolioFreshness
}

/** A live answer that was seen once, and the request that it answered. */
export interface KeptSnapshot {
  request: LiveRequest
  /** The day it is for, its start in milliseconds. */
  day: number
  createdAt: number
  fetchedAt: number
  source: string
}

/** A history that is stored as a daily series of the workbench, under the venue `portfolio`. */
export interface PortfolioSeries {
  dataset: PortfolioDatasetId
  symbol: string
  columns: string[]
}

export interface RefreshedPortfolioSeries {
  /** Symbols of the series that were written, because they were new or have changed. */
  refreshed: string[]
  problems: { symbol: string; message: string }[]
}

const text = z.string().trim().min(1).max(300)
const list = z
  .array(text.regex(/^[^,]*$/, 'must be one ticker without a comma'))
  .min(1)
  .max(2000)

function valueSchema(name: PortfolioParameter): z.ZodType {
  const { values, pattern, many } = parameterSpec(name)
  if (many) return list
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

const day = z.string().refine((message) => parseDay(message) !== null, 'must be a day, YYYY-MM-DD')
const refresh = z.boolean().default(false)
const limit = z.int().min(1).max(10_000)

/**
 * Answers come from here where they are still all that the service can say, else from the service; without a network they
 * are what is known, and say as of when. `refresh` asks in any case.
 */
export const portfolioCalls = {
  /** A column `time` (starts of days) and a column of numbers for each ticker, or the one of a series. */
  'portfolio.history': call(
    z
      .strictObject({
        connectionId,
        request: historyRequest,
        start: day.optional(),
        /** Inclusive. */
        end: day.optional(),
        refresh,
      })
      .refine(({ start, end }) => !start || !end || start <= end, 'start must not be after end'),
  )<{ rows: Frame; freshness: PortfolioFreshness }>(),
  'portfolio.live': call(z.strictObject({ connectionId, request: liveRequest, refresh }))<LiveAnswer>(),
  'portfolio.tickers': call(z.strictObject({ connectionId, request: tickersRequest, refresh }))<{
    tickers: string[]
    freshness: PortfolioFreshness
  }>(),
  /** The live answers to this request that were ever seen, newest first. Asks no service. */
  'portfolio.snapshots': call(z.strictObject({ connectionId, request: liveRequest, limit }))<
    { day: number; createdAt: number; fetchedAt: number }[]
  >(),
  /** Snapshots of every live request of an endpoint that were ever seen, newest first. Asks no service. */
  'portfolio.keptSnapshots': call(z.strictObject({ connectionId, endpoint: z.enum(liveEndpoints), limit }))<
    KeptSnapshot[]
  >(),
  /** Returns one stored snapshot. */
  'portfolio.snapshot': call(z.strictObject({ connectionId, request: liveRequest, createdAt: z.number() }))<
    Omit<LiveAnswer, 'freshness'>
  >(),
  /**
   * Values that the service changed afterwards, newest first: `day`, `created` (of a live answer), `column`, `before`,
   * `after`, `fetched` (the one before), `replaced`. Of lists of tickers 1 stands for "in it". Asks no service.
   */
  'portfolio.revisions': call(z.strictObject({ connectionId, request: anyRequest, limit }))<Frame>(),
  /** Identifiers that were used with success, the last used first. */
  'portfolio.usedIds': call(z.strictObject({ connectionId, kind: z.enum(idKinds), limit }))<
    { id: string; usedAt: number }[]
  >(),
  /** Lists the series that stored histories make. Asks no service. */
  'portfolio.listSeries': call(z.strictObject({ connectionId }))<PortfolioSeries[]>(),
  /** Stores the histories behind series of the workbench; those that have changed since are stored again. */
  'portfolio.refreshSeries': call(
    z.strictObject({
      connectionId,
      series: z
        .array(z.strictObject({ dataset: z.enum(portfolioDatasetIds), symbol: text, columns: z.array(text).max(2000) }))
        .max(100),
    }),
  )<RefreshedPortfolioSeries>(),
}
