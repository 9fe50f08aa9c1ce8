import { smoothings, type Smoothing } from '#shared/catalog/portfolioEndpoints.ts'
import { parseDay } from '#shared/time.ts'
import { tickerList, tickersProblem } from '../tickerList.ts'

/** A factor and the tickers it is asked for: those typed, else those of its universe. */
export const factorDefaults = {
  factor: '',
  tickers: '',
  universe: '20',
  smoothing: '',
  /** Number of days of the returns after a value. */
  horizon: '1',
  quantiles: '5',
  /** Other factors to compare with. */
  with: '',
  /** Lines of the chart; empty: the highest and the lowest. */
  drawn: '',
  shown: 'value',
  from: '',
  to: '',
}

export type FactorAddress = typeof factorDefaults

export const universes = ['20', '30', '40', 'full']
export const horizons = ['1', '5', '10', '20']
export const quantileCounts = ['2', '3', '5', '10']

const isOneOf = (values: readonly string[], value: string) => values.includes(value)

/** Explains why the address is not a valid request. */
export function factorProblem({
  universe,
  smoothing,
  horizon,
  quantiles,
  tickers,
  from,
  to,
}: FactorAddress): string | null {
  if (!isOneOf(universes, universe)) return `There is no universe “${universe}”: choose one of ${universes.join(', ')}.`
  if (smoothing && !isOneOf(smoothings, smoothing))
    return `There is no smoothing over ${smoothing} days: choose one of ${smoothings.join(', ')}, or the factor’s own.`
  if (!isOneOf(horizons, horizon))
    return `Returns after ${horizon} days are not computed: choose ${horizons.join(', ')}.`
  if (!isOneOf(quantileCounts, quantiles)) return `Choose ${quantileCounts.join(', ')} groups instead of ${quantiles}.`
  if (from && to && from > to) return 'The first day lies after the last: choose other days.'
  return tickersProblem(tickerList(tickers))
}

export const smoothed = (smoothing: string): { smoothing?: Smoothing } =>
  smoothing ? { smoothing: smoothing as Smoothing } : {}

const bound = (key: 'start' | 'end', text: string) => (parseDay(text) === null ? {} : { [key]: text })

export const boundsOf = ({ from, to }: { from: string; to: string }): { start?: string; end?: string } => ({
  ...bound('start', from),
  ...bound('end', to),
})
