import { BreakdownCollector, type BreakdownInput } from '../../breakdowns.ts'
import { groupBy, hourOf, monthOf, weekdayOf } from '../../calendar.ts'
import {
  type Coefficients,
  coefficientWriter,
  emptyCoefficients,
  HorizonWalk,
  leastCells,
} from '../../crossSections.ts'
import { TIMES_PER_CHECKPOINT } from '../../checkpoint.ts'
import { RankCorrelator } from '../../correlations.ts'
import { type StudyGrid, timeAt } from '../../panel.ts'
import { assignGroups, type GridEstimate, QuantilePath, QuantileStatistics } from '../../quantileGroups.ts'
import { type Estimate, estimateOf, meanOf, neweyWestOf, presentOf, sampleMomentsOf } from '../../samples.ts'
import type { SignalBlock, SignalBlocks } from '../../signalCells.ts'
import type { SignalStudy } from './fields.ts'
import { type StudyWarning, warning } from '../../studyWarnings.ts'

/** Estimate of an information coefficient with its information ratio (mean/deviation) and hit rate. */
interface CoefficientEstimate extends Estimate {
  ratio: number | null
  hitRate: number | null
}

/** Coefficients of one horizon, to compare with a study on another clock. */
export interface HorizonCoefficients extends Coefficients {
  horizon: number
}

/** Fields of a study that affect a horizon. */
type HorizonOptions = Pick<SignalStudy, 'quantiles' | 'sampling' | 'delayBars'>

/** Result of a signal study for one horizon. */
export type HorizonResult = ReturnType<HorizonStudy['result']>

/** Collects the result of a signal study for one horizon, block by block. */
export class HorizonStudy {
  readonly coefficients: HorizonCoefficients
  readonly #grid: StudyGrid
  readonly #study: HorizonOptions
  readonly #walk: HorizonWalk
  readonly #statistics: QuantileStatistics
  readonly #path: QuantilePath
  readonly #breakdown: BreakdownCollector | undefined

