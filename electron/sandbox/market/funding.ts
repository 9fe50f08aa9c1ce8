import { MS_PER_DAY } from '#shared/time.ts'
import { marketDay } from './days.ts'
import { hasSource, instrumentsOf, type SandboxInstrument } from './instruments.ts'
import type { SandboxVenue, VenueKind } from './venues.ts'

/** Number of hours between the funding times of a kind of venue; the first of a day is at 00:00 UTC. */
const hoursOfKind: Record<VenueKind, number> = { 'venuea-futures': 8, 'venueb-perps': 8, 'venuec-perps': 1 }

const isOn =
  (kind: VenueKind, symbol: string) =>
  (instrument: Pick<SandboxInstrument, 'venue' | 'symbol'>): boolean =>
    instrument.venue.kind === kind && instrument.symbol === symbol

/** Tells whether an instrument is paid more often from `SWITCH_DAY` on. */
const switchesPeriod = isOn('venuea-futures', 'perpetual-LTC-USDT:USDT')
const SWITCH_DAY = marketDay('2026-08-01')
const HOURS_AFTER_SWITCH = 4

/** Tells whether the published rate of an instrument changes all the time, instead of at funding times only. */
export const hasRunningRate = isOn('venuea-futures', 'perpetual-ADA-USDT:USDT')

/** Tells whether the venue never says when it settles the funding of an instrument. */
export const hidesFundingTime = isOn('venueb-perps', 'perpetual-LINK-USDT:USDT')

/** Returns the number of hours between the funding times of a day. */
export const fundingHours = (instrument: Pick<SandboxInstrument, 'venue' | 'symbol'>, day: number): number =>
  switchesPeriod(instrument) && day >= SWITCH_DAY ? HOURS_AFTER_SWITCH : hoursOfKind[instrument.venue.kind]

/** True funding period of an instrument over a time, half-open, in milliseconds; durations are texts such as `8h`. */
export interface FundingTruth {
  exchange: string
  symbol: string
  from: number
  /** Null while it lasts. */
  to: number | null
  every: string
  offset: string
  /** Period that the published rate refers to. */
  ratePer: string
}

/** Lists the true funding periods of all perpetuals. */
export const fundingTruth = (seed: number, venues: readonly SandboxVenue[]): FundingTruth[] =>
  venues.flatMap((venue) => instrumentsOf(seed, venue).flatMap(truthOf))

function truthOf(instrument: SandboxInstrument): FundingTruth[] {
  if (!hasSource(instrument, 'funding_rate')) return []
  const { venue, symbol, firstDay, lastDay } = instrument
  const first = marketDay(firstDay)
  const end = lastDay === null ? null : marketDay(lastDay) + 1
  const stretch = (from: number, to: number | null): FundingTruth => {
    const every = `${fundingHours(instrument, from)}h`
    const toMs = to === null ? null : to * MS_PER_DAY
    return { exchange: venue.id, symbol, from: from * MS_PER_DAY, to: toMs, every, offset: '0h', ratePer: every }
  }
  return switchesPeriod(instrument) ? [stretch(first, SWITCH_DAY), stretch(SWITCH_DAY, end)] : [stretch(first, end)]
}
