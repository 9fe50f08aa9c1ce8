import { sideCodes, type TradeEvents } from '../events.ts'
import type { DatasetComputation } from '../datasetComputation.ts'
import { quantile } from '../quantile.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan } from '../plan.ts'
import { tradesPart, meansBySide, notionalStep } from './tradeSteps.ts'

const { buy, sell } = sideCodes
/** Sign of a trade's amount, by side code. */
const signs = Float64Array.of(0, 1, -1)
/** Number of trades from a large trade to the one with which its price is compared. */
const tradesAhead = 5

interface ReturnResponse {
  /** Slope of trade returns on signed amounts. */
  lambda: number
  /** Mean return of buys minus mean negated return of sells. */
  asymmetry: number
}

function responseOf({ price, amount, side }: TradeEvents): ReturnResponse {
  const pairs = price.length - 1
  if (pairs < 1) return { lambda: NaN, asymmetry: NaN }
  const returnsBySide = new Float64Array(3)
  const origin = signs[side[1]] * amount[1]
  let flowSum = 0
  let buyCount = 0
  let sellCount = 0
  let before = price[0]
  for (let i = 1; i <= pairs; i++) {
    const tradePrice = price[i]
    const tradeSide = side[i]
    returnsBySide[tradeSide] += (tradePrice - before) / before
    buyCount = (buyCount + Number(tradeSide === buy)) | 0
    sellCount = (sellCount + Number(tradeSide === sell)) | 0
    flowSum += signs[tradeSide] * amount[i] - origin
    before = tradePrice
  }
  const meanReturn = (returnsBySide[0] + returnsBySide[1] + returnsBySide[2]) / pairs
  const meanFlow = flowSum / pairs
  let products = 0
  let squares = 0
  before = price[0]
  for (let i = 1; i <= pairs; i++) {
    const tradePrice = price[i]
    const flow = signs[side[i]] * amount[i] - origin - meanFlow
    // The returns are computed again, because storing a day's returns would take longer than dividing again.
    products += flow * ((tradePrice - before) / before - meanReturn)
    squares += flow * flow
    before = tradePrice
  }
  return {
    lambda: pairs < 2 ? NaN : quotient(products, squares),
    asymmetry: quotient(returnsBySide[buy], buyCount) + quotient(returnsBySide[sell], sellCount),
  }
}

const largeTrades = new Int32Array(4096)

function largeTradeReversal(price: Float64Array, notionals: Float64Array): number {
  const comparedCount = price.length - tradesAhead
  if (comparedCount <= 0) return NaN
  const largeNotional = quantile(notionals, 9, 10)
  let count = 0
  let returnSum = 0
  for (let from = 0; from < comparedCount; from += largeTrades.length) {
    const to = Math.min(from + largeTrades.length, comparedCount)
    // Large trades are listed first, because a branch that skips the other trades would be mispredicted too often.
    let found = 0
    for (let i = from; i < to; i++) {
      largeTrades[found] = i
      found = (found + Number(notionals[i] >= largeNotional)) | 0
    }
    for (let k = 0; k < found; k++) {
      const i = largeTrades[k]
      returnSum += (price[i + tradesAhead] - price[i]) / price[i]
    }
    count += found
  }
  return quotient(returnSum, count)
}

const absoluteReturnNode = plan.abs(plan.ratio(plan.subtract('price_last', 'price_first'), 'price_first'))

const impactPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount', 'sign'],
      steps: [
        notionalStep,
        plan.define('Neighbours of each trade in its interval, and the notional from which a trade is large', {
          price_before: plan.before('price'),
          price_ahead: plan.ahead('price', tradesAhead),
          large_from: plan.across(plan.quantile('notional', 9, 10)),
        }),
        plan.define('Return and signed amount of each trade that has one before it', {
          trade_return: plan.ratio(plan.subtract('price', 'price_before'), 'price_before'),
          signed_amount: plan.choose(plan.present('price_before'), plan.multiply('sign', 'amount')),
          reversal: plan.choose(
            plan.atLeast('notional', 'large_from'),
            plan.ratio(plan.subtract('price_ahead', 'price'), 'price'),
          ),
        }),
        ...plan.centre('trade_return', 'signed_amount'),
      ],
      values: {
        price_first: plan.first('price'),
        price_last: plan.last('price'),
        notional_total: plan.total('notional'),
        signed_notional: plan.total(plan.multiply('sign', 'notional')),
        pairs: plan.count(plan.above('nth', 1)),
        covariation: plan.total(plan.multiply('signed_amount_distance', 'trade_return_distance')),
        amount_squares: plan.total(plan.multiply('signed_amount_distance', 'signed_amount_distance')),
        reversal_mean: plan.mean('reversal'),
        ...meansBySide('return', 'trade_return'),
      },
    }),
  ],
  afterFill: [],
  columns: {
    amihud_like: plan.ratio(absoluteReturnNode, 'notional_total'),
    kyle_like_lambda: plan.choose(plan.atLeast('pairs', 2), plan.ratio('covariation', 'amount_squares')),
    impact_per_notional: plan.ratio(absoluteReturnNode, plan.abs('signed_notional')),
    large_trade_reversal: { op: 'column', name: 'reversal_mean' },
    directional_impact_asymmetry: plan.add('buy_return_mean', 'sell_return_mean'),
  },
}

export const impact: DatasetComputation = {
  dataset: 'impact',
  reads: { trades: ['price', 'amount', 'side'] },
  plan: impactPlan,
  create:
    () =>
    ({ trades }, row) => {
      const { lambda, asymmetry } = responseOf(trades.events)
      const absoluteReturn = Math.abs(trades.totalReturn)
      row[0] = quotient(absoluteReturn, trades.volumeNotional)
      row[1] = lambda
      row[2] = quotient(absoluteReturn, Math.abs(trades.sideNotional(buy) - trades.sideNotional(sell)))
      row[3] = largeTradeReversal(trades.events.price, trades.notionals)
      row[4] = asymmetry
    },
}
