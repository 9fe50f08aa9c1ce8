import type { RandomStream } from '../market/random.ts'
import type { InstrumentDay } from './instrumentDay.ts'

const SMALL_SHARE = 0.28
const MEDIUM_SHARE = 0.37
const LARGE_SHARE = 1 - SMALL_SHARE - MEDIUM_SHARE
/** Tail exponent of the order sizes; just above 2, so that their variance is barely finite. */
const TAIL_EXPONENT = 2.1

/** Draws notionals of orders in dollars: many small ones, and a heavy tail that makes up most of the turnover. */
export class SizeDraw {
  private readonly random: RandomStream
  private readonly largeFloor: number
  private readonly baseAmountPerLot: number
  private readonly drawn = { notional: 0, isLarge: false }

  constructor({ instrument, notional, tradeTarget }: InstrumentDay, random: RandomStream) {
    this.random = random
    const largeMean = notional / tradeTarget / LARGE_SHARE
    this.largeFloor = Math.max(1000, (largeMean * (TAIL_EXPONENT - 1)) / TAIL_EXPONENT)
    this.baseAmountPerLot = instrument.contractSize * instrument.lotSize
  }

  /** Draws the next order; the returned object is reused. */
  next(): { notional: number; isLarge: boolean } {
    const { random, drawn } = this
    const drawnShare = random.uniform()
    drawn.isLarge = drawnShare >= SMALL_SHARE + MEDIUM_SHARE
    if (drawnShare < SMALL_SHARE) drawn.notional = 5 + 90 * random.uniform() ** 1.6
    else if (!drawn.isLarge) drawn.notional = 100 * 10 ** (random.uniform() ** 1.2)
    else drawn.notional = this.largeFloor * Math.min(3000, random.pareto(TAIL_EXPONENT))
    return drawn
  }

  /** Returns the size of a typical order at this price, in lots. */
  typicalLots(price: number): number {
    return Math.max(1, (this.largeFloor * 0.35) / (price * this.baseAmountPerLot))
  }
}
