import type { SandboxVenue, VenueKind } from '../market/venues.ts'
import type { InstrumentDay } from './instrumentDay.ts'
import type { RandomStream } from '../market/random.ts'
import { marketDay } from '../market/days.ts'

/** Day from which arrival times are measured; on earlier days they are modelled. */
const firstMeasuredDay = marketDay('2024-07-01')

export const isArrivalMeasured = (day: number) => day >= firstMeasuredDay

/** Typical latency from the venue to the capture machine, in microseconds. */
const typicalLatencyUs: Record<VenueKind, number> = {
  'venuea-futures': 6_000,
  'venueb-perps': 42_000,
  'venuec-perps': 95_000,
}

/**
 * Length of the connection stall at the end of each measured day, in microseconds; events sent during it arrive after
 * midnight.
 */
const LAST_STALL_US = 12_000_000

/** Time that the delayed events take to arrive after a stall, as a share of the stall's length. */
const BACKLOG_PACE = 0.01

const US_PER_DAY = 86_400_000_000

/**
 * Draws the times at which events reached the capture machine. Measured events come through one connection, so none
 * overtakes another, and a stall delays those behind it; one such stall ends each day. Modelled arrivals are drawn
 * independently from the same distribution.
 */
function arrivalsOf(exchangeUs: Float64Array, venue: SandboxVenue, day: number, random: RandomStream): Float64Array {
  const typicalUs = typicalLatencyUs[venue.kind]
  const isMeasured = isArrivalMeasured(day)
  const localUs = new Float64Array(exchangeUs.length)
  const midnightUs = (day + 1) * US_PER_DAY
  const stallStartUs = midnightUs - LAST_STALL_US
  let previousUs = 0
  for (let i = 0; i < exchangeUs.length; i++) {
    let latencyUs = typicalUs * (0.75 + 0.4 * random.exponential())
    if (random.chance(0.0005)) latencyUs += typicalUs * 20 * random.exponential()
    let arrivedUs = exchangeUs[i] + Math.round(latencyUs)
    if (isMeasured && exchangeUs[i] >= stallStartUs)
      arrivedUs = Math.max(arrivedUs, midnightUs + Math.round((exchangeUs[i] - stallStartUs) * BACKLOG_PACE))
    localUs[i] = isMeasured ? Math.max(arrivedUs, previousUs) : arrivedUs
    previousUs = localUs[i]
  }
  return localUs
}

/**
 * Adds arrival times to events; the times are drawn when first read, because files by exchange time do not need them.
 */
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
