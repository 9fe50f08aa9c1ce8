import { sideCodes, type TradeEvents } from '../events.ts'
import type { Bucket } from '../bucket.ts'
import { quantile } from '../quantile.ts'
import { quotient } from '../quotient.ts'

const { buy, sell } = sideCodes
/** Sign of a trade's amount, by side code. */
const signs = Float64Array.of(0, 1, -1)
/** Number of trades after which the price is compared. */
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
  const countBySide = new Float64Array(3)
  const origin = signs[side[1]] * amount[1]
  let flows = 0
  for (let i = 1; i <= pairs; i++) {
    const value = (price[i] - price[i - 1]) / price[i - 1]
    returnsBySide[side[i]] += value
    countBySide[side[i]]++
    flows += signs[side[i]] * amount[i] - origin
  }
  const meanReturn = (returnsBySide[0] + returnsBySide[1] + returnsBySide[2]) / pairs
  const meanFlow = flows / pairs
  let products = 0
  let squares = 0
  for (let i = 1; i <= pairs; i++) {
    const flow = signs[side[i]] * amount[i] - origin - meanFlow
    // The returns are computed again, because an array of a day's returns would cost more than the division.
    products += flow * ((price[i] - price[i - 1]) / price[i - 1] - meanReturn)
    squares += flow * flow
  }
  return {
    lambda: pairs < 2 ? NaN : quotient(products, squares),
    asymmetry: quotient(returnsBySide[buy], countBySide[buy]) + quotient(returnsBySide[sell], countBySide[sell]),
  }
}

function largeTradeReversal(price: Float64Array, notionals: Float64Array): number {
  const compared = price.length - tradesAhead
  if (compared <= 0) return NaN
  const large = quantile(notionals, 9, 10)
  let count = 0
  let returns = 0
  for (let i = 0; i < compared; i++) {
    if (notionals[i] < large) continue
    returns += (price[i + tradesAhead] - price[i]) / price[i]
    count++
  }
  return quotient(returns, count)
}

export const impact: Bucket = {
  dataset: 'impact',
  reads: { trades: ['price', 'amount', 'side'] },
  create:
    () =>
    ({ trades }, row) => {
      const { lambda, asymmetry } = responseOf(trades.events)
      const moved = Math.abs(trades.totalReturn)
      row[0] = quotient(moved, trades.volumeNotional)
      row[1] = lambda
      row[2] = quotient(moved, Math.abs(trades.sideNotional(buy) - trades.sideNotional(sell)))
      row[3] = largeTradeReversal(trades.events.price, trades.notionals)
      row[4] = asymmetry
    },
}
