import { dayOfNumber } from '../market/days.ts'
import { findOverlay, overlayAt, type Overlay } from './overlays.ts'
import { required } from './parameters.ts'
import { Refusal } from '../refusal.ts'
import { findRegime, type Regime } from './regimes.ts'
import type { PortfolioRequest } from './portfolioRequest.ts'
import { cellOf, seriesOf, type LivePoint, type Series } from './shapes.ts'
import type { Holding } from './study.ts'
import { findOverlayPortfolio } from './templates.ts'

/** An overlay watches the portfolio with its own smoothing and without a venue. */
function watchedHolding({ query }: PortfolioRequest): Holding {
  const id = required(query, 'portfolio')
  const portfolio = findOverlayPortfolio(id)
  if (!portfolio) throw new Refusal(404, 'unknown_portfolio', `Unknown portfolio: ${id}`, { portfolio: id })
  return { portfolio, smoothing: portfolio.template.defaultSmoothing, constraint: 'unconstrained' }
}

function overlayOf({ query }: PortfolioRequest): Overlay {
  const id = required(query, 'overlay')
  const overlay = findOverlay(id)
  if (overlay) return overlay
  throw new Refusal(404, 'unknown_overlay', `Unknown risk overlay: ${id}`, { overlay: id })
}

function regimeOf({ query }: PortfolioRequest): Regime {
  const id = required(query, 'overlay')
  const regime = findRegime(id)
  if (regime) return regime
  throw new Refusal(404, 'unknown_overlay', `Unknown risk regime: ${id}`, { overlay: id })
}

export function riskOverlay(request: PortfolioRequest): Series {
  const holding = watchedHolding(request)
  const overlay = overlayOf(request)
  const first = request.study.weights(holding).start + 1
  const returns = request.study.returns(holding)
  return seriesOf(request.history(first), (day) => overlayAt(overlay, returns, request.study.indexOf(day) - first))
}

export function riskOverlayLive(request: PortfolioRequest): LivePoint {
  const holding = watchedHolding(request)
  const overlay = overlayOf(request)
  const { study, clock } = request
  const { start, rows } = study.weights(holding)
  const returns = study.returns(holding)
  if (!request.isLatest) {
    const value = overlayAt(overlay, returns, study.indexOf(clock.closeDay) - start - 1)
    return { data: cellOf(value), index: dayOfNumber(clock.closeDay), createdAt: clock.closeCreatedAt }
  }
  const held = rows[request.live.today - 1 - start]
  const soFar = returns.slice(0, Math.max(0, request.live.today - start - 1))
  const value = held ? overlayAt(overlay, [...soFar, request.live.returnOf(held)], soFar.length) : Number.NaN
  return { data: cellOf(value), index: dayOfNumber(clock.liveDay), createdAt: clock.liveCreatedAt }
}

/** The market's returns belong to the panel's days from the second on. */
const firstMarketDay = 1

export function riskRegime(request: PortfolioRequest): Series {
  const values = regimeOf(request).valuesOf(request.study.marketReturns())
  return seriesOf(request.history(firstMarketDay), (day) => values[request.study.indexOf(day) - firstMarketDay])
}

export function riskRegimeLive(request: PortfolioRequest): LivePoint {
  const { clock, study, live } = request
  const regime = regimeOf(request)
  const soFar = study.marketReturns().slice(0, Math.max(0, live.today - firstMarketDay))
  const values = regime.valuesOf([...soFar, live.returnOf(study.marketWeights(live.today - 1))])
  return { data: cellOf(values[values.length - 1]), index: dayOfNumber(clock.liveDay), createdAt: clock.liveCreatedAt }
}
