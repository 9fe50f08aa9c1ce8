import { hashOf, mix, normalOf } from '../market/random.ts'
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
const FUNDING_PERIOD_SECONDS = 8 * 3600

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
      market.openInterestAt(base, day, elapsedShare, price) * (1 + wander * 4 * elapsedShare * (1 - elapsedShare))
    return lots.value(Math.max(1, lots.round((dollars * share) / (price * contractSize))))
  })
}

/**
 * Returns the rate that settles at the end of a funding period; `slot` 0 … 2 is on this day, a negative one on an
 * earlier day. Venues differ slightly.
 */
function settledRate({ market, instrument, day }: InstrumentDay, slot: number): number {
  const hash = hashOf(market.seed, 'funding premium', instrument.venue.id, instrument.symbol)
  const venuePremium = 1e-6 * Math.round(6 * normalOf(mix(hash, day * 3 + slot)))
  return market.fundingRate(instrument.base, day + Math.floor(slot / 3), ((slot % 3) + 3) % 3) + venuePremium
}

/** Draws the running estimate of each eight-hour funding rate, one row per change; it ends near the settled rate. */
export function drawFunding(input: InstrumentDay): Funding {
  const { instrument, startUs } = input
  const random = input.random('funding')
  const [times, rates, nextTimes] = Array.from({ length: 3 }, () => new GrowingColumn(2000))
  let previous = { rate: Number.NaN, nextUs: Number.NaN }
  for (let slot = 0; slot < 3; slot++) {
    const target = settledRate(input, slot)
    const before = settledRate(input, slot - 1)
    const from = Number.isFinite(before) ? before : target
    const endUs = startUs + (slot + 1) * FUNDING_PERIOD_SECONDS * SECOND_US
    for (let at = random.uniform(); at < FUNDING_PERIOD_SECONDS; at += 20 + 80 * random.uniform()) {
      const elapsedShare = at / FUNDING_PERIOD_SECONDS
      const estimate = from + (target - from) * elapsedShare + 6e-6 * (1 - elapsedShare) * random.normal()
      const rate = Math.round(estimate * 1e8) / 1e8
      // One venue announces the next settlement only half a minute after the previous one.
      const nextUs = instrument.venue.kind === 'venueb-perps' && at < 30 ? Number.NaN : endUs
      if (rate === previous.rate && Object.is(nextUs, previous.nextUs)) continue
      previous = { rate, nextUs }
      times.push(startUs + Math.floor((slot * FUNDING_PERIOD_SECONDS + at) * SECOND_US))
      rates.push(rate)
      nextTimes.push(nextUs)
    }
  }
  const events = { exchangeUs: times.toArray(), value: rates.toArray(), nextUs: nextTimes.toArray() }
  return withArrivals(events, input, 'funding arrival')
}
