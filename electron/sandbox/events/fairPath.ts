import type { DailyMarket } from '../market/daily.ts'
import { RandomStream } from '../market/random.ts'

export const SECONDS_PER_DAY = 86_400
export const MINUTES_PER_DAY = 1440
const SECONDS_PER_HOUR = 3600
export const SECONDS_PER_YEAR = 365 * SECONDS_PER_DAY

/** Price path of an asset on one day; the prices on all venues follow it. */
export interface FairPath {
  /** Price at second 0 … 86,400. */
  price: Float64Array
  /** Activity of each minute; 1 on average. */
  activity: Float64Array
}

/** Draws the activity: a slow wave over the day, clusters that last, and shocks that fade. */
function drawActivity(random: RandomStream): Float64Array {
  const activity = new Float64Array(MINUTES_PER_DAY)
  const peak = random.between(13, 16)
  let cluster = random.normal()
  let shock = 0
  let total = 0
  for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
    cluster = 0.97 * cluster + 0.243 * random.normal()
    shock = 0.95 * shock + (random.chance(0.004) ? Math.min(1.6, 0.6 * random.exponential()) : 0)
    const wave = 0.35 * Math.cos(((minute / 60 - peak) / 12) * Math.PI)
    activity[minute] = Math.exp(0.5 * cluster + shock + wave)
    total += activity[minute]
  }
  return activity.map((minuteActivity) => (minuteActivity * MINUTES_PER_DAY) / total)
}

/** Probability of a jump in a second. */
const JUMP_CHANCE = 0.00003
/** Typical size of a jump, in standard deviations of a second's step. */
const JUMP_SIZE = 25

/**
 * Draws a random walk over one hour that starts and ends at 0, with occasional jumps, in units of an average second's
 * standard deviation.
 */
function drawBridge(bridge: Float64Array, hour: number, activity: Float64Array, random: RandomStream): void {
  let level = 0
  let secondsToJump = random.exponential() / JUMP_CHANCE
  for (let second = 1, minute = hour * 60; second <= SECONDS_PER_HOUR; minute++) {
    const deviation = Math.sqrt(activity[minute])
    for (const end = second + 60; second < end; second++) {
      level += deviation * random.normal()
      if (--secondsToJump < 0) {
        level += JUMP_SIZE * random.heavyTail()
        secondsToJump = random.exponential() / JUMP_CHANCE
      }
      bridge[second] = level
    }
  }
  const slope = level / SECONDS_PER_HOUR
  for (let second = 1; second <= SECONDS_PER_HOUR; second++) bridge[second] -= slope * second
}

/**
 * Computes exp(x) quickly, because there are 86,400 prices per day: near 0, where nearly all values are, by the Taylor
 * series.
 */
function quickExp(x: number): number {
  if (x > 0.03 || x < -0.03) return Math.exp(x)
  return 1 + x * (1 + x * (1 / 2 + x * (1 / 6 + x * (1 / 24 + x / 120))))
}

/** Draws the asset's price for each second, through the hourly prices of the daily market. */
export function drawFairPath(market: DailyMarket, base: string, day: number): FairPath {
  const random = new RandomStream(market.seed, 'fair', base, day)
  const activity = drawActivity(random)
  const price = new Float64Array(SECONDS_PER_DAY + 1)
  const bridge = new Float64Array(SECONDS_PER_HOUR + 1)
  const deviation = market.dayVolatility(base, day) / Math.sqrt(SECONDS_PER_YEAR)
  const hourPrices = market.hourPrices(base, day)
  for (let hour = 0; hour < 24; hour++) {
    const from = hourPrices[hour]
    const slope = Math.log(hourPrices[hour + 1] / from) / SECONDS_PER_HOUR
    drawBridge(bridge, hour, activity, random)
    for (let second = 0; second <= SECONDS_PER_HOUR; second++) {
      price[hour * SECONDS_PER_HOUR + second] = from * quickExp(slope * second + deviation * bridge[second])
    }
  }
  return { price, activity }
}
