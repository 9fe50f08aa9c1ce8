import { dayOfNumber } from '../market/days.ts'
import { documentedVenues, type SandboxVenue } from '../market/venues.ts'
import { ApiRefusal } from '../refusal.ts'
import { type Factor, findFactor } from './factors.ts'
import { findOverlay, type Overlay, roundedMultiplier } from './overlays.ts'
import { constraintOf, listParameter, oneOfParameter, requiredValue, smoothingOf } from './parameters.ts'
import { SandboxPortfolioRequest } from './portfolioRequest.ts'
import { findRegime, type Regime } from './regimes.ts'
import { roundedTo } from './rounding.ts'
import {
  replyCell,
  type LivePoint,
  type MatrixBody,
  matrixOf,
  type SeriesBody,
  seriesReply,
  type SnapshotBody,
} from './shapes.ts'
import type { PortfolioVariant } from './study.ts'
import { findOverlayPortfolio, findPortfolio, findTemplate, isMultiFactor, type UniverseSize } from './templates.ts'
import { historicalWeights, liveWeights, portfolioReturns } from './weightAnswers.ts'
import type { World } from './world.ts'

interface ErrorBody {
  error: string
  code: string
  details: Record<string, unknown>
}

export type PortfolioBody = SnapshotBody | MatrixBody | SeriesBody | LivePoint | { tickers: string[] } | ErrorBody

interface PortfolioApiReply {
  status: number
  body: PortfolioBody
}

export interface HistoryAccess {
  /** Number of days by which histories end before the last complete day, as for a key without a subscription. */
  historyDelayDays?: number
  /** Venues to which answers may be limited; by default those of the documents. */
  venues?: readonly SandboxVenue[]
}

const endpoints: Record<string, (request: SandboxPortfolioRequest) => PortfolioBody> = {
  '/portfolio/live-weights': liveWeights,
  '/portfolio/historical-weights': historicalWeights,
  '/portfolio/factors': historicalFactors,
  '/portfolio/factors-live': liveFactors,
  '/portfolio/tickers': portfolioTickers,
  '/portfolio/universe': universe,
  '/portfolio/returns': portfolioReturns,
  '/portfolio/risk-overlay': riskOverlay,
  '/portfolio/risk-overlay-live': riskOverlayLive,
  '/risk-regime': riskRegime,
  '/risk-regime-live': riskRegimeLive,
  '/price': price,
}

/** Paths of the service, without `/api/v1`. */
export const portfolioPaths: readonly string[] = Object.keys(endpoints)

/**
 * Returns the portfolio service's response to `GET path?query` at a given time. `path` is without `/api/v1`; the key
 * has been checked already.
 */
export function answerPortfolio(
  world: World,
  nowMs: number,
  path: string,
  query: URLSearchParams,
  { historyDelayDays = 0, venues = documentedVenues }: HistoryAccess = {},
): PortfolioApiReply {
  try {
    if (!Object.hasOwn(endpoints, path)) throw new ApiRefusal(404, 'not_found', `Not found: ${path}`, { path })
    return {
      status: 200,
      body: endpoints[path](new SandboxPortfolioRequest(world, nowMs, query, historyDelayDays, venues)),
    }
  } catch (error) {
    if (error instanceof ApiRefusal)
      return { status: error.status, body: { error: error.message, code: error.code, details: error.details } }
    throw error
  }
}

function factorOf({ query }: SandboxPortfolioRequest): Factor {
  const id = requiredValue(query, 'id')
  const factor = findFactor(id)
  if (factor) return factor
  throw new ApiRefusal(404, 'unknown_factor', `Unknown factor: ${id}`, { id })
}

/**
 * Returns the mean of the values of the last `smoothing` days; days without a value are skipped, except that NaN is
 * returned if the last day has none.
 */
function smoothedValue(rows: readonly Float64Array[], tickerIndex: number, i: number, smoothing: number): number {
  if (i < 0 || Number.isNaN(rows[i][tickerIndex])) return Number.NaN
  let sum = 0
  let count = 0
  for (let j = Math.max(0, i - Math.max(1, smoothing) + 1); j <= i; j++) {
    const value = rows[j][tickerIndex]
    if (Number.isNaN(value)) continue
    sum += value
    count++
  }
  return roundedTo(sum / count, 1e10)
}

