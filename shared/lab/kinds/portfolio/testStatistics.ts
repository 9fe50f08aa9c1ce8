import { DAYS_PER_YEAR } from '#shared/portfolio/figures.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import type { PortfolioResult } from '../../portfolio/testResult.ts'

/** Annualises a daily Sharpe ratio. */
export const annualisedSharpe = (sharpe: number | null): number | null => sharpe && sharpe * Math.sqrt(DAYS_PER_YEAR)

/** Components of the change in equity, in the order in which a bar applies them. */
export const amountKeys = ['price', 'funding', 'fee', 'spread', 'slippage'] as const

export const amountNames: Readonly<Record<string, string>> = {
  price: 'Price',
  funding: 'Funding',
  fee: 'Fee',
  spread: 'Spread',
  slippage: 'Slippage',
  total: 'Total',
  traded: 'Traded',
}

/** Computes the annualised Sharpe ratio on the test days of each fold. */
export function foldSharpes({ walkForward, days, net, study }: PortfolioResult): (number | null)[] {
  const dailyRiskFree = (1 + study.riskFree) ** (1 / DAYS_PER_YEAR) - 1
  return (walkForward?.folds ?? []).map(({ fromDay, toDay }) => {
    const values = net.filter((_, at) => days[at] >= fromDay && days[at] <= toDay).map((value) => value - dailyRiskFree)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
    return deviation > 0 ? annualisedSharpe(mean / deviation) : null
  })
}

export const parameterText = (parameters: Readonly<Record<string, number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} ${formatNumber(value, Number.isInteger(value) ? 0 : 4)}`)
    .join(', ')

/** How a test is judged, from what rules a judgement out to how much may be luck. */
export type Judgement =
  | 'noTraining'
  | 'ruin'
  | 'neverHeld'
  | 'none'
  | 'lostToCosts'
  | 'lost'
  | 'first'
  | 'strong'
  | 'weak'

const STRONG_EVIDENCE = 0.95

/**
 * Judges a test. It is strong only if luck is an unlikely explanation even where all trials on the same rows are
 * counted, including those of other families.
 */
export function judge({ overfitting, figures, ruin, days, costs, walkForward }: PortfolioResult): Judgement {
  const { trials, deflated, deflatedOnSource, sharpe } = overfitting
  if (walkForward?.folds.every(({ chosen }) => chosen === null)) return 'noTraining'
  if (ruin) return 'ruin'
  if (days.length > 0 && costs.traded === 0) return 'neverHeld'
  if (deflated === null) return 'none'
  if ((sharpe ?? 0) <= 0) return (figures.gross.sharpe ?? 0) > 0 ? 'lostToCosts' : 'lost'
  if (trials === 1) return 'first'
  return Math.min(deflated, deflatedOnSource ?? 0) > STRONG_EVIDENCE ? 'strong' : 'weak'
}
