import { TIMES_PER_CHECKPOINT } from './checkpoint.ts'
import { pearsonOfAscending, RankCorrelator } from './correlations.ts'
import type { SignalBlock } from './signalCells.ts'

/** Number of cells by reason for exclusion, and of times by outcome. */
interface HorizonCounts {
  noEntryPrice: number
  noExitPrice: number
  beyondEnd: number
  thinTime: number
  used: number
  thinTimes: number
  emptyTimes: number
  validTimes: number
}

/**
 * Complete cells of one time: those with a signal and a return, sorted by signal. Valid until the next time is read.
 */
export interface CrossSectionCells {
  /** Index of the time in the panel's grid. */
  time: number
  count: number
  symbols: Int32Array
  signal: Float64Array
  returns: Float64Array
}

/** Returns the minimum number of cells for both the correlations and the quantile groups. */
export const leastCells = (quantiles: number): number => Math.max(3, quantiles)

interface HorizonSettings {
  horizon: number
  delay: number
  /** Minimum number of complete cells for a time to be valid. */
  least: number
}

/** Iterates over the valid times of a horizon, block by block, and counts excluded cells by reason. */
export class HorizonWalk {
  readonly counts = emptyCounts()
  /** Largest number of complete cells at one time. */
  mostCells = 0
  readonly #settings: HorizonSettings
  readonly #visit: (section: CrossSectionCells) => void | boolean
  readonly #section: CrossSectionCells
  #isEnded = false

  /** @param visit called for each cross-section; returns false to stop */
  constructor(symbolCount: number, settings: HorizonSettings, visit: (section: CrossSectionCells) => void | boolean) {
    this.#settings = settings
    this.#visit = visit
    this.#section = {
      time: 0,
      count: 0,
      symbols: new Int32Array(symbolCount),
      signal: new Float64Array(symbolCount),
      returns: new Float64Array(symbolCount),
    }
  }

  add(block: SignalBlock): void {
    if (this.#isEnded) return
    const { horizon, delay, least } = this.#settings
    const { from, to, timeCount, rankedCounts, checkpoint } = block
    const section = this.#section
    const { counts } = this
    for (let time = from; time < to; time++) {
      if (time % TIMES_PER_CHECKPOINT === 0) checkpoint()
      section.time = time
      const missing = fillSection(block, section, delay, horizon)
      const { count } = section
      counts.noEntryPrice += missing
      const isBeyond = time + delay + horizon >= timeCount
      const incompleteCount = rankedCounts[time - from] - missing - count
      if (isBeyond) counts.beyondEnd += incompleteCount
      else counts.noExitPrice += incompleteCount
      if (count > this.mostCells) this.mostCells = count
      if (count === 0) counts.emptyTimes++
      else if (count < least) {
        counts.thinTime += count
        counts.thinTimes++
      } else {
        counts.used += count
        counts.validTimes++
        if (this.#visit(section) === false) {
          this.#isEnded = true
          return
        }
      }
    }
  }
}

/**
 * Collects the complete cells of a time. Returns the number of cells with a signal but without an entry price; 0 if the
 * entry is beyond the grid.
 */
function fillSection(block: SignalBlock, section: CrossSectionCells, delay: number, horizon: number): number {
  const { timeCount, symbolCount, signal, price, ranked, rankedCounts } = block
  const { time, symbols: places, signal: signals, returns } = section
  const from = (time - block.from) * symbolCount
  const entry = from + delay * symbolCount
  const exit = entry + horizon * symbolCount
  section.count = 0
  if (time + delay >= timeCount) return 0
  const hasExit = time + delay + horizon < timeCount
  let count = 0
  let missing = 0
  const end = from + rankedCounts[time - block.from]
  for (let i = from; i < end; i++) {
    const symbol = ranked[i]
    const entryPrice = price[entry + symbol]
    if (entryPrice !== entryPrice) missing++
    else if (hasExit) {
      const change = price[exit + symbol] / entryPrice - 1
      // The difference is NaN for missing and infinite returns, so one comparison detects both.
      if (change - change !== 0) continue
      places[count] = symbol
      signals[count] = signal[from + symbol]
      returns[count++] = change
    }
  }
  section.count = count
  return missing
}

const emptyCounts = (): HorizonCounts => ({
  noEntryPrice: 0,
  noExitPrice: 0,
  beyondEnd: 0,
  thinTime: 0,
  used: 0,
  thinTimes: 0,
  emptyTimes: 0,
  validTimes: 0,
})

/** Information coefficients by time; NaN if there is none. */
export interface Coefficients {
  /** Flags of the times: 1 if valid. */
  isValid: Uint8Array
  used: Int32Array
  rank: Float64Array
  pearson: Float64Array
}

export const emptyCoefficients = (timeCount: number): Coefficients => ({
  isValid: new Uint8Array(timeCount),
  used: new Int32Array(timeCount),
  rank: new Float64Array(timeCount).fill(NaN),
  pearson: new Float64Array(timeCount).fill(NaN),
})

/** Builds a visitor that writes the coefficients of each valid time. */
export function coefficientWriter(target: Coefficients, symbolCount: number): (section: CrossSectionCells) => void {
  const correlator = new RankCorrelator(symbolCount)
  return ({ time, count, signal, returns }) => {
    target.isValid[time] = 1
    target.used[time] = count
    target.rank[time] = correlator.spearmanOfAscending(signal, returns, count)
    target.pearson[time] = pearsonOfAscending(signal, returns, count)
  }
}
