import { WORLD_START } from './days.ts'
import { uniformOf } from './random.ts'

/**
 * Effects of known size along time on one symbol of the first venue, for studies of a single instrument to find. No
 * other symbol has them, and nothing else is planted on this one.
 */

/** Asset of the symbol: of middling size, and too small for the portfolios of the service. */
const FOUND_BASE = 'TNSR'
const FOUND_SYMBOL = `perpetual-${FOUND_BASE}-USDT:USDT`

/** Tells whether an asset is that of the symbol with the effects. */
export const hasEffectsToFind = ({ base }: { base: string }): boolean => base === FOUND_BASE

/** Tells whether an instrument shows the effects: it is the symbol on the first venue. */
export const showsEffects = ({ venue, symbol }: { venue: { isFirst: boolean }; symbol: string }): boolean =>
  venue.isFirst && symbol === FOUND_SYMBOL

/** Rank correlation of the imbalance of the book with the return of the bar after the next. */
export const IMBALANCE_IC = 0.03
/** Number of levels of each side in which the imbalance tells a return. */
export const IMBALANCE_LEVELS = 5
/** Length of the bars whose last imbalance tells a return. */
export const IMBALANCE_BAR_SECONDS = 300
/** Number of bars between the one with the imbalance and the one with the return. */
export const IMBALANCE_DELAY_BARS = 1
/** Seconds at the end of each bar in which the book is tilted, so that the last snapshot of the bar shows it. */
export const IMBALANCE_SECONDS = 30
/** Log of the factor between bid and ask amounts, per standard deviation of the return to come: gives the IC above. */
export const IMBALANCE_TILT = 0.0233

/** Hour (UTC) in which the spread is narrow every day; elsewhere it is among the hours with the widest. */
export const CHEAP_HOUR = 15
/** Factor by which the spread is narrower in that hour. */
export const CHEAP_SPREAD = 0.5

/** Hours over which positions build up, and over which they unwind while the price falls. */
const BUILD_UP_HOURS = 36
export const UNWIND_HOURS = 12
/** Hours over which the price then recovers, too slowly to be noticed. */
const RECOVERY_HOURS = 288
/** Fall of the log price. */
export const FALL_AFTER_CROWDING = 0.1
/** What crowding at its height adds to the eight-hour funding rate, to the basis and to the log of open interest. */
export const CROWDED_FUNDING = 0.0005
export const CROWDED_BASIS_BPS = 12
export const CROWDED_LOG_OPEN_INTEREST = Math.log(2)

/** Days in which positions crowd once: at a random hour, more than two weeks from the neighbouring ones. */
const DAYS_PER_CROWDING = 36
const FIRST_DAY = 10
const DAYS_TO_CHOOSE = 16
const HOURS_PER_DAY = 24

/** Draws the hour since 1970 at which positions are most crowded, once in every 36 days. */
function crowdedHour(seed: number, turn: number): number {
  const firstHour = (WORLD_START + turn * DAYS_PER_CROWDING + FIRST_DAY) * HOURS_PER_DAY
  return firstHour + Math.floor(uniformOf(seed, 'crowding', turn) * DAYS_TO_CHOOSE * HOURS_PER_DAY)
}

const turnAt = (hour: number) => Math.floor((hour / HOURS_PER_DAY - WORLD_START) / DAYS_PER_CROWDING)

/** Computes the hours since the height of crowding whose effects last at an hour; negative while it builds up. */
function hoursSinceCrowding(seed: number, hour: number): number {
  const turn = turnAt(hour)
  const since = hour - crowdedHour(seed, turn)
  return since < -BUILD_UP_HOURS ? hour - crowdedHour(seed, turn - 1) : since
}

/** Computes how crowded positions are at an hour since 1970, from 0 to 1 at the height. */
export function crowdingAt(seed: number, hour: number): number {
  const since = hoursSinceCrowding(seed, hour)
  return Math.max(0, since <= 0 ? 1 + since / BUILD_UP_HOURS : 1 - since / UNWIND_HOURS)
}

/** Computes by how much past crowding shifts the log price at an hour since 1970: a fall, then a slow recovery. */
export function crowdingLogShift(seed: number, hour: number): number {
  const since = hoursSinceCrowding(seed, hour)
  if (since <= 0) return 0
  const left = since <= UNWIND_HOURS ? since / UNWIND_HOURS : 1 - (since - UNWIND_HOURS) / RECOVERY_HOURS
  return -FALL_AFTER_CROWDING * Math.max(0, left)
}

/** Hours since 1970 of one time of crowding: its start, its height, and the end of the fall. */
interface Crowding {
  start: number
  height: number
  low: number
}

/** Lists the times of crowding whose heights lie between two hours since 1970. */
export function crowdings(seed: number, fromHour: number, toHour: number): Crowding[] {
  const list: Crowding[] = []
  for (let turn = turnAt(fromHour); turn <= turnAt(toHour); turn++) {
    const height = crowdedHour(seed, turn)
    if (height >= fromHour && height < toHour)
      list.push({ start: height - BUILD_UP_HOURS, height, low: height + UNWIND_HOURS })
  }
  return list
}
