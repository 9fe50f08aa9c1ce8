import type { Smoothing } from '#shared/catalog/portfolioEndpoints.ts'
import type { PortfolioSubject } from '#shared/contract/areas/lab.ts'
import { factorsText } from '../../../text/portfolioMarket.ts'
import {
  chosenPortfolio,
  daysProblem,
  labUniverse,
  type LabUniverse,
  smoothingProblem,
  tickerList,
  tickersProblem,
} from '../addressFields.ts'

/** Defaults of the page's address. */
export const factorDefaults = {
  factor: '',
  /** Tickers to rank; if empty, those of the universe. */
  tickers: '',
  universe: '20',
  /** Members of the universe on each day: those of the day itself (`date`) or today's (`today`). */
  members: 'date',
  /** Venue to which the universe is constrained; empty for none. */
  venue: '',
  smoothing: '',
  /** Number of days of the forward return. */
  horizon: '1',
  quantiles: '5',
  /** Days from a value to the entry price. */
  entry: '1',
  /** Trading cost in basis points. */
  cost: '5',
  /** Other factors to compare. */
  with: '',
  /** Tickers to draw; if empty, the highest and lowest. */
  drawn: '',
  shown: 'value',
  /** Time of an earlier live answer in milliseconds; empty for the latest. */
  snapshot: '',
  from: '',
  to: '',
}

export type FactorAddress = typeof factorDefaults

export const universes = ['20', '30', '40', 'full']
export const horizons = ['1', '5', '10', '20']
export const quantileCounts = ['2', '3', '5', '10']
export const memberships = ['date', 'today'] as const
export const entryDelays = ['1', '2', '0']
export const costsBps = ['0', '2', '5', '10', '20', '50']

/**
 * Tells whether the history uses the members of each day, which exist neither for a typed list of tickers nor for the
 * full universe.
 */
export const isByDate = ({ tickers, universe, members }: FactorAddress): boolean =>
  tickerList(tickers).length === 0 && universe !== 'full' && members !== 'today'

/** Returns why the address is not a valid request; null if it is. */
export function factorProblem(address: FactorAddress) {
  const { universe, smoothing, horizon, quantiles, entry, cost, tickers, from, to } = address
  const { problems } = factorsText
  if (!universes.includes(universe)) return problems.universe(universe, universes)
  if (!horizons.includes(horizon)) return problems.horizon(horizon, horizons)
  if (!quantileCounts.includes(quantiles)) return problems.quantiles(quantiles, quantileCounts)
  if (!entryDelays.includes(entry)) return problems.entry(entry, entryDelays)
  if (!costsBps.includes(cost)) return problems.cost(cost, costsBps)
  return smoothingProblem(smoothing) ?? daysProblem({ from, to }) ?? tickersProblem(tickerList(tickers))
}

export const smoothingParameter = (smoothing: string): { smoothing?: Smoothing } =>
  smoothing ? { smoothing: smoothing as Smoothing } : {}

/**
 * Builds what the Lab needs for a panel of a factor: its tickers, and the members by date if the page shows those. Null
 * if the address is not a valid request or there are no tickers.
 */
export function labFactor(
  address: FactorAddress,
  tickers: readonly string[],
): { subject: PortfolioSubject; universe: LabUniverse } | null {
  const chosen = chosenPortfolio({ portfolio: address.factor, smoothing: address.smoothing, exchange: address.venue })
  if (!chosen || factorProblem(address) || tickers.length === 0) return null
  const { portfolio: id, exchange, ...rest } = chosen
  return {
    subject: { kind: 'factor', id, tickers: [...tickers], ...rest },
    universe: isByDate(address) ? labUniverse(address.universe, exchange) : null,
  }
}
