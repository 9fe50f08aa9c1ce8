import type { TradeEvents } from './events.ts'

/** Sums by side and size class, at index side·3 + class; `amount` is indexed by side. */
interface ClassSums {
  notional: Float64Array
  count: Float64Array
  amount: Float64Array
}

/** Sums over all sides; `notional` and `count` are indexed by size class. */
interface SizeSums {
  notional: Float64Array
  count: Float64Array
  amount: number
}

interface PriceFacts {
  sum: number
  high: number
  low: number
}

/** Number of trades from which the shared array gets no spare room. */
const MANY_TRADES = 1_000_000
/** Notional from which a trade is medium, and from which it is large. */
export const mediumFrom = 100
export const largeFrom = 1000

/** Trades of one interval, with derived values that are computed when they are first read. */
export class TradeInterval {
  events: TradeEvents
  count = 0
  private readonly sums: ClassSums = {
    notional: new Float64Array(9),
    count: new Float64Array(9),
    amount: new Float64Array(3),
  }
  private hasSums = false
  private readonly sumsBySize: SizeSums = { notional: new Float64Array(3), count: new Float64Array(3), amount: 0 }
  private hasSumsBySize = false
  private priceFacts: PriceFacts | null = null
  /** NaN until the log returns are computed. */
  private squaredReturnSum = NaN
  /**
   * Current content of `buffer`, which notionals and log returns share because an interval of a day can have millions
   * of trades.
   */
  private buffered: 'notionals' | 'logReturns' | null = null
  private buffer = new Float64Array(0)

  constructor(events: TradeEvents) {
    this.events = events
    this.setEvents(events)
  }

  setEvents(events: TradeEvents): void {
    this.events = events
    this.count = events.price.length
    this.hasSums = false
    this.hasSumsBySize = false
    this.priceFacts = null
    this.buffered = null
    this.squaredReturnSum = NaN
  }

  /** Return from first to last trade. */
  get totalReturn(): number {
    const { price } = this.events
    return (price[this.count - 1] - price[0]) / price[0]
  }

  get prices(): PriceFacts {
    return (this.priceFacts ??= priceFactsOf(this.events.price))
  }

  /** Notional of each trade; valid until `logReturns` is read. */
  get notionals(): Float64Array {
    if (this.buffered !== 'notionals') {
      const { price, amount } = this.events
      const buffer = this.reserve()
      for (let i = 0; i < amount.length; i++) buffer[i] = price[i] * amount[i]
      this.buffered = 'notionals'
    }
    return this.buffer.subarray(0, this.count)
  }

  /** Log return of each trade from the previous one, without the first trade; valid until `notionals` is read. */
  get logReturns(): Float64Array {
    const returnCount = Math.max(0, this.count - 1)
    if (this.buffered !== 'logReturns') {
      const { price } = this.events
      const buffer = this.reserve()
      let squares = 0
      for (let i = 0; i < returnCount; i++) {
        const value = logReturn(price[i], price[i + 1])
        buffer[i] = value
        squares += value * value
      }
      this.buffered = 'logReturns'
      this.squaredReturnSum = squares
    }
    return this.buffer.subarray(0, returnCount)
  }

  /** Sum of the squared log returns. */
  get squaredReturns(): number {
    if (Number.isNaN(this.squaredReturnSum)) void this.logReturns
    return this.squaredReturnSum
  }

  /** Returns an array with room for a value of each trade. */
  private reserve(): Float64Array {
    const { count } = this
    if (this.buffer.length < count)
      this.buffer = new Float64Array(count < MANY_TRADES ? Math.ceil(count * 1.25) : count)
    return this.buffer
  }

  /**
   * Sums by side and size class. The same pass over the trades computes `sizeSums`, with exactly the values that its
   * own pass would give.
   */
  get classSums(): ClassSums {
    const { sums, sumsBySize } = this
    if (!this.hasSums) {
      const { price, side, amount } = this.events
      sums.notional.fill(0)
      sums.count.fill(0)
      sums.amount.fill(0)
      this.clearSumsBySize()
      let volume = 0
      for (let i = 0; i < amount.length; i++) {
        const notional = price[i] * amount[i]
        const size = sizeClass(notional)
        const key = side[i] * 3 + size
        sums.notional[key] += notional
        sums.count[key]++
        sums.amount[side[i]] += amount[i]
        sumsBySize.notional[size] += notional
        volume += amount[i]
      }
      for (let size = 0; size < 3; size++)
        sumsBySize.count[size] = sums.count[size] + sums.count[3 + size] + sums.count[6 + size]
      sumsBySize.amount = volume
      this.hasSums = true
      this.hasSumsBySize = true
    }
    return sums
  }

  /** Sums that do not read the side, which is not decoded for every dataset. */
  get sizeSums(): SizeSums {
    const { sumsBySize } = this
    if (!this.hasSumsBySize) {
      const { price, amount } = this.events
      this.clearSumsBySize()
      let volume = 0
      for (let i = 0; i < amount.length; i++) {
        const notional = price[i] * amount[i]
        const size = sizeClass(notional)
        sumsBySize.notional[size] += notional
        sumsBySize.count[size]++
        volume += amount[i]
      }
      sumsBySize.amount = volume
      this.hasSumsBySize = true
    }
    return sumsBySize
  }

  private clearSumsBySize(): void {
    this.sumsBySize.notional.fill(0)
    this.sumsBySize.count.fill(0)
  }

  /** Summed amount of all trades. */
  get volume(): number {
    return this.sizeSums.amount
  }

  /** Sums the notional of the trades of one side. */
  sideNotional(side: number): number {
    const { notional } = this.classSums
    return notional[side * 3] + notional[side * 3 + 1] + notional[side * 3 + 2]
  }

  /** Counts the trades of one side. */
  sideCount(side: number): number {
    const { count } = this.classSums
    return count[side * 3] + count[side * 3 + 1] + count[side * 3 + 2]
  }

  /** Summed notional of all trades. */
  get volumeNotional(): number {
    const { notional } = this.sizeSums
    return notional[0] + notional[1] + notional[2]
  }
}

// Comparisons are added as numbers, because trades of all sizes are mixed and a mispredicted branch takes longer than an
// addition.
const sizeClass = (notional: number) => Number(notional >= mediumFrom) + Number(notional >= largeFrom)

function priceFactsOf(prices: Float64Array): PriceFacts {
  let sum = 0
  let high = prices[0]
  let low = high
  for (let i = 0; i < prices.length; i++) {
    const price = prices[i]
    sum += price
    if (price > high) high = price
    if (price < low) low = price
  }
  return { sum, high, low }
}

/**
 * Computes ln(price / before), to the last digit even if the prices are nearly equal. The difference of such prices is
 * exact, so the artanh series in (price − before)/(price + before) keeps every digit that a quotient near 1 would lose.
 */
export function logReturn(before: number, price: number): number {
  const s = (price - before) / (price + before)
  const square = s * s
  if (square < 1e-6) return 2 * s * (1 + square * (1 / 3 + square * (1 / 5 + square * (1 / 7))))
  return Math.log(price / before)
}
