import { bookLevels } from '#shared/metrics/events.ts'
import {
  IMBALANCE_BAR_SECONDS as BAR_SECONDS,
  IMBALANCE_DELAY_BARS,
  IMBALANCE_LEVELS,
  IMBALANCE_SECONDS,
  IMBALANCE_TILT,
} from '../market/effectsToFind.ts'
import type { RandomStream } from '../market/random.ts'
import { withArrivals } from './arrival.ts'
import { SECONDS_PER_DAY, SECONDS_PER_YEAR } from './fairPath.ts'
import type { InstrumentDay } from './instrumentDay.ts'
import { SizeDraw } from './sizeDraw.ts'
import { Steps } from './steps.ts'
import type { Quotes } from './tape.ts'

/** Snapshots of the order book, 25 levels per side: rows of 25 amounts, best level first. */
export interface Book {
  exchangeUs: Float64Array
  localUs: Float64Array
  bidAmount: Float64Array
  askAmount: Float64Array
}

const STEP_SECONDS = 5
const ROW_COUNT = SECONDS_PER_DAY / STEP_SECONDS
/** Maximum number of levels of each side, besides the best, that change between two snapshots. */
const MOST_CHANGED_LEVELS = 5

/** Current state of one side of the book; amounts grow away from the best price, and some levels are walls. */
class BookSide {
  readonly amounts = new Float64Array(bookLevels)
  private readonly lots: Steps
  private readonly random: RandomStream

  constructor(lots: Steps, random: RandomStream, depth: number) {
    this.lots = lots
    this.random = random
    for (let level = 0; level < bookLevels; level++) this.redraw(level, depth)
  }

  /**
   * Changes a few levels, those near the best price more often; the best level comes from the quotes.
   * @param nearDepth depth of the levels with the imbalance to find
   */
  change(bestAmount: number, depth: number, nearDepth: number): void {
    for (let i = 0; i < MOST_CHANGED_LEVELS; i++) {
      const level = 1 + Math.floor((bookLevels - 1) * this.random.uniform() * this.random.uniform())
      this.redraw(level, level < IMBALANCE_LEVELS ? nearDepth : depth)
    }
    this.amounts[0] = bestAmount
  }

  private redraw(level: number, depth: number): void {
    const wall = this.random.chance(0.015) ? 12 : 1
    const drawnLots = depth * (0.25 + this.random.uniform() * 1.5) * (1 + level * 0.18) * wall
    this.amounts[level] = this.lots.value(Math.max(1, Math.round(drawnLots)))
  }
}

/**
 * Computes the tilt of the book towards the bids at the end of every bar of the day, as a log: proportional to the
 * return of the bar after the delay, and 0 where that bar is on the next day. All zeros without effects to find.
 */
function knowingTilts({ showsEffects, market, instrument, day, fair }: InstrumentDay): Float64Array {
  const tilts = new Float64Array(SECONDS_PER_DAY / BAR_SECONDS)
  if (!showsEffects) return tilts
  const deviation = market.dayVolatility(instrument.base, day) * Math.sqrt(BAR_SECONDS / SECONDS_PER_YEAR)
  for (let bar = 0; bar + IMBALANCE_DELAY_BARS + 1 < tilts.length; bar++) {
    const from = (bar + IMBALANCE_DELAY_BARS + 1) * BAR_SECONDS
    const change = Math.log(fair.price[from + BAR_SECONDS] / fair.price[from]) / deviation
    tilts[bar] = IMBALANCE_TILT * Math.max(-3, Math.min(3, change))
  }
  return tilts
}

/** Draws a snapshot about every five seconds. */
export function drawBook(input: InstrumentDay, quotes: Quotes): Book {
  const random = input.random('book')
  const lots = new Steps(input.instrument.lotSize)
  const sizes = new SizeDraw(input, random)
  const usualDepth = sizes.typicalLots(input.fair.price[0]) * 14
  const exchangeUs = new Float64Array(ROW_COUNT)
  const bidAmount = new Float64Array(ROW_COUNT * bookLevels)
  const askAmount = new Float64Array(ROW_COUNT * bookLevels)
  const bid = new BookSide(lots, random, usualDepth)
  const ask = new BookSide(lots, random, usualDepth)
  const tilts = knowingTilts(input)
  let lean = 0
  let quoteAt = 0
  for (let row = 0; row < ROW_COUNT; row++) {
    const seconds = (row + 0.8 * random.uniform()) * STEP_SECONDS
    exchangeUs[row] = input.startUs + Math.floor(seconds * 1e6)
    while (quoteAt + 1 < quotes.exchangeUs.length && quotes.exchangeUs[quoteAt + 1] <= exchangeUs[row]) quoteAt++
    const depth = usualDepth / (0.5 + input.fair.activity[Math.floor(seconds / 60)])
    lean = 0.97 * lean + 0.1 * random.normal()
    const tilt = Math.exp(lean)
    const isBarEnd = seconds % BAR_SECONDS >= BAR_SECONDS - IMBALANCE_SECONDS
    const nearTilt = isBarEnd ? tilt * Math.exp(tilts[Math.floor(seconds / BAR_SECONDS)]) : tilt
    bid.change(quotes.bidAmount[quoteAt], depth * tilt, depth * nearTilt)
    ask.change(quotes.askAmount[quoteAt], depth / tilt, depth / nearTilt)
    bidAmount.set(bid.amounts, row * bookLevels)
    askAmount.set(ask.amounts, row * bookLevels)
  }
  return withArrivals({ exchangeUs, bidAmount, askAmount }, input, 'book arrival')
}
