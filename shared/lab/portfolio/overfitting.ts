import { snapCorrelation, sampleMomentsOf, varies } from '../samples.ts'
import { backtestOverfitting, type BacktestOverfitting } from './backtestOverfitting.ts'
import {
  expectedMaximum,
  minimumBacktestDays,
  minimumTrackRecordDays,
  probabilisticSharpe,
  type SharpeSample,
  sharpeSample,
  sharpeVariance,
} from './sharpeStatistics.ts'

/** Daily net returns of one trial. */
export interface TrialReturns {
  /** First day, counted from the epoch; null without days. */
  firstDay: number | null
  net: Float64Array
}

/** Figures that show how much of a result may be luck. */
export interface Overfitting extends SharpeSample {
  trials: number
  trialsInLedger: number
  sharpeVariance: number
  expectedMaximum: number
  averageCorrelation: number | null
  effectiveTrials: number | null
  probabilistic: number | null
  deflated: number | null
  deflatedEffective: number | null
  minimumTrackRecordDays: number | null
  minimumBacktestDays: number
  pbo: BacktestOverfitting | null
}

/**
 * Computes overfitting figures of daily returns from the trials of their family, which include them. The Sharpe ratios
 * of all trials are computed at the same risk-free rate, because trials may have been recorded at different ones.
 */
export function judgeOverfitting(
  returns: Float64Array,
  trials: readonly TrialReturns[],
  { trialsInLedger, blocks, riskFree }: { trialsInLedger: number; blocks: number; riskFree: number },
): Overfitting {
  const sample = sharpeSample(returns, riskFree)
  const variance = sharpeVariance(trials.map(({ net }) => sharpeSample(net, riskFree).sharpe))
  const matrix = returnsOnCommonDays(trials)
  const correlation = averageCorrelation(matrix)
  const effective = correlation === null ? null : effectiveTrials(trials.length, correlation)
  const expectedBest = (count: number) => Math.sqrt(variance) * expectedMaximum(count)
  return {
    ...sample,
    trials: trials.length,
    trialsInLedger,
    sharpeVariance: variance,
    expectedMaximum: expectedBest(trials.length),
    averageCorrelation: correlation,
    effectiveTrials: effective,
    probabilistic: probabilisticSharpe(sample, 0),
    deflated: probabilisticSharpe(sample, expectedBest(trials.length)),
    deflatedEffective: effective === null ? null : probabilisticSharpe(sample, expectedBest(effective)),
    minimumTrackRecordDays: minimumTrackRecordDays(sample),
    minimumBacktestDays: minimumBacktestDays(trials.length),
    pbo: backtestOverfitting(matrix, blocks),
  }
}

function effectiveTrials(trialCount: number, correlation: number): number {
  const boundedCorrelation = Math.max(0, Math.min(1, correlation))
  return boundedCorrelation + (1 - boundedCorrelation) * trialCount
}

/** Restricts the returns of all non-empty trials to their common days. */
export function returnsOnCommonDays(trials: readonly TrialReturns[]): Float64Array[] {
  const datedTrials = trials.flatMap(({ firstDay, net }) => (firstDay === null ? [] : [{ firstDay, net }]))
  const commonStart = Math.max(...datedTrials.map(({ firstDay }) => firstDay))
  const commonEnd = Math.min(...datedTrials.map(({ firstDay, net }) => firstDay + net.length))
  return datedTrials.map(({ firstDay, net }) =>
    net.subarray(Math.min(commonStart - firstDay, net.length), Math.max(commonStart, commonEnd) - firstDay),
  )
}

/**
 * Computes the mean correlation over all pairs of non-constant trials; null for fewer than 2. The squared length of the
 * sum of k unit vectors is k plus the sum of the correlations of all ordered pairs, so no loop over the pairs is
 * needed.
 */
export function averageCorrelation(matrix: readonly Float64Array[]): number | null {
  const days = matrix[0]?.length ?? 0
  const varying = matrix.filter((returns) => varies(returns))
  const count = varying.length
  if (count < 2 || days < 2) return null
  const totals = new Float64Array(days)
  for (const returns of varying) {
    const { mean, sd } = sampleMomentsOf(returns)
    const length = (sd ?? NaN) * Math.sqrt(days - 1)
    for (let day = 0; day < days; day++) totals[day] += (returns[day] - (mean ?? NaN)) / length
  }
  const squaredLength = totals.reduce((sum, value) => sum + value * value, 0)
  return snapCorrelation((squaredLength - count) / (count * (count - 1)))
}

/** Input of `study overfitting`: returns of several trials, or precomputed figures. */
export type OverfittingInput =
  | { returns: Record<string, number[]>; shown: string; blocks: number; riskFree: number }
  | {
      sharpe: number
      days: number
      skewness: number
      /** Sample kurtosis, not excess kurtosis; a normal distribution has 3. */
      kurtosis: number
      /** Daily Sharpe ratio that `sharpe` has to exceed. */
      benchmark: number
      trials: number
      sharpeVariance: number
    }

/** Computes the figures that a document of `study overfitting` requests. */
export function computeOverfitting(input: OverfittingInput) {
  if ('returns' in input) return overfittingOfReturns(input)
  const { benchmark, trials, sharpeVariance: variance, ...sample } = input
  const expectedBest = Math.sqrt(variance) * expectedMaximum(trials)
  return {
    probabilistic: probabilisticSharpe(sample, benchmark),
    minimumTrackRecordDays: minimumTrackRecordDays(sample, benchmark),
    expectedMaximum: expectedBest,
    deflated: probabilisticSharpe(sample, expectedBest),
    minimumBacktestDays: minimumBacktestDays(trials),
  }
}

function overfittingOfReturns({ returns, shown, blocks, riskFree }: Extract<OverfittingInput, { returns: unknown }>) {
  const trials = Object.entries(returns).map(([name, values]) => {
    const net = Float64Array.from(values)
    return { name, net, firstDay: net.length === 0 ? null : 0 }
  })
  const { net: shownReturns } = trials.find(({ name }) => name === shown) ?? trials[0]
  return {
    ...judgeOverfitting(shownReturns, trials, { trialsInLedger: trials.length, blocks, riskFree }),
    sharpes: Object.fromEntries(trials.map(({ name, net }) => [name, sharpeSample(net, riskFree).sharpe])),
  }
}
