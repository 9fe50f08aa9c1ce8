import { quantile } from '#shared/metrics/quantile.ts'
import { type Estimate, estimateOf, neweyWestOf } from '../samples.ts'
import type { Ahead } from './lookAhead.ts'

/** Which cells count as samples, and how the mean over them is estimated. */
export type Sampling =
  | { kind: 'plain'; isSample: Uint8Array | null }
  /** Every cell is a sample; overlaps are corrected for by Newey–West. */
  | { kind: 'overlapping'; timeCount: number }

/** What follows some cells of a symbol. */
export interface ReturnFigures extends Estimate {
  /** Number of cells; the samples among them are `n`. */
  cells: number
  median: number | null
  hitRate: number | null
  volatility: number | null
  drawdown: { mean: number | null; worst: number | null }
  runUp: { mean: number | null; best: number | null }
}

/** Describes the returns after cells at these times, all of which have one. */
export function describeReturns(times: Int32Array, ahead: Ahead, sampling: Sampling): ReturnFigures {
  const samples = samplesAt(times, ahead.returns, sampling)
  const estimate =
    sampling.kind === 'plain'
      ? estimateOf(samples)
      : neweyWestOf(onGrid(times, samples, sampling.timeCount), 2 * ahead.horizon)
  return {
    cells: times.length,
    ...estimate,
    median: samples.length === 0 ? null : quantile(samples, 1, 2),
    hitRate: hitRateOf(samples),
    ...pathFigures(times, ahead),
  }
}

function samplesAt(times: Int32Array, returns: Float64Array, sampling: Sampling): Float64Array {
  const isSample = sampling.kind === 'plain' ? sampling.isSample : null
  const samples = new Float64Array(times.length)
  let count = 0
  for (let at = 0; at < times.length; at++)
    if (isSample === null || isSample[times[at]] === 1) samples[count++] = returns[times[at]]
  return samples.subarray(0, count)
}

function onGrid(times: Int32Array, values: Float64Array, timeCount: number): Float64Array {
  const grid = new Float64Array(timeCount).fill(NaN)
  for (let at = 0; at < times.length; at++) grid[times[at]] = values[at]
  return grid
}

function hitRateOf(returns: Float64Array): number | null {
  let hits = 0
  let moves = 0
  for (let at = 0; at < returns.length; at++) {
    const change = returns[at]
    if (change > 0) hits++
    if (change !== 0) moves++
  }
  return moves === 0 ? null : hits / moves
}

function pathFigures(times: Int32Array, { volatility, low, high }: Ahead) {
  const sums = { volatility: 0, low: 0, high: 0 }
  let volatilities = 0
  let worst = 0
  let best = 0
  for (let at = 0; at < times.length; at++) {
    const time = times[at]
    if (volatility[time] === volatility[time]) {
      sums.volatility += volatility[time]
      volatilities++
    }
    sums.low += low[time]
    sums.high += high[time]
    if (low[time] < worst) worst = low[time]
    if (high[time] > best) best = high[time]
  }
  const mean = (sum: number, count: number) => (count === 0 || !Number.isFinite(sum) ? null : sum / count)
  const orNull = (extreme: number) => (times.length === 0 ? null : extreme)
  return {
    volatility: mean(sums.volatility, volatilities),
    drawdown: { mean: mean(sums.low, times.length), worst: orNull(worst) },
    runUp: { mean: mean(sums.high, times.length), best: orNull(best) },
  }
}
