import { historicalFactors, liveFactors } from './factorAnswers.ts'
import { Refusal } from '../refusal.ts'
import { PortfolioRequest } from './portfolioRequest.ts'
import { riskOverlay, riskOverlayLive, riskRegime, riskRegimeLive } from './riskAnswers.ts'
import type { LivePoint, Matrix, Series, Snapshot } from './shapes.ts'
import { portfolioTickers, price, universe } from './universeAnswers.ts'
import { historicalWeights, liveWeights, portfolioReturns } from './weightAnswers.ts'
import type { World } from './world.ts'

interface ErrorBody {
  error: string
  code: string
  details: Record<string, unknown>
}

export type PortfolioBody = Snapshot | Matrix | Series | LivePoint | { tickers: string[] } | ErrorBody

export interface PortfolioAnswer {
  status: number
  body: PortfolioBody
}

export interface Access {
  /** Histories end this many days before the last end of day, as for a key without a subscription. */
  historyDelayDays?: number
}

const endpoints: Record<string, (request: PortfolioRequest) => PortfolioBody> = {
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

/** The paths of the service below `/api/v1`. */
export const portfolioPaths: readonly string[] = Object.keys(endpoints)

/**
 * The portfolio service's answer to `GET path?query` at an instant. `path` is what follows `/api/v1`; the key has been
 * checked before.
 */
export function answerPortfolio(
  world: World,
  nowMs: number,
  path: string,
  query: URLSearchParams,
  { historyDelayDays = 0 }: Access = {},
): PortfolioAnswer {
  try {
    if (!Object.hasOwn(endpoints, path)) throw new Refusal(404, 'not_found', `Not found: ${path}`, { path })
    return { status: 200, body: endpoints[path](new PortfolioRequest(world, nowMs, query, historyDelayDays)) }
  } catch (error) {
    if (error instanceof Refusal)
      return { status: error.status, body: { error: error.message, code: error.code, details: error.details } }
    throw error
  }
}
