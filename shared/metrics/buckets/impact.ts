import { sideCodes, type TradeEvents } from '../events.ts'
import type { Bucket } from '../bucket.ts'
import { quantile } from '../quantile.ts'
import { quotient } from '../quotient.ts'

const { buy, sell } = sideCodes
/** How a trade's amount is signed, by side code. */
const signs = Float64Array.of(0, 1, -1)
const tradesAhead = 5

/** Slope of the trade returns over the signed amounts. */
function kyleLambda({ price, amount, side }: TradeEvents): number {
  const pairs = price.length - 1
  if (pairs < 2) return NaN
  const origin = signs[side[1]] * amount[1]
  let returns = 0
  let flows = 0
  for (let i = 1; i <= pairs; i++) {
    returns += (price[i] - price[i - 1]) / price[i - 1]
    flows += signs[side[i]] * amount[i] - origin
  }
  const meanReturn = returns / pairs
  const meanFlow = flows / pairs
  let together = 0
  let squares = 0
  for (let i = 1; i <= pairs; i++) {
    const flow = signs[side[i]] * amount[i] - origin - meanFlow
    together += flow * ((price[i] - price[i - 1]) / price[i - 1] - meanReturn)
    squares += flow * flow
  }
  return quotient(together, squares)
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

function directionalAsymmetry({ price, side }: TradeEvents): number {
  let buyReturns = 0
  let buys = 0
  let sellReturns = 0
  let sells = 0
  for (let i = 1; i < price.length; i++) {
    if (side[i] === buy) {
      buyReturns += (price[i] - price[i - 1]) / price[i - 1]
      buys++
    } else if (side[i] === sell) {
      sellReturns += (price[i - 1] - price[i]) / price[i - 1]
      sells++
    }
  }
  return quotient(buyReturns, buys) - quotient(sellReturns, sells)
}

export const impact: Bucket = {
  dataset: 'impact',
  reads: { trades: ['price', 'amount', 'side'] },
  create:
    () =>
    ({ trades }, row) => {
      const moved = Math.abs(trades.totalReturn)
      row[0] = quotient(moved, trades.volumeNotional)
      row[1] = kyleLambda(trades.events)
      row[2] = quotient(moved, Math.abs(trades.sideNotional(buy) - trades.sideNotional(sell)))
      row[3] = largeTradeReversal(trades.events.price, trades.notionals)
      row[4] = directionalAsymmetry(trades.events)
    },
}
