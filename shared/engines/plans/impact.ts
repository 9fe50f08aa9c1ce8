import {
  above,
  abs,
  across,
  add,
  ahead,
  atLeast,
  before,
  centre,
  choose,
  count,
  define,
  first,
  last,
  mean,
  multiply,
  present,
  quantile,
  ratio,
  subtract,
  total,
} from '../expressions.ts'
import type { MetricPlan } from '../plan.ts'
import { meansBySide, notionalStep, tradesPart } from './trades.ts'

const absoluteReturn = abs(ratio(subtract('price_last', 'price_first'), 'price_first'))

export const impactPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount', 'sign'],
      steps: [
        notionalStep,
        define('Neighbours of each trade in its interval, and the notional from which a trade is large', {
          price_before: before('price'),
          price_ahead: ahead('price', 5),
          large_from: across(quantile('notional', 9, 10)),
        }),
        define('Return and signed amount of each trade that has one before it', {
          trade_return: ratio(subtract('price', 'price_before'), 'price_before'),
          signed_amount: choose(present('price_before'), multiply('sign', 'amount')),
          reversal: choose(atLeast('notional', 'large_from'), ratio(subtract('price_ahead', 'price'), 'price')),
        }),
        ...centre('trade_return', 'signed_amount'),
      ],
      values: {
        price_first: first('price'),
        price_last: last('price'),
        notional_total: total('notional'),
        signed_notional: total(multiply('sign', 'notional')),
        pairs: count(above('nth', 1)),
        covariation: total(multiply('signed_amount_distance', 'trade_return_distance')),
        amount_squares: total(multiply('signed_amount_distance', 'signed_amount_distance')),
        reversal_mean: mean('reversal'),
        ...meansBySide('return', 'trade_return'),
      },
    }),
  ],
  afterFill: [],
  columns: {
    amihud_like: ratio(absoluteReturn, 'notional_total'),
    kyle_like_lambda: choose(atLeast('pairs', 2), ratio('covariation', 'amount_squares')),
    impact_per_notional: ratio(absoluteReturn, abs('signed_notional')),
    large_trade_reversal: { op: 'column', name: 'reversal_mean' },
    directional_impact_asymmetry: add('buy_return_mean', 'sell_return_mean'),
  },
}
