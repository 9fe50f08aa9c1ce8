import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan, Value } from '../plan.ts'
import { tradesPart, priceBeforeStep } from './tradeSteps.ts'

/**
 * Computes all sums in one pass: while the processor waits for an addition to one sum, it adds to the others, so
 * additional sums take no more time. The sums `shifted…` add differences from the first or second return, which keeps
 * the digits of returns that are nearly equal.
 */
function sumsOf(returns: Float64Array) {
  const [origin, originAfter] = returns
  let total = origin
  let path = Math.abs(origin)
  let adjacent = 0
  let before = path
  let shifted = 0
  let shiftedButLast = 0
  let shiftedAfter = 0
  for (let i = 1; i < returns.length; i++) {
    const value = returns[i]
    const size = Math.abs(value)
    total += value
    path += size
    adjacent += size * before
    shiftedButLast = shifted
    shifted += value - origin
    shiftedAfter += value - originAfter
    before = size
  }
  return { total, path, adjacent, shifted, shiftedButLast, shiftedAfter }
}

/**
 * Sums squared distances from the mean, and products of the distances of each return and the previous one. Means are
 * given as differences from the first or second return, as in `sumsOf`.
 * @param shift mean of all returns
 * @param shiftBefore mean of all returns but the last
 * @param shiftAfter mean of all returns but the first, as difference from the second
 */
function centredSums(returns: Float64Array, shift: number, shiftBefore: number, shiftAfter: number) {
  const [origin, originAfter] = returns
  let m2 = shift * shift
  let crossProducts = 0
  let squaresBefore = 0
  let squaresAfter = 0
  for (let i = 1; i < returns.length; i++) {
    const distance = returns[i] - origin - shift
    const before = returns[i - 1] - origin - shiftBefore
    const after = returns[i] - originAfter - shiftAfter
    m2 += distance * distance
    crossProducts += before * after
    squaresBefore += before * before
    squaresAfter += after * after
  }
  return { m2, crossProducts, squaresBefore, squaresAfter }
}

const bipowerNode = plan.multiply(Math.PI / 2, 'adjacent_products')
const withTwoReturns = (result: Value) => plan.choose(plan.atLeast('returns', 2), result)

const returnsPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price'],
      steps: [
        priceBeforeStep,
        plan.define('Log returns inside the interval', { log_return: plan.logReturn('price_before', 'price') }),
        plan.define('Previous return', { return_before: plan.before('log_return') }),
        plan.define('Pairs of a return and the one before it', {
          earlier: plan.value('return_before'),
          later: plan.choose(plan.present('return_before'), 'log_return'),
        }),
        ...plan.centre('log_return', 'earlier', 'later'),
      ],
      values: {
        returns: plan.count(plan.present('log_return')),
        pairs: plan.count(plan.present('return_before')),
        return_variance: plan.variance('log_return_distance'),
        return_squares: plan.total(plan.multiply('log_return', 'log_return')),
        return_total: plan.total('log_return'),
        return_path: plan.total(plan.abs('log_return')),
        adjacent_products: plan.total(plan.multiply(plan.abs('log_return'), plan.abs('return_before'))),
        covariation: plan.total(plan.multiply('earlier_distance', 'later_distance')),
        earlier_squares: plan.total(plan.multiply('earlier_distance', 'earlier_distance')),
        later_squares: plan.total(plan.multiply('later_distance', 'later_distance')),
      },
    }),
  ],
  afterFill: [],
  columns: {
    logret_var: plan.value('return_variance'),
    realized_vol: plan.choose(plan.atLeast('returns', 1), plan.sqrt('return_squares')),
    bipower_variation: withTwoReturns(bipowerNode),
    jump_ratio: withTwoReturns(plan.ratio(plan.subtract('return_squares', bipowerNode), 'return_squares')),
    ret_autocorr_lag1: plan.choose(
      plan.atLeast('pairs', 2),
      plan.ratio('covariation', plan.multiply(plan.sqrt('earlier_squares'), plan.sqrt('later_squares'))),
    ),
    trendiness: plan.ratio(plan.abs('return_total'), 'return_path'),
  },
}

export const returns: DatasetComputation = {
  dataset: 'returns',
  reads: { trades: ['price'] },
  plan: returnsPlan,
  create:
    () =>
    ({ trades }, row) => {
      const values = trades.logReturns
      const count = values.length
      if (count === 0) return
      const squaredReturnSum = trades.squaredReturns
      const sums = sumsOf(values)
      row[1] = Math.sqrt(squaredReturnSum)
      row[5] = quotient(Math.abs(sums.total), sums.path)
      if (count < 2) return
      // The first members of the pairs are all returns but the last, the second members all but the first.
      const pairs = count - 1
      const centred = centredSums(values, sums.shifted / count, sums.shiftedButLast / pairs, sums.shiftedAfter / pairs)
      const bipower = (Math.PI / 2) * sums.adjacent
      row[0] = centred.m2 / pairs
      row[2] = bipower
      row[3] = quotient(squaredReturnSum - bipower, squaredReturnSum)
      // This column is the Pearson correlation of each return with the previous one.
      if (pairs >= 2)
        row[4] = quotient(centred.crossProducts, Math.sqrt(centred.squaresBefore) * Math.sqrt(centred.squaresAfter))
    },
}
