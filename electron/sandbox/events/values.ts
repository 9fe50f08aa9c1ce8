import { CROWDED_FUNDING, CROWDED_LOG_OPEN_INTEREST, crowdingAt } from '../market/effectsToFind.ts'
import { fundingHours, hasRunningRate, hidesFundingTime } from '../market/funding.ts'
import { numberFromText, mix, normalOf, type RandomStream } from '../market/random.ts'
import { withArrivals } from './arrival.ts'
import { SECONDS_PER_DAY } from './fairPath.ts'
import { GrowingColumn } from './growingColumn.ts'
import { venuePrice, type InstrumentDay } from './instrumentDay.ts'
import { Steps } from './steps.ts'

/** Updates of a single value: mark price, index price, open interest. */
export interface Values {
  exchangeUs: Float64Array
  localUs: Float64Array
  value: Float64Array
}

export interface Funding extends Values {
  /** Time at which the current funding period settles; NaN if the venue does not say. */
  nextUs: Float64Array
}

type Purpose = 'mark' | 'index' | 'open interest'

const SECOND_US = 1e6
/** Number of updates of a price in the time of one of the open interest. */
export const OPEN_INTEREST_PACE = 5
/** Largest number of updates of the funding rate in a day. */
export const MOST_FUNDING_ROWS = 1700
const SECONDS_PER_HOUR = 3600
/** Time before each settlement in which the rate is published once more. */
const LAST_FUNDING_SECONDS = 8

/** Draws a value about every `stepSeconds`, with one row per change. */
function drawValues(
  input: InstrumentDay,
  purpose: Purpose,
  stepSeconds: number,
  valueAt: (seconds: number) => number,
): Values {
  const random = input.random(purpose)
  const times = new GrowingColumn(SECONDS_PER_DAY / stepSeconds)
  const values = new GrowingColumn(SECONDS_PER_DAY / stepSeconds)
  let previous = Number.NaN
  for (let at = random.uniform() * 0.2; at < SECONDS_PER_DAY; at += stepSeconds * (0.9 + 0.2 * random.uniform())) {
    const value = valueAt(at)
    if (value === previous) continue
    times.push(input.startUs + Math.floor(at * SECOND_US))
    values.push(value)
    previous = value
  }
  return withArrivals({ exchangeUs: times.toArray(), value: values.toArray() }, input, `${purpose} arrival`)
}

/** Seconds between updates: 3 for the busiest instruments, 12 for the quietest. */
export const updateSeconds = ({ liquidity }: Pick<InstrumentDay, 'liquidity'>) => 3 + Math.round(9 * (1 - liquidity))

export function drawMark(input: InstrumentDay): Values {
  const ticks = new Steps(input.instrument.tickSize / 10)
  const random = input.random('mark noise')
  return drawValues(input, 'mark', updateSeconds(input), (seconds) =>
    ticks.value(ticks.round(venuePrice(input, seconds) * (1 + 0.00002 * random.normal()))),
  )
}

/** Draws the price of the underlying; it is the same for every venue at the same time. */
export function drawIndex(input: InstrumentDay): Values {
  const ticks = new Steps(input.instrument.tickSize / 10)
  const { price } = input.fair
  return drawValues(input, 'index', updateSeconds(input), (seconds) => {
    const second = Math.floor(seconds)
    return ticks.value(ticks.round(price[second] + (price[second + 1] - price[second]) * (seconds - second)))
  })
}

/** Draws open interest in the venue's unit: it moves with the price and ends each day at the daily market's value. */
export function drawOpenInterest(input: InstrumentDay): Values {
  const { market, instrument, day, fair } = input
  const { base, share, contractSize } = instrument
  const lots = new Steps(instrument.lotSize)
  const noise = input.random('open interest noise')
  let wander = 0
  return drawValues(input, 'open interest', updateSeconds(input) * OPEN_INTEREST_PACE, (seconds) => {
    const elapsedShare = seconds / SECONDS_PER_DAY
    const price = fair.price[Math.floor(seconds)]
    wander = 0.998 * wander + 0.0004 * noise.normal()
    const dollars =
      market.openInterestAt(base, day, elapsedShare, price) *
      (1 + wander * 4 * elapsedShare * (1 - elapsedShare)) *
      crowdedFactor(input, seconds)
    return lots.value(Math.max(1, lots.round((dollars * share) / (price * contractSize))))
  })
}

