import { DAYS_PER_YEAR } from '#shared/portfolio/figures.ts'
import { normalCumulative } from '#shared/statistics/distributions.ts'
import { binOf, readableEdges } from '#shared/statistics/readableBins.ts'
import { quantileOf } from '../samples.ts'
import { expectedMaximum } from './sharpeStatistics.ts'

/** A trial’s Sharpe ratio per day, null if it has none, and its number of days. */
interface TrialSharpe {
  sharpe: number | null
  days: number
}

/** Histogram of the trials' annualised Sharpe ratios, with the counts expected from trials without any skill. */
export interface TrialDistribution {
  /** Bin edges, one more than counts. */
  edges: number[]
  counts: number[]
  /** Expected number of trials in each bin if none had skill. */
  noise: number[]
  /** Number of trials with a Sharpe ratio. */
  trials: number
  best: number
  median: number
  /** Annualised Sharpe ratio that the best of as many independent trials without skill is expected to reach. */
  noiseBest: number
}

const MOST_BINS = 32
const ANNUAL_FACTOR = Math.sqrt(DAYS_PER_YEAR)

/**
 * Builds the histogram of trials; null if none has a Sharpe ratio. The daily Sharpe ratio of n days of noise is roughly
 * normal with standard deviation 1/√(n − 1); the expected counts are the sum of these distributions, one for each
 * trial.
 */
export function trialDistribution(trials: readonly TrialSharpe[]): TrialDistribution | null {
  const knownTrials = trials.flatMap(({ sharpe, days }) =>
    sharpe === null || days < 2 ? [] : [{ value: sharpe * ANNUAL_FACTOR, sd: ANNUAL_FACTOR / Math.sqrt(days - 1) }],
  )
  if (knownTrials.length === 0) return null
  const values = Float64Array.from(knownTrials, ({ value }) => value).sort()
  const largestSd = knownTrials.reduce((most, { sd }) => Math.max(most, sd), 0)
  const [low, high] = [Math.min(values[0], -2.5 * largestSd), Math.max(values[values.length - 1], 2.5 * largestSd)]
  const edges = readableEdges(low, high, MOST_BINS)
  const counts = new Array<number>(edges.length - 1).fill(0)
  for (const value of values) counts[binOf(edges, value)] += 1
  const cumulativeCounts = Array.from(edges, (edge) =>
    knownTrials.reduce((sum, { sd }) => sum + normalCumulative(edge / sd), 0),
  )
  const typicalSd = Math.sqrt(knownTrials.reduce((sum, { sd }) => sum + sd * sd, 0) / knownTrials.length)
  return {
    edges: [...edges],
    counts,
    noise: counts.map((_, at) => cumulativeCounts[at + 1] - cumulativeCounts[at]),
    trials: values.length,
    best: values[values.length - 1],
    median: quantileOf(values, 0.5) ?? NaN,
    noiseBest: typicalSd * expectedMaximum(values.length),
  }
}
