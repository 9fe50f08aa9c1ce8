import { BreakdownCollector, type StudyBreakdowns } from './breakdowns.ts'
import { groupBy, hourOf, monthOf, weekdayOf } from './calendar.ts'
import {
  type Coefficients,
  coefficientWriter,
  emptyCoefficients,
  type HorizonCounts,
  leastCells,
  walkCrossSections,
} from './crossSections.ts'
import { CHECKED_TIMES } from './checkpoint.ts'
import { RankPairs } from './correlations.ts'
import { type Panel, timeAt } from './panel.ts'
import { assignGroups, type GridEstimate, QuantilePath, QuantileStatistics } from './quantileGroups.ts'
import { type Estimate, estimateOf, meanOf, neweyWestOf, spreadOf } from './samples.ts'
import type { SignalCells } from './signalCells.ts'
import type { SignalStudy } from './studyDocument.ts'

/** Estimate of an information coefficient with its ratio (mean over deviation) and share of hits. */
export interface CoefficientEstimate extends Estimate {
  ratio: number | null
  hitRate: number | null
}

/** Coefficients of one horizon, which a study of another clock is compared with. */
export interface HorizonCoefficients extends Coefficients {
  horizon: number
}

/** Computes everything that a signal study says about one horizon. */
export function studyHorizon(
  panel: Panel,
  study: SignalStudy,
  cells: SignalCells,
  horizon: number,
  breakdowns?: StudyBreakdowns,
) {
  const { times, symbols } = cells
  const { quantiles, sampling, delayBars } = study
  const coefficients = { horizon, ...emptyCoefficients(times) }
  const writeCoefficients = coefficientWriter(coefficients, symbols)
  const statistics = new QuantileStatistics(quantiles, times, symbols)
  const path = new QuantilePath(quantiles)
  const breakdown = breakdowns && new BreakdownCollector(panel, breakdowns)
  let firstValid = -1
  const shape = { horizon, delay: delayBars, least: leastCells(quantiles) }
  const counts = walkCrossSections(cells, shape, (section) => {
    writeCoefficients(section)
    breakdown?.add(section)
    if (firstValid < 0) firstValid = section.time
    const isApart = (section.time - firstValid) % horizon === 0
    if (!isApart && sampling !== 'all') return
    const groups = assignGroups(section, quantiles, symbols)
    statistics.add(section, groups)
    if (isApart) path.add(timeAt(panel, section.time), groups)
  })
  const estimate: GridEstimate = sampling === 'all' ? (values) => neweyWestOf(values, 2 * horizon) : plainEstimate
  return {
    coefficients,
    result: {
      horizon,
      attrition: attritionOf(cells, counts),
      times: { all: times, used: counts.validTimes, thin: counts.thinTimes, empty: counts.emptyTimes },
      rankIc: coefficientEstimates(coefficients, coefficients.rank),
      pearsonIc: coefficientEstimates(coefficients, coefficients.pearson),
      ...byCalendar(panel, coefficients.rank),
      ...breakdown?.result(coefficients.rank),
      ...statistics.result(estimate),
      path: path.result(),
      series: seriesOf(panel, coefficients),
    },
  }
}

export const present = (values: Float64Array): Float64Array => values.filter((value) => !Number.isNaN(value))

const plainEstimate: GridEstimate = (values) => estimateOf(present(values))

function attritionOf({ times, symbols, lost }: SignalCells, counts: HorizonCounts) {
  const { noEntryPrice, noExitPrice, beyondEnd, thinTime, used } = counts
  return { cells: times * symbols, ...lost, noEntryPrice, noExitPrice, beyondEnd, thinTime, used }
}

/** Keeps the values at the first valid time and every `horizon` rows from it; the others become NaN. */
export function nonOverlapping(values: Float64Array, isValid: Uint8Array, horizon: number): Float64Array {
  const first = isValid.indexOf(1)
  return values.map((value, time) => (isValid[time] && (time - first) % horizon === 0 ? value : NaN))
}

function coefficientEstimates({ isValid, horizon }: HorizonCoefficients, values: Float64Array) {
  const apart = nonOverlapping(values, isValid, horizon)
  return {
    nonOverlapping: withRatio(estimateOf(present(apart)), apart),
    all: withRatio(neweyWestOf(values, 2 * horizon), values),
    naive: withRatio(estimateOf(present(values)), values),
  }
}

function withRatio(estimate: Estimate, values: Float64Array): CoefficientEstimate {
  let hits = 0
  let signed = 0
  for (const value of values) {
    if (value > 0) hits++
    if (value > 0 || value < 0) signed++
  }
  const { mean, sd } = estimate
  const ratio = mean === null || sd === null || sd === 0 ? null : mean / sd
  return { ...estimate, ratio, hitRate: signed === 0 ? null : hits / signed }
}