  constructor(grid: StudyGrid, study: HorizonOptions, horizon: number, breakdowns?: BreakdownInput) {
    const symbolCount = grid.symbols.length
    const { quantiles, sampling, delayBars } = study
    const coefficients = { horizon, ...emptyCoefficients(grid.timeCount) }
    const writeCoefficients = coefficientWriter(coefficients, symbolCount)
    const sampleCount = Math.ceil(grid.timeCount / horizon)
    const isAll = sampling === 'all'
    // Non-overlapping samples need no slots for the times between them.
    const statistics = new QuantileStatistics(quantiles, isAll ? grid.timeCount : sampleCount, symbolCount)
    const path = new QuantilePath(quantiles, sampleCount)
    const breakdown = breakdowns && new BreakdownCollector(grid, breakdowns)
    let firstValidTime = -1
    const settings = { horizon, delay: delayBars, least: leastCells(quantiles) }
    this.#walk = new HorizonWalk(symbolCount, settings, (section) => {
      writeCoefficients(section)
      breakdown?.add(section)
      if (firstValidTime < 0) firstValidTime = section.time
      const isSample = (section.time - firstValidTime) % horizon === 0
      if (!isSample && !isAll) return
      const groups = assignGroups(section, quantiles, symbolCount)
      statistics.add(section, groups, isAll ? section.time : (section.time - firstValidTime) / horizon)
      if (isSample) path.add(timeAt(grid, section.time), groups)
    })
    this.#grid = grid
    this.#study = study
    this.coefficients = coefficients
    this.#statistics = statistics
    this.#path = path
    this.#breakdown = breakdown
  }

  add(block: SignalBlock): void {
    this.#walk.add(block)
  }

  /** Warns if the horizon has complete cells, but none of its times has enough of them. */
  tooFewSymbols(): StudyWarning | null {
    const { validTimes, thinTimes } = this.#walk.counts
    if (validTimes > 0 || thinTimes === 0) return null
    const least = leastCells(this.#study.quantiles)
    const most = this.#walk.mostCells
    const hint = this.#grid.symbols.length === 1 ? ' To study one symbol, try a study along time.' : ''
    return warning(
      'too-few-symbols',
      `At horizon ${this.coefficients.horizon} a time needs ${least} symbols with a signal and a return, and the most that one has is ${most}.${hint}`,
    )
  }

  /** Tells whether the horizon has cross-sections, but no correlation in any of them. */
  isConstant(): boolean {
    return this.#walk.counts.used > 0 && !this.hasCoefficient()
  }

  /** Tells whether the horizon has an information coefficient. */
  hasCoefficient(): boolean {
    return !this.coefficients.rank.every(Number.isNaN)
  }

  /** @param lost number of cells that are excluded whatever the horizon */
  result(lost: SignalBlocks['lost']) {
    const { coefficients } = this
    const { horizon } = coefficients
    const { timeCount, symbols } = this.#grid
    const { validTimes, thinTimes, emptyTimes, ...counts } = this.#walk.counts
    const estimate: GridEstimate =
      this.#study.sampling === 'all' ? (values) => neweyWestOf(values, 2 * horizon) : plainEstimate
    return {
      horizon,
      attrition: { cells: timeCount * symbols.length, ...lost, ...counts },
      times: { all: timeCount, used: validTimes, thin: thinTimes, empty: emptyTimes },
      rankIc: coefficientEstimates(coefficients, coefficients.rank),
      pearsonIc: coefficientEstimates(coefficients, coefficients.pearson),
      ...byCalendar(this.#grid, coefficients.rank),
      ...this.#breakdown?.result(coefficients.rank),
      ...this.#statistics.result(estimate),
      path: this.#path.result(),
      series: seriesOf(this.#grid, coefficients),
    }
  }
}

const plainEstimate: GridEstimate = (values) => estimateOf(presentOf(values))

/** Keeps the values at the first valid time and every `horizon` rows after it; the others become NaN. */
function nonOverlapping(values: Float64Array, isValid: Uint8Array, horizon: number): Float64Array {
  const firstValidTime = isValid.indexOf(1)
  return values.map((value, time) => (isValid[time] && (time - firstValidTime) % horizon === 0 ? value : NaN))
}

function coefficientEstimates({ isValid, horizon }: HorizonCoefficients, values: Float64Array) {
  const samples = nonOverlapping(values, isValid, horizon)
  return {
    nonOverlapping: withRatio(estimateOf(presentOf(samples)), samples),
    all: withRatio(neweyWestOf(values, 2 * horizon), values),
    naive: withRatio(estimateOf(presentOf(values)), values),
  }
}

function withRatio(estimate: Estimate, values: Float64Array): CoefficientEstimate {
  let hitCount = 0
  let nonZeroCount = 0
  for (const value of values) {
    if (value > 0) hitCount++
    if (value > 0 || value < 0) nonZeroCount++
  }
  const { mean, sd } = estimate
  const ratio = mean === null || sd === null || sd === 0 ? null : mean / sd
  return { ...estimate, ratio, hitRate: nonZeroCount === 0 ? null : hitCount / nonZeroCount }
}

function byCalendar(panel: StudyGrid, rank: Float64Array) {
  const values = presentOf(rank)
  const times = new Float64Array(values.length)
  let count = 0
  rank.forEach((value, time) => {
    if (!Number.isNaN(value)) times[count++] = timeAt(panel, time)
  })
  return {
    byMonth: groupBy(times, values, monthOf).map(([month, group]) => ({ month, ...sampleMomentsOf(group) })),
    byHour: groupBy(times, values, hourOf).map(([hour, group]) => ({ hour, ...sampleMomentsOf(group) })),
    byWeekday: groupBy(times, values, weekdayOf).map(([weekday, group]) => ({ weekday, ...sampleMomentsOf(group) })),
  }
}

function seriesOf(panel: StudyGrid, { isValid, used, rank, pearson }: HorizonCoefficients) {
  const length = isValid.reduce((sum, valid) => sum + valid, 0)
  // Lists of exact length take no extra memory.
  const series = {
    times: new Array<number>(length),
    n: new Array<number>(length),
    rank: new Array<number | null>(length),
    pearson: new Array<number | null>(length),
  }
  const orNull = (value: number) => (Number.isNaN(value) ? null : value)
  let at = 0
  isValid.forEach((valid, time) => {
    if (!valid) return
    series.times[at] = timeAt(panel, time)
    series.n[at] = used[time]
    series.rank[at] = orNull(rank[time])
    series.pearson[at++] = orNull(pearson[time])
  })
  return series
}

/** One of two panels of the same study whose coefficients are compared. */
interface ComparedPanel {
  panel: StudyGrid
  coefficients: readonly HorizonCoefficients[]
}

/** Compares the rank coefficients on two clocks, at the times that both have. */
export function compareClocks(base: ComparedPanel, against: ComparedPanel) {
  const shift = base.panel.firstSlot - against.panel.firstSlot
  return base.coefficients.map(({ horizon, rank }, at) => {
    const otherRank = against.coefficients[at].rank
    const isShared = Uint8Array.from(rank, (value, time) =>
      Number.isNaN(value) ? 0 : Number(!Number.isNaN(otherRank[time + shift] ?? NaN)),
    )
    const atShared = (value: (time: number) => number) => rank.map((_, time) => (isShared[time] ? value(time) : NaN))
    const difference = atShared((time) => rank[time] - otherRank[time + shift])
    return {
      horizon,
      n: isShared.reduce((sum, one) => sum + one, 0),
      base: sampleMomentsOf(presentOf(atShared((time) => rank[time]))).mean,
      against: sampleMomentsOf(presentOf(atShared((time) => otherRank[time + shift]))).mean,
      difference: {
        nonOverlapping: estimateOf(presentOf(nonOverlapping(difference, isShared, horizon))),
        all: neweyWestOf(difference, 2 * horizon),
      },
    }
  })
}

const SUSPICIOUS_IC = 0.9

/** Tells whether a mean rank IC without delay is too good to be true, which suggests look-ahead. */
export function isSuspicious({ rank }: Coefficients): boolean {
  const mean = meanOf(presentOf(rank))
  return mean !== null && Math.abs(mean) > SUSPICIOUS_IC
}

/**
 * Checks whether, without a delay, the mean rank IC of the first horizon is too good to be true. It stops once the mean
 * is certain not to be suspicious: for an honest signal, a tenth of the times is enough.
 */
export class LookAheadGuard {
  readonly #walk: HorizonWalk
  #sum = 0
  #count = 0

  constructor({ timeCount, symbols }: StudyGrid, { horizons: [horizon], quantiles }: SignalStudy) {
    const ranks = new RankCorrelator(symbols.length)
    const couldBeSuspicious = (time: number) => {
      const timesLeft = timeCount - 1 - time
      return Math.abs(this.#sum) + timesLeft > SUSPICIOUS_IC * (this.#count + timesLeft)
    }
    const settings = { horizon, delay: 0, least: leastCells(quantiles) }
    this.#walk = new HorizonWalk(symbols.length, settings, (section) => {
      const rank = ranks.spearmanOfAscending(section.signal, section.returns, section.count)
      if (rank !== rank) return true
      this.#sum += rank
      this.#count++
      return couldBeSuspicious(section.time)
    })
  }

  add(block: SignalBlock): void {
    this.#walk.add(block)
  }

  isPeeking(): boolean {
    return this.#count > 0 && Math.abs(this.#sum / this.#count) > SUSPICIOUS_IC
  }
}

const LEAST_EQUAL_RETURNS = 3

/** Detects a signal that equals the return that follows, for any horizon of the study, with or without its delay. */
export class EqualityGuard {
  /**
   * Horizons and delays; `equal` counts the returns that equal the signal, and is −1 once a return differs from it.
   */
  readonly #compared: { horizon: number; delay: number; equal: number }[]

  constructor({ horizons, delayBars }: SignalStudy) {
    const delays = [...new Set([0, delayBars])]
    this.#compared = horizons.flatMap((horizon) => delays.map((delay) => ({ horizon, delay, equal: 0 })))
  }

  add(block: SignalBlock): void {
    for (const one of this.#compared) {
      if (one.equal < 0) continue
      const equal = equalReturns(block, one)
      one.equal = equal < 0 ? -1 : one.equal + equal
    }
  }

  isEqual(): boolean {
    return this.#compared.some(({ equal }) => equal >= LEAST_EQUAL_RETURNS)
  }
}

/** Counts the returns of a block that equal the signal; −1 if one differs. */
function equalReturns(block: SignalBlock, { horizon, delay }: { horizon: number; delay: number }): number {
  const { timeCount, symbolCount, signal, price, ranked, rankedCounts, checkpoint } = block
  const end = Math.min(block.to, timeCount - delay - horizon) - block.from
  let equal = 0
  for (let time = 0, from = 0; time < end; time++, from += symbolCount) {
    if (time % TIMES_PER_CHECKPOINT === 0) checkpoint()
    const entry = from + delay * symbolCount
    const exit = entry + horizon * symbolCount
    for (let i = from; i < from + rankedCounts[time]; i++) {
      const change = price[exit + ranked[i]] / price[entry + ranked[i]] - 1
      if (change - change !== 0) continue
      if (!(Math.abs(signal[from + ranked[i]] - change) <= 1e-12 + 1e-9 * Math.abs(change))) return -1
      equal++
    }
  }
  return equal
}
