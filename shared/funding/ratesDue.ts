import { coveredBars, type FundingPeriods, type FundingTime, fundingTimes } from './fundingPeriods.ts'

/** Rates of one instrument by bar. */
export interface RateSeries {
  intervalMs: number
  firstSlot: number
  values: Float64Array
  valid: Uint8Array | null
}

interface BarGrid {
  intervalMs: number
  firstSlot: number
  timeCount: number
}

/** Funding of one instrument that is due in each bar. */
interface DueRates {
  values: Float64Array
  valid: Uint8Array
  /** Numbers of funding times in each bar. */
  times: Uint16Array
  /** Numbers of those whose period is inferred, or assumed because it was asked for. */
  assumedTimes: Uint16Array
}

/**
 * Computes the rate that longs pay in each bar: the sum of the rates at its funding times, or 0 if no funding is due.
 * The rate of a funding time is the last one of the bars since the previous funding time; if there is none, or if the
 * bar may hold a funding time that is not known, the bar is missing.
 * @param rates rates at the interval of the bars
 * @param shorterRates rates at a shorter interval, used for bars with several funding times
 */
export function ratesDue(grid: BarGrid, periods: FundingPeriods, rates: RateSeries, shorterRates = rates): DueRates {
  const { intervalMs, firstSlot, timeCount } = grid
  const values = new Float64Array(timeCount)
  const valid = coveredBars(periods, grid)
  const [times, assumedTimes] = [new Uint16Array(timeCount), new Uint16Array(timeCount)]
  const range = { startMs: firstSlot * intervalMs, endMs: (firstSlot + timeCount) * intervalMs }
  const dueTimes = fundingTimes(periods, range)
  const slotOf = (time: FundingTime | undefined) => (time ? Math.ceil(time.timeMs / intervalMs) - 1 : NaN)
  dueTimes.forEach((due, at) => {
    const slot = slotOf(due)
    const bar = slot - firstSlot
    const { everyMs, ratePerMs, basis } = due.stretch
    if (!valid[bar]) return
    times[bar]++
    if (basis === 'inferred' || basis === 'asked') assumedTimes[bar]++
    const isOneOfSeveral = slot === slotOf(dueTimes[at - 1]) || slot === slotOf(dueTimes[at + 1])
    const isShorterNeeded = everyMs < intervalMs || isOneOfSeveral
    const isTooLong = isShorterNeeded && shorterRates.intervalMs > everyMs
    const rate = isTooLong ? NaN : lastRate(isShorterNeeded ? shorterRates : rates, due)
    values[bar] += everyMs === ratePerMs ? rate : (rate * everyMs) / ratePerMs
  })
  for (let bar = 0; bar < timeCount; bar++) {
    if (Number.isNaN(values[bar])) valid[bar] = 0
    if (!valid[bar]) values[bar] = 0
  }
  return { values, valid, times, assumedTimes }
}

/**
 * Finds the last present rate of the bars that start at or after the previous funding time and before this one; NaN if
 * there is none.
 */
function lastRate({ intervalMs, firstSlot, values, valid }: RateSeries, { sinceMs, timeMs }: FundingTime): number {
  const firstRow = Math.max(0, Math.ceil(sinceMs / intervalMs) - firstSlot)
  for (let row = Math.min(values.length, Math.ceil(timeMs / intervalMs) - firstSlot) - 1; row >= firstRow; row--) {
    if (valid === null || valid[row] !== 0) return values[row]
  }
  return NaN
}