/** Computes the factor by which crowding raises open interest. */
function crowdedFactor({ showsEffects, market, startUs }: InstrumentDay, seconds: number): number {
  if (!showsEffects) return 1
  const hour = (startUs / SECOND_US + seconds) / SECONDS_PER_HOUR
  return Math.exp(CROWDED_LOG_OPEN_INTEREST * crowdingAt(market.seed, hour))
}

/**
 * Returns the rate that settles at the end of a funding period; slot 0 is the first period of this day, a negative one
 * is on an earlier day. Venues differ slightly.
 */
function settledRate(input: InstrumentDay, hours: number, slot: number): number {
  const { market, instrument, day } = input
  const hash = numberFromText(market.seed, 'funding premium', instrument.venue.id, instrument.symbol)
  const venuePremium = 1e-6 * Math.round(6 * normalOf(mix(hash, (day * 24) / hours + slot)))
  const eightHours = Math.floor((slot * hours) / 8)
  const rate = market.fundingRate(instrument.base, day + Math.floor(eightHours / 3), ((eightHours % 3) + 3) % 3)
  const crowded = input.showsEffects ? CROWDED_FUNDING * crowdingAt(market.seed, day * 24 + slot * hours) : 0
  return roundedRate(((rate + venuePremium + crowded) * hours) / 8)
}

const roundedRate = (rate: number) => Math.round(rate * 1e8) / 1e8

/** Draws the estimate of the rate of a funding period while it runs; it ends near the settled rate. */
function drawRunningRate(input: InstrumentDay, hours: number, slot: number): (elapsedShare: number) => number {
  const random = input.random(`running funding ${slot}`)
  const target = settledRate(input, hours, slot)
  const before = settledRate(input, hours, slot - 1)
  const from = Number.isFinite(before) ? before : target
  return (elapsedShare) =>
    roundedRate(from + (target - from) * elapsedShare + 6e-6 * (1 - elapsedShare) * random.normal())
}

/**
 * Draws the updates of the funding rate. The rate of a funding period stands from its start and is repeated, with a
 * last row shortly before the end, so that it can be seen in every bar; a running rate has one row per change.
 */
export function drawFunding(input: InstrumentDay): Funding {
  const { instrument, startUs, day } = input
  const random = input.random('funding')
  const [times, rates, nextTimes] = Array.from({ length: 3 }, () => new GrowingColumn(2000))
  const isRunning = hasRunningRate(instrument)
  const hours = fundingHours(instrument, day)
  const seconds = hours * SECONDS_PER_HOUR
  for (let slot = 0; slot < 24 / hours; slot++) {
    const settled = settledRate(input, hours, slot)
    const rateAt = isRunning ? drawRunningRate(input, hours, slot) : () => settled
    const endUs = startUs + (slot + 1) * seconds * SECOND_US
    let previousRate = Number.NaN
    for (const at of fundingMoments(random, seconds)) {
      const rate = rateAt(at / seconds)
      if (isRunning && rate === previousRate) continue
      previousRate = rate
      times.push(startUs + Math.floor((slot * seconds + at) * SECOND_US))
      rates.push(rate)
      nextTimes.push(isFundingTimeKnown(instrument, at) ? endUs : Number.NaN)
    }
  }
  const events = { exchangeUs: times.toArray(), value: rates.toArray(), nextUs: nextTimes.toArray() }
  return withArrivals(events, input, 'funding arrival')
}

/** One kind of venue announces the next settlement only half a minute after the previous one. */
const isFundingTimeKnown = (instrument: InstrumentDay['instrument'], at: number) =>
  !hidesFundingTime(instrument) && (instrument.venue.kind !== 'venueb-perps' || at >= 30)

/** Draws the seconds of a funding period at which the rate is published: at once, then about once a minute. */
function fundingMoments(random: RandomStream, seconds: number): number[] {
  const moments: number[] = []
  for (let at = random.uniform(); at < seconds - LAST_FUNDING_SECONDS; at += 20 + 80 * random.uniform())
    moments.push(at)
  return [...moments, seconds - (0.2 + 0.8 * random.uniform()) * LAST_FUNDING_SECONDS]
}