function historicalFactors(request: SandboxPortfolioRequest): MatrixBody {
  const factor = factorOf(request)
  const tickers = listParameter(request.query, 'tickers')
  const tickerIndexes = request.indexesOfTickers(tickers)
  const smoothing = smoothingOf(request.query, factor.defaultSmoothing)
  const rows = request.study.factorRows(factor.id)
  return matrixOf(request.history(0), tickers, (day) =>
    tickerIndexes.map((tickerIndex) =>
      replyCell(smoothedValue(rows, tickerIndex, request.study.indexOf(day), smoothing)),
    ),
  )
}

function liveFactors(request: SandboxPortfolioRequest): SnapshotBody {
  const factor = factorOf(request)
  const tickers = listParameter(request.query, 'tickers')
  const tickerIndexes = request.indexesOfTickers(tickers)
  const smoothing = smoothingOf(request.query, factor.defaultSmoothing)
  const { clock, study, isLatest } = request
  const day = isLatest ? clock.liveDay : clock.closeDay
  const history = study.factorRows(factor.id).slice(0, Math.max(0, study.indexOf(day) + (isLatest ? 0 : 1)))
  const rows = isLatest ? [...history, request.live.factorRow(factor.id)] : history
  return {
    data: tickerIndexes.map((tickerIndex) => replyCell(smoothedValue(rows, tickerIndex, rows.length - 1, smoothing))),
    index: dayOfNumber(day),
    columns: tickers,
    createdAt: isLatest ? clock.liveCreatedAt : clock.closeCreatedAt,
  }
}

const sizeByName: Record<string, UniverseSize> = { '20': 20, '30': 30, '40': 40, full: 'full' }

function sizeOf({ query }: SandboxPortfolioRequest, name: string, allowed: readonly string[]): UniverseSize {
  requiredValue(query, name)
  return sizeByName[oneOfParameter(query, name, allowed) ?? '']
}

/** Returns the tickers that a factor or portfolio currently chooses from. */
function portfolioTickers(request: SandboxPortfolioRequest): { tickers: string[] } {
  const id = requiredValue(request.query, 'id')
  const size = sizeOf(request, 'universe_size', ['20', '30', '40', 'full'])
  const constraint = constraintOf(request)
  const template = findTemplate(id)
  if (!template) throw new ApiRefusal(404, 'unknown_id', `Unknown factor or portfolio: ${id}`, { id })
  if (size === 'full' && isMultiFactor(template)) {
    throw new ApiRefusal(400, 'invalid_parameter', 'multi-factor portfolios cannot use full', {
      parameter: 'universe_size',
      value: 'full',
      allowed: ['20', '30', '40'],
    })
  }
  const members = request.study.membersOn(size, constraint, request.study.indexOf(request.clock.closeDay))
  return { tickers: request.study.panel.tickers.filter((_, tickerIndex) => members[tickerIndex] === 1) }
}

function universe(request: SandboxPortfolioRequest): MatrixBody {
  const { study, clock } = request
  const size = sizeOf(request, 'size', ['20', '30', '40', 'full'])
  const members = study.members(size, constraintOf(request))
  const width = study.panel.tickers.length
  const last = study.indexOf(clock.closeDay)
  const first = Math.floor(members.indexOf(1) / width)
  const everMember = new Uint8Array(width)
  for (let i = first; i <= last; i++) {
    for (let tickerIndex = 0; tickerIndex < width; tickerIndex++)
      everMember[tickerIndex] |= members[i * width + tickerIndex]
  }
  const tickerIndexes = study.panel.tickers
    .map((_, tickerIndex) => tickerIndex)
    .filter((tickerIndex) => everMember[tickerIndex] === 1)
  const names = tickerIndexes.map((tickerIndex) => study.panel.tickers[tickerIndex])
  return matrixOf(request.history(first), names, (day) => {
    const row = study.indexOf(day) * width
    return tickerIndexes.map((tickerIndex) => (members[row + tickerIndex] === 1 ? 1 : null))
  })
}

