import * as plan from '../expressions.ts'
import type { Aggregate, PlanCondition, PlanPart, Step } from '../plan.ts'
import { largeFrom, mediumFrom } from '../tradeInterval.ts'

/** Builds the driving part of a plan whose rows come from trades, so that every interval with a trade has a row. */
export const tradesPart = (part: Pick<PlanPart, 'reads' | 'steps' | 'values'>): PlanPart => ({
  name: 'trades',
  source: 'trades',
  asOf: [],
  ...part,
})

export const isBuy = plan.equal('sign', 1)
export const isSell = plan.equal('sign', -1)

/** Averages a column over buys and over sells. */
export const meansBySide = (name: string, column: string): Record<string, Aggregate> => ({
  [`buy_${name}_mean`]: plan.mean(plan.choose(isBuy, column)),
  [`sell_${name}_mean`]: plan.mean(plan.choose(isSell, column)),
})

export const notionalStep = plan.define('Notional is the product of price and amount', {
  notional: plan.multiply('price', 'amount'),
})

const isLarge = plan.atLeast('notional', largeFrom)
const isMedium = plan.all(plan.atLeast('notional', mediumFrom), plan.above(largeFrom, 'notional'))
const isSmall = plan.above(mediumFrom, 'notional')
/** Conditions of the size classes, from the smallest. */
export const sizeClasses: [string, PlanCondition][] = [
  ['small', isSmall],
  ['medium', isMedium],
  ['large', isLarge],
]

export const priceBeforeStep: Step = plan.define('Each trade is compared with the trade before it in the interval', {
  price_before: plan.before('price'),
})