function byCalendar(panel: Panel, rank: Float64Array) {
  const times: number[] = []
  const values: number[] = []
  rank.forEach((value, time) => {
    if (Number.isNaN(value)) return
    times.push(timeAt(panel, time))
    values.push(value)
  })
  return {
    byMonth: groupBy(times, values, monthOf).map(([month, group]) => ({ month, ...spreadOf(group) })),
    byHour: groupBy(times, values, hourOf).map(([hour, group]) => ({ hour, ...spreadOf(group) })),
    byWeekday: groupBy(times, values, weekdayOf).map(([weekday, group]) => ({ weekday, ...spreadOf(group) })),
  }
}

function seriesOf(panel: Panel, { isValid, used, rank, pearson }: HorizonCoefficients) {
  const series = {
    times: [] as number[],
    n: [] as number[],
    rank: [] as (number | null)[],
    pearson: [] as (number | null)[],
  }
  const orNull = (value: number) => (Number.isNaN(value) ? null : value)
  isValid.forEach((valid, time) => {
    if (!valid) return
    series.times.push(timeAt(panel, time))
    series.n.push(used[time])
    series.rank.push(orNull(rank[time]))
    series.pearson.push(orNull(pearson[time]))
  })
  return series
}

/** Two panels of the same study whose coefficients are compared. */
export interface ComparedPanel {
  panel: Panel
  coefficients: readonly HorizonCoefficients[]
}

/** Compares the rank coefficients of two clocks at the times that have one on both. */
export function compareClocks(base: ComparedPanel, against: ComparedPanel) {
  const shift = base.panel.firstSlot - against.panel.firstSlot
  return base.coefficients.map(({ horizon, rank }, at) => {
    const other = against.coefficients[at].rank
    const isShared = rank.map((value, time) =>
      Number.isNaN(value) ? 0 : Number(!Number.isNaN(other[time + shift] ?? NaN)),
    )
    const shared = Uint8Array.from(isShared)
    const pick = (value: (time: number) => number) => rank.map((_, time) => (shared[time] ? value(time) : NaN))
    const difference = pick((time) => rank[time] - other[time + shift])
    return {
      horizon,
      n: shared.reduce((sum, one) => sum + one, 0),
      base: spreadOf(present(pick((time) => rank[time]))).mean,
      against: spreadOf(present(pick((time) => other[time + shift]))).mean,
      difference: {
        nonOverlapping: estimateOf(present(nonOverlapping(difference, shared, horizon))),
        all: neweyWestOf(difference, 2 * horizon),
      },
    }
  })
}

const SUSPICIOUS_IC = 0.9

/** Tells whether the mean rank IC of the first horizon without delay is too good to be true. */
export function hasPeekingCoefficient(study: SignalStudy, cells: SignalCells, first: HorizonCoefficients): boolean {
  if (study.delayBars === 0) {
    const mean = meanOf(present(first.rank))
    return mean !== null && Math.abs(mean) > SUSPICIOUS_IC
  }
  return hasPeekingMean(study, cells)
}

/** Walks the times without delay until the mean is sure to be unsuspicious: a tenth of them is enough for an honest signal. */
function hasPeekingMean({ horizons: [horizon], quantiles }: SignalStudy, cells: SignalCells): boolean {
  const ranks = new RankPairs(cells.symbols)
  let sum = 0
  let count = 0
  const couldBe = (time: number) => {
    const left = cells.times - 1 - time
    return Math.abs(sum) + left > SUSPICIOUS_IC * (count + left)
  }
  walkCrossSections(cells, { horizon, delay: 0, least: leastCells(quantiles) }, (section) => {
    const rank = ranks.spearmanOfAscending(section.signal, section.returns, section.count)
    if (rank !== rank) return true
    sum += rank
    count++
    return couldBe(section.time)
  })
  return count > 0 && Math.abs(sum / count) > SUSPICIOUS_IC
}

/** Tells whether the signal equals the return that follows, for a horizon of the study and with or without its delay. */
export function equalsReturn({ horizons, delayBars }: SignalStudy, cells: SignalCells): boolean {
  return horizons.some((horizon) => [0, delayBars].some((delay) => isReturn(cells, horizon, delay)))
}

const LEAST_EQUAL = 3

function isReturn(cells: SignalCells, horizon: number, delay: number) {
  const { times, symbols, signal, price, ranked, rankedCount, checkpoint } = cells
  let equal = 0
  for (let time = 0, from = 0; time + delay + horizon < times; time++, from += symbols) {
    if (time % CHECKED_TIMES === 0) checkpoint()
    const entry = from + delay * symbols
    const exit = entry + horizon * symbols
    for (let i = from; i < from + rankedCount[time]; i++) {
      const change = price[exit + ranked[i]] / price[entry + ranked[i]] - 1
      if (change - change !== 0) continue
      if (!(Math.abs(signal[from + ranked[i]] - change) <= 1e-12 + 1e-9 * Math.abs(change))) return false
      equal++
    }
  }
  return equal >= LEAST_EQUAL
}
