import { arrivalsOf } from './arrival.ts'
import { SECONDS_PER_DAY } from './fairPath.ts'
import { venuePrice, type InstrumentDay } from './instrumentDay.ts'
import { SizeDraw } from './sizeDraw.ts'
import { Steps } from './steps.ts'

export const BOOK_LEVELS = 25

/** Snapshots of the order book, 25 levels a side; one row of 25 amounts after another, best level first. */
export interface Book {
  exchangeUs: Float64Array
  localUs: Float64Array
  bidAmount: Float64Array
  askAmount: Float64Array
}

/** Amounts grow away from the best price; a side leans for a while, and single levels hold walls. */
export function drawBook(input: InstrumentDay): Book {
  const random = input.random('book')
  const lots = new Steps(input.instrument.lotSize)
  const sizes = new SizeDraw(input, random)
  const stepSeconds = 5
  const count = SECONDS_PER_DAY / stepSeconds
  const exchangeUs = new Float64Array(count)
  const sides = [new Float64Array(count * BOOK_LEVELS), new Float64Array(count * BOOK_LEVELS)]
  let lean = 0
  for (let row = 0; row < count; row++) {
    const seconds = (row + 0.8 * random.uniform()) * stepSeconds
    exchangeUs[row] = input.startUs + Math.floor(seconds * 1e6)
    const lively = input.fair.activity[Math.floor(seconds / 60)]
    const depth = (sizes.typicalLots(venuePrice(input, seconds)) * 14) / (0.5 + lively)
    lean = 0.97 * lean + 0.1 * random.normal()
    const tilt = Math.exp(lean)
    for (let side = 0; side < 2; side++) {
      const amounts = sides[side]
      const sideDepth = side === 0 ? depth * tilt : depth / tilt
      for (let level = 0; level < BOOK_LEVELS; level++) {
        const wall = random.chance(0.015) ? 12 : 1
        const drawn = sideDepth * (0.25 + random.uniform() * 1.5) * (1 + level * 0.18) * wall
        amounts[row * BOOK_LEVELS + level] = lots.value(Math.max(1, Math.round(drawn)))
      }
    }
  }
  const localUs = arrivalsOf(exchangeUs, input.instrument.venue, input.day, input.random('book arrival'))
  return { exchangeUs, localUs, bidAmount: sides[0], askAmount: sides[1] }
}
