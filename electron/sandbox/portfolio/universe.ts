import { marketDay, dayOfNumber } from '../market/days.ts'
import { instrumentsOf } from '../market/instruments.ts'
import type { SandboxVenue } from '../market/venues.ts'
import type { FactorPanel } from './panel.ts'
import type { UniverseSize } from './templates.ts'

/** Venue to which a universe is limited; null for any. */
export type Constraint = SandboxVenue | null

/** Number of trading days that a ticker needs before it can be chosen, over which its size is measured. */
const measuredDays = 30

/** Tells whether a ticker is listed on a venue on a day; always true without a venue. */
type ListedOnVenue = (ticker: string, day: number) => boolean

function listedOnVenueOf(seed: number, constraint: Constraint): ListedOnVenue {
  if (constraint === null) return () => true
  const listings = new Map<string, { first: number; last: number }[]>()
  for (const { base, firstDay, lastDay } of instrumentsOf(seed, constraint)) {
    const listing = { first: marketDay(firstDay), last: lastDay === null ? Infinity : marketDay(lastDay) }
    listings.set(base, [...(listings.get(base) ?? []), listing])
  }
  return (ticker, day) => (listings.get(ticker) ?? []).some(({ first, last }) => first <= day && day <= last)
}

/** Returns the mean notional of the 30 days before row `i`; NaN unless the ticker traded on each of them. */
function meanNotionalBefore(notional: Float64Array, i: number): number {
  if (i < measuredDays) return Number.NaN
  let sum = 0
  for (let j = i - measuredDays; j < i; j++) sum += notional[j]
  return sum / measuredDays
}

function chooseMembers(panel: FactorPanel, i: number, size: UniverseSize, isOnVenue: ListedOnVenue): Uint8Array {
  const day = panel.startDay + i
  const notionals = panel.series.map((days) => meanNotionalBefore(days.notional, i))
  const eligible = panel.tickers
    .map((ticker, index) => ({ ticker, index }))
    .filter(({ ticker, index }) => notionals[index] > 0 && isOnVenue(ticker, day - 1))
    .sort((a, b) => notionals[b.index] - notionals[a.index])
  const members = new Uint8Array(panel.tickers.length)
  for (const { index } of size === 'full' ? eligible : eligible.slice(0, size)) members[index] = 1
  return members
}

/**
 * Determines the membership of the universe, one row of tickers per day. Members are chosen on the first of each month
 * by their notional of the 30 days before; a ticker that stops trading leaves immediately.
 */
export function createMembership(
  seed: number,
  panel: FactorPanel,
  size: UniverseSize,
  constraint: Constraint,
): Uint8Array {
  const width = panel.tickers.length
  const rows = new Uint8Array(panel.dayCount * width)
  const isOnVenue = listedOnVenueOf(seed, constraint)
  let members: Uint8Array = new Uint8Array(width)
  for (let i = 0; i < panel.dayCount; i++) {
    if (dayOfNumber(panel.startDay + i).endsWith('-01')) members = chooseMembers(panel, i, size, isOnVenue)
    for (let t = 0; t < width; t++) rows[i * width + t] = members[t] && panel.series[t].close[i] > 0 ? 1 : 0
  }
  return rows
}
