import { majors } from './assetNames.ts'
import type { Asset } from './assets.ts'
import { crowdingLogShift, hasEffectsToFind } from './effectsToFind.ts'
import { mix, numberFromText, uniformOf } from './random.ts'

/**
 * Effects of known size that two ready-made studies of the Lab detect, to show what a true effect looks like. Only
 * assets smaller than the majors have them, but for the one with effects to find. They move prices within a day, but
 * never the day's open or close.
 */

/** Rise of the log price in the hour that ends an hour before funding; the next hour reverses it. */
export const FUNDING_RISE = 0.002
const HOURS_PER_FUNDING = 8
/** Hours of the day (UTC) in which the price rises. */
export const HOURS_OF_RISE = [6, 14, 22] as const

/** Factor by which the spread widens for one hour. */
export const WIDE_SPREAD = 6
/** Fall of the log price over the hours that begin one hour after a widening. */
export const FALL_AFTER_WIDENING = 0.006
export const HOURS_OF_FALL = 6
/** Probability of a widening on a day. */
export const WIDENING_CHANCE = 1 / 15
const FIRST_WIDE_HOUR = 1
const LAST_WIDE_HOUR = 9

export const hasPlantedEffects = (asset: Pick<Asset, 'rank' | 'base'>): boolean =>
  asset.rank >= majors.length && !hasEffectsToFind(asset)

/** Draws the hour of a day in which the spread of an asset is wide; −1 for a day without one. */
export function wideHour(seed: number, asset: Pick<Asset, 'rank' | 'base'>, day: number): number {
  if (!hasPlantedEffects(asset)) return -1
  const hash = numberFromText(seed, 'spread widening', asset.base, day)
  if (uniformOf(mix(hash, 0)) >= WIDENING_CHANCE) return -1
  return FIRST_WIDE_HOUR + Math.floor(uniformOf(mix(hash, 1)) * (LAST_WIDE_HOUR - FIRST_WIDE_HOUR + 1))
}

/** Computes by how much the effects shift the log price at the hours 0 … 24 of a day. */
export function plantedLogShifts(seed: number, asset: Pick<Asset, 'rank' | 'base'>, day: number): Float64Array {
  const shifts = new Float64Array(25)
  if (hasEffectsToFind(asset)) return crowdingWithinDay(seed, day, shifts)
  if (!hasPlantedEffects(asset)) return shifts
  const hourOfWidening = wideHour(seed, asset, day)
  for (let hour = 0; hour < shifts.length; hour++) {
    const beforeFunding = hour % HOURS_PER_FUNDING === HOURS_PER_FUNDING - 1 ? FUNDING_RISE : 0
    shifts[hour] = beforeFunding - (hourOfWidening < 0 ? 0 : FALL_AFTER_WIDENING * shareOfFall(hour, hourOfWidening))
  }
  return shifts
}

/** Computes the shifts by past crowding beyond those of the day's open and close, which are shifted themselves. */
function crowdingWithinDay(seed: number, day: number, shifts: Float64Array): Float64Array {
  const at = (hour: number) => crowdingLogShift(seed, day * 24 + hour)
  const [open, close] = [at(0), at(24)]
  return shifts.map((_, hour) => at(hour) - open - ((close - open) * hour) / 24)
}

/**
 * Computes the share of a fall that has happened at the given hour of the day. The fall begins one hour after the end
 * of the hour with the wide spread, and has reversed by midnight.
 */
function shareOfFall(hour: number, hourOfWidening: number): number {
  const start = hourOfWidening + 2
  const low = start + HOURS_OF_FALL
  if (hour <= start) return 0
  return hour <= low ? (hour - start) / HOURS_OF_FALL : (24 - hour) / (24 - low)
}