/** Returns prices: for one ticker the legacy series without nulls, for several a matrix with common dates. */
function price(request: SandboxPortfolioRequest): SeriesBody | MatrixBody {
  const tickers = listParameter(request.query, 'ticker')
  const tickerIndexes = request.indexesOfTickers(tickers)
  const range = request.history(0)
  const closeOf = (tickerIndex: number, day: number) =>
    request.study.panel.series[tickerIndex].close[request.study.indexOf(day)]
  if (tickerIndexes.length === 1) return seriesReply(range, (day) => closeOf(tickerIndexes[0], day))
  return matrixOf(range, tickers, (day) => tickerIndexes.map((tickerIndex) => replyCell(closeOf(tickerIndex, day))))
}

/** Returns the portfolio on which an overlay is computed, with its default smoothing and not limited to a venue. */
function overlayVariant(request: SandboxPortfolioRequest): PortfolioVariant {
  const id = requiredValue(request.query, 'portfolio')
  const { takesBareName } = overlayOf(request)
  const portfolio = takesBareName && findPortfolio(id) ? null : findOverlayPortfolio(id)
  if (!portfolio) throw new ApiRefusal(404, 'unknown_portfolio', `Unknown portfolio: ${id}`, { portfolio: id })
  return { portfolio, smoothing: portfolio.template.defaultSmoothing, constraint: null }
}

function overlayOf({ query }: SandboxPortfolioRequest): Overlay {
  const id = requiredValue(query, 'overlay')
  const overlay = findOverlay(id)
  if (overlay) return overlay
  throw new ApiRefusal(404, 'unknown_overlay', `Unknown risk overlay: ${id}`, { overlay: id })
}

function regimeOf({ query }: SandboxPortfolioRequest): Regime {
  const id = requiredValue(query, 'overlay')
  const regime = findRegime(id)
  if (regime) return regime
  throw new ApiRefusal(404, 'unknown_overlay', `Unknown risk regime: ${id}`, { overlay: id })
}

function riskOverlay(request: SandboxPortfolioRequest): SeriesBody {
  const variant = overlayVariant(request)
  const overlay = overlayOf(request)
  const first = request.study.weights(variant).start + 1
  const returns = request.study.returns(variant)
  return seriesReply(request.history(first), (day) =>
    roundedMultiplier(overlay, returns, request.study.indexOf(day) - first),
  )
}

function riskOverlayLive(request: SandboxPortfolioRequest): LivePoint {
  const variant = overlayVariant(request)
  const overlay = overlayOf(request)
  const { study, clock } = request
  const { start, rows } = study.weights(variant)
  const returns = study.returns(variant)
  if (!request.isLatest) {
    const value = roundedMultiplier(overlay, returns, study.indexOf(clock.closeDay) - start - 1)
    return { data: replyCell(value), index: dayOfNumber(clock.closeDay), createdAt: clock.closeCreatedAt }
  }
  const heldWeights = rows[request.live.todayRow - 1 - start]
  const returnsSoFar = returns.slice(0, Math.max(0, request.live.todayRow - start - 1))
  const value = heldWeights
    ? roundedMultiplier(overlay, [...returnsSoFar, request.live.returnOf(heldWeights)], returnsSoFar.length)
    : Number.NaN
  return { data: replyCell(value), index: dayOfNumber(clock.liveDay), createdAt: clock.liveCreatedAt }
}

/** Row of the panel that the market's first return belongs to. */
const firstMarketRow = 1

function riskRegime(request: SandboxPortfolioRequest): SeriesBody {
  const values = regimeOf(request).valuesOf(request.study.marketReturns())
  return seriesReply(request.history(firstMarketRow), (day) => values[request.study.indexOf(day) - firstMarketRow])
}

function riskRegimeLive(request: SandboxPortfolioRequest): LivePoint {
  const { clock, study, live } = request
  const regime = regimeOf(request)
  const returnsSoFar = study.marketReturns().slice(0, Math.max(0, live.todayRow - firstMarketRow))
  const values = regime.valuesOf([...returnsSoFar, live.returnOf(study.marketWeights(live.todayRow - 1))])
  const point = { data: replyCell(values[values.length - 1]), index: dayOfNumber(clock.liveDay) }
  // One answer does not say when it was made, as some of real services do not.
  return regime.id === 'market_risk' ? point : { ...point, createdAt: clock.liveCreatedAt }
}
