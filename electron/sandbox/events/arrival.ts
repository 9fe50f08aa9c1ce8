import type { Venue } from '#shared/catalog/venues.ts'
import type { InstrumentDay } from './instrumentDay.ts'
import type { RandomStream } from '../market/random.ts'
import { dayNumberOf } from '../market/days.ts'

/** Before this day arrivals were not measured: they are modelled. */
const measuredFrom = dayNumberOf('2024-07-01')

export const isArrivalMeasured = (day: number) => day >= measuredFrom

/** Typical way from the venue to the capture machine, in microseconds. */
const typicalLatencyUs: Record<Venue, number> = {
  'venuea-futures': 6_000,
  'venueb-perps': 42_000,
  'venuec-perps': 95_000,
}

/** Hiccup at the end of a measured day, in microseconds: what the venue sends in it arrives after midnight. */
const LAST_HICCUP_US = 12_000_000

/** Share of the hiccup that passes between the arrivals of its events, which come all at once when it ends. */
const BACKLOG_PACE = 0.01

const US_PER_DAY = 86_400_000_000

/**
 * Draws the times at which the events reached the capture machine. Measured ones come through one connection, so none
 * overtakes another, and a hiccup holds up those behind it, as one at the end of each day does; modelled ones are drawn one by one from the same
 * distribution.
 */
export function arrivalsOf(exchangeUs: Float64Array, venue: Venue, day: number, random: RandomStream): Float64Array {
  const typicalUs = typicalLatencyUs[venue]
  const isMeasured = isArrivalMeasured(day)
  const localUs = new Float64Array(exchangeUs.length)
  const midnightUs = (day + 1) * US_PER_DAY
  const hiccupUs = midnightUs - LAST_HICCUP_US
  let previousUs = 0
  for (let i = 0; i < exchangeUs.length; i++) {
    let latencyUs = typicalUs * (0.75 + 0.4 * random.exponential())
    if (random.chance(0.0005)) latencyUs += typicalUs * 20 * random.exponential()
    let arrivedUs = exchangeUs[i] + Math.round(latencyUs)
    if (isMeasured && exchangeUs[i] >= hiccupUs)
      arrivedUs = Math.max(arrivedUs, midnightUs + Math.round((exchangeUs[i] - hiccupUs) * BACKLOG_PACE))
    localUs[i] = isMeasured ? Math.max(arrivedUs, previousUs) : arrivedUs
    previousUs = localUs[i]
  }
  return localUs
}

/** Adds the arrivals to events; they are drawn when first read, because files by exchange time do without them. */
export function withArrivals<Events extends { exchangeUs: Float64Array }>(
  events: Events,
  { instrument, day, random }: Pick<InstrumentDay, 'instrument' | 'day' | 'random'>,
  purpose: string,
): Events & { localUs: Float64Array } {
  let drawn: Float64Array | null = null
  return {
    ...events,
    get localUs() {
      return (drawn ??= arrivalsOf(events.exchangeUs, instrument.venue, day, random(purpose)))
    },
  }
}
