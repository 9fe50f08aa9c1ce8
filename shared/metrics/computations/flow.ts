import { sideCodes } from '../events.ts'
import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { Aggregate, MetricPlan, PlanCondition, Value } from '../plan.ts'
import { tradesPart, isBuy, isSell, notionalStep, sizeClasses, priceBeforeStep } from './tradeSteps.ts'

const { buy, sell } = sideCodes

/**
 * Computes the entropy of two shares. The logarithm of a share close to 1 is computed from the other share, which keeps
 * its digits.
 */
function entropyOf(bought: number, sold: number): number {
  const lesser = quotient(Math.min(bought, sold), bought + sold)
  return lesser === 0 ? 0 : -lesser * Math.log(lesser) - (1 - lesser) * Math.log1p(-lesser)
}

const sides: [string, PlanCondition][] = [
  ['buy', isBuy],
  ['sell', isSell],
]

function classValues(): Record<string, Aggregate> {
  const values = sides.flatMap(([side, isSide]) =>
    sizeClasses.flatMap(([size, isSize]): [string, Aggregate][] => [
      [`${side}_${size}_notional`, plan.total(plan.choose(plan.all(isSide, isSize), 'notional'))],
      [`${side}_${size}_trades`, plan.count(plan.all(isSide, isSize))],
    ]),
  )
  return Object.fromEntries(values)
}

function classColumns(): Record<string, Value> {
  const columns = sides.flatMap(([side]) =>
    sizeClasses.flatMap(([size]): [string, Value][] => {
      const prefix = `taker_${side}_${size}_order`
      return [
        [`${prefix}_volume`, plan.value(`${side}_${size}_notional`)],
        [`${prefix}_count`, plan.value(`${side}_${size}_trades`)],
        [`${prefix}_percentage`, plan.ratio(`${side}_${size}_notional`, `${side}_amount`)],
        [`${prefix}_count_percentage`, plan.ratio(`${side}_${size}_trades`, `${side}_trades`)],
      ]
    }),
  )
  return Object.fromEntries(columns)
}

const sidedAmount = plan.add('buy_amount', 'sell_amount')

/** Builds −share·ln(share), which is 0 for a share of 0. */
const entropyTerm = (share: Value) =>
  plan.choose(plan.above(share, 0), plan.subtract(0, plan.multiply(share, plan.ln(share))), 0)

const flowPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount', 'sign'],
      steps: [
        notionalStep,
        priceBeforeStep,
        plan.define('Log returns inside the interval', { log_return: plan.logReturn('price_before', 'price') }),
      ],
      values: {
        buy_amount: plan.total(plan.choose(isBuy, 'amount')),
        sell_amount: plan.total(plan.choose(isSell, 'amount')),
        buy_trades: plan.count(isBuy),
        sell_trades: plan.count(isSell),
        signed_notional: plan.total(plan.multiply('sign', 'notional')),
        return_squares: plan.total(plan.multiply('log_return', 'log_return')),
        ...classValues(),
      },
    }),
  ],
  afterFill: [
    plan.define('An interval without trades counts with a flow and a volatility of 0', {
      flow_or_zero: plan.orZero('signed_notional'),
      volatility_or_zero: plan.orZero(plan.sqrt('return_squares')),
    }),
    plan.define('Both are compared with the intervals of the day so far', {
      flow_score: plan.score('flow_or_zero'),
      volatility_score: plan.score('volatility_or_zero'),
    }),
  ],
  columns: {
    taker_buy_volume: plan.value('buy_amount'),
    taker_sell_volume: plan.value('sell_amount'),
    taker_buy_count: plan.value('buy_trades'),
    taker_sell_count: plan.value('sell_trades'),
    volume_delta: plan.subtract('buy_amount', 'sell_amount'),
    volume_delta_notional: plan.value('signed_notional'),
    flow_entropy: plan.choose(
      plan.above(sidedAmount, 0),
      plan.add(entropyTerm(plan.ratio('buy_amount', sidedAmount)), entropyTerm(plan.ratio('sell_amount', sidedAmount))),
    ),
    flow_toxicity_score: plan.choose(plan.present('return_squares'), plan.multiply('flow_score', 'volatility_score')),
    taker_buy_sell_ratio: plan.ratio('buy_amount', 'sell_amount'),
    taker_buy_sell_count_ratio: plan.ratio('buy_trades', 'sell_trades'),
    taker_buy_sell_percentage: plan.ratio('buy_amount', sidedAmount),
    taker_buy_sell_count_percentage: plan.ratio('buy_trades', plan.add('buy_trades', 'sell_trades')),
    ...classColumns(),
  },
}

/**
 * Computes the trade flow. `flow_toxicity_score` compares an interval with the earlier ones of its UTC day, empty ones
 * included. This computation only stores the realised volatility of the interval in that column, and `ToxicityPass`
 * replaces it by the score once the gaps are filled.
 */
export const flow: DatasetComputation = {
  dataset: 'flow',
  reads: { trades: ['price', 'amount', 'side'] },
  plan: flowPlan,
  create:
    () =>
    ({ trades }, row) => {
      const { amount, notional, count } = trades.classSums
      const bought = amount[buy]
      const sold = amount[sell]
      const buyCount = trades.sideCount(buy)
      const sellCount = trades.sideCount(sell)
      row[0] = bought
      row[1] = sold
      row[2] = buyCount
      row[3] = sellCount
      row[4] = bought - sold
      row[5] = trades.sideNotional(buy) - trades.sideNotional(sell)
      row[6] = entropyOf(bought, sold)
      row[7] = Math.sqrt(trades.squaredReturns)
      row[8] = quotient(bought, sold)
      row[9] = quotient(buyCount, sellCount)
      row[10] = quotient(bought, bought + sold)
      row[11] = quotient(buyCount, buyCount + sellCount)
      let at = 12
      for (const side of [buy, sell]) {
        for (let sizeClass = 0; sizeClass < 3; sizeClass++) {
          row[at++] = notional[side * 3 + sizeClass]
          row[at++] = count[side * 3 + sizeClass]
          row[at++] = quotient(notional[side * 3 + sizeClass], amount[side])
          row[at++] = quotient(count[side * 3 + sizeClass], side === buy ? buyCount : sellCount)
        }
      }
    },
}
