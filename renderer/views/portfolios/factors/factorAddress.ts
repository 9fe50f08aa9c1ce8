import type { Smoothing } from '#shared/catalog/portfolioEndpoints.ts'
import { factorsText } from '../../../text/portfolioMarket.ts'
import { daysProblem, smoothingProblem, tickerList, tickersProblem, venueProblem } from '../addressFields.ts'

/** Defaults of the page's address. */
export const factorDefaults = {
  factor: '',
  /** Tickers to rank; those of the universe if empty. */
  tickers: '',
  universe: '20',
  /** Venue that the universe is constrained to; none if empty. */
  venue: '',
  smoothing: '',
  /** Number of days of the forward return. */
  horizon: '1',
  quantiles: '5',
  /** Other factors to compare with. */
  with: '',
  /** Lines of the chart; the highest and the lowest if empty. */
  drawn: '',
  shown: 'value',
  /** Time of an earlier live answer in milliseconds; empty for the newest. */
  snapshot: '',
  from: '',
  to: '',
}

export type FactorAddress = typeof factorDefaults

export const universes = ['20', '30', '40', 'full']
export const horizons = ['1', '5', '10', '20']
export const quantileCounts = ['2', '3', '5', '10']

/** Explains why the address is not a valid request; null if it is. */
export function factorProblem({ universe, venue, smoothing, horizon, quantiles, tickers, from, to }: FactorAddress) {
  const { problems } = factorsText
  if (!universes.includes(universe)) return problems.universe(universe, universes)
  if (!horizons.includes(horizon)) return problems.horizon(horizon, horizons)
  if (!quantileCounts.includes(quantiles)) return problems.quantiles(quantiles, quantileCounts)
  return (
    smoothingProblem(smoothing) ??
    venueProblem(venue) ??
    daysProblem({ from, to }) ??
    tickersProblem(tickerList(tickers))
  )
}

export const smoothed = (smoothing: string): { smoothing?: Smoothing } =>
  smoothing ? { smoothing: smoothing as Smoothing } : {}
