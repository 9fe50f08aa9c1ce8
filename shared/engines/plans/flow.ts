import {
  above,
  add,
  all,
  choose,
  count,
  define,
  ln,
  logReturn,
  multiply,
  orZero,
  present,
  ratio,
  score,
  sqrt,
  subtract,
  total,
  value,
} from '../expressions.ts'
import type { Aggregate, PlanCondition, MetricPlan, Value } from '../plan.ts'
import { isBuy, isSell, notionalStep, priceBeforeStep, sizeClasses, tradesPart } from './trades.ts'

const sides: [string, PlanCondition][] = [
  ['buy', isBuy],
  ['sell', isSell],
]

function classValues(): Record<string, Aggregate> {
  const values = sides.flatMap(([side, isSide]) =>
    sizeClasses.flatMap(([size, isSize]): [string, Aggregate][] => [
      [`${side}_${size}_notional`, total(choose(all(isSide, isSize), 'notional'))],
      [`${side}_${size}_trades`, count(all(isSide, isSize))],
    ]),
  )
  return Object.fromEntries(values)
}

function classColumns(): Record<string, Value> {
  const columns = sides.flatMap(([side]) =>
    sizeClasses.flatMap(([size]): [string, Value][] => {
      const prefix = `taker_${side}_${size}_order`
      return [
        [`${prefix}_volume`, value(`${side}_${size}_notional`)],
        [`${prefix}_count`, value(`${side}_${size}_trades`)],
        [`${prefix}_percentage`, ratio(`${side}_${size}_notional`, `${side}_amount`)],
        [`${prefix}_count_percentage`, ratio(`${side}_${size}_trades`, `${side}_trades`)],
      ]
    }),
  )
  return Object.fromEntries(columns)
}

const sidedAmount = add('buy_amount', 'sell_amount')

/** Builds −share·ln(share), which is 0 for a share of 0. */
const entropyTerm = (share: Value) => choose(above(share, 0), subtract(0, multiply(share, ln(share))), 0)

export const flowPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount', 'sign'],
      steps: [
        notionalStep,
        priceBeforeStep,
        define('Log returns inside the interval', { log_return: logReturn('price_before', 'price') }),
      ],
      values: {
        buy_amount: total(choose(isBuy, 'amount')),
        sell_amount: total(choose(isSell, 'amount')),
        buy_trades: count(isBuy),
        sell_trades: count(isSell),
        signed_notional: total(multiply('sign', 'notional')),
        return_squares: total(multiply('log_return', 'log_return')),
        ...classValues(),
      },
    }),
  ],
  afterFill: [
    define('An interval without trades counts with a flow and a volatility of 0', {
      flow_or_zero: orZero('signed_notional'),
      volatility_or_zero: orZero(sqrt('return_squares')),
    }),
    define('Both are compared with the intervals of the day so far', {
      flow_score: score('flow_or_zero'),
      volatility_score: score('volatility_or_zero'),
    }),
  ],
  columns: {
    taker_buy_volume: value('buy_amount'),
    taker_sell_volume: value('sell_amount'),
    taker_buy_count: value('buy_trades'),
    taker_sell_count: value('sell_trades'),
    volume_delta: subtract('buy_amount', 'sell_amount'),
    volume_delta_notional: value('signed_notional'),
    flow_entropy: choose(
      above(sidedAmount, 0),
      add(entropyTerm(ratio('buy_amount', sidedAmount)), entropyTerm(ratio('sell_amount', sidedAmount))),
    ),
    flow_toxicity_score: choose(present('return_squares'), multiply('flow_score', 'volatility_score')),
    taker_buy_sell_ratio: ratio('buy_amount', 'sell_amount'),
    taker_buy_sell_count_ratio: ratio('buy_trades', 'sell_trades'),
    taker_buy_sell_percentage: ratio('buy_amount', sidedAmount),
    taker_buy_sell_count_percentage: ratio('buy_trades', add('buy_trades', 'sell_trades')),
    ...classColumns(),
  },
}
