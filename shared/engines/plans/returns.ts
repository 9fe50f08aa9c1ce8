import {
  abs,
  atLeast,
  before,
  centre,
  choose,
  count,
  define,
  logReturn,
  multiply,
  present,
  ratio,
  sqrt,
  subtract,
  total,
  value,
  variance,
} from '../expressions.ts'
import type { MetricPlan, Value } from '../plan.ts'
import { priceBeforeStep, tradesPart } from './trades.ts'

const bipower = multiply(Math.PI / 2, 'adjacent_products')
const withTwoReturns = (result: Value) => choose(atLeast('returns', 2), result)

export const returnsPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price'],
      steps: [
        priceBeforeStep,
        define('Log returns inside the interval', { log_return: logReturn('price_before', 'price') }),
        define('Previous return', { return_before: before('log_return') }),
        define('Pairs of a return and the one before it', {
          earlier: value('return_before'),
          later: choose(present('return_before'), 'log_return'),
        }),
        ...centre('log_return', 'earlier', 'later'),
      ],
      values: {
        returns: count(present('log_return')),
        pairs: count(present('return_before')),
        return_variance: variance('log_return_distance'),
        return_squares: total(multiply('log_return', 'log_return')),
        return_total: total('log_return'),
        return_path: total(abs('log_return')),
        adjacent_products: total(multiply(abs('log_return'), abs('return_before'))),
        covariation: total(multiply('earlier_distance', 'later_distance')),
        earlier_squares: total(multiply('earlier_distance', 'earlier_distance')),
        later_squares: total(multiply('later_distance', 'later_distance')),
      },
    }),
  ],
  afterFill: [],
  columns: {
    logret_var: value('return_variance'),
    realized_vol: choose(atLeast('returns', 1), sqrt('return_squares')),
    bipower_variation: withTwoReturns(bipower),
    jump_ratio: withTwoReturns(ratio(subtract('return_squares', bipower), 'return_squares')),
    ret_autocorr_lag1: choose(
      atLeast('pairs', 2),
      ratio('covariation', multiply(sqrt('earlier_squares'), sqrt('later_squares'))),
    ),
    trendiness: ratio(abs('return_total'), 'return_path'),
  },
}
