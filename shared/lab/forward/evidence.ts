/** How strongly forward days speak against “it earns nothing on average”: the fortune of one who bets against it. */
import { DAYS_PER_YEAR } from '#shared/portfolio/figures.ts'
import { sampleMomentsOf } from '../samples.ts'

const STAKES = 64
/** Number of standard deviations that the highest stake can lose in a day. */
export const RUIN_DEVIATIONS = 10
/** Fewest recorded days that give a scale. */
const FEWEST_SCALE_DAYS = 20
const MOST_EVIDENCE = 1e300
/** Evidence from which a test counts as supported: reached by luck alone with a probability of at most 1 in 20. */
export const SUPPORTING_EVIDENCE = 20
const MOST_EXPECTED_DAYS = 1_000_000

const stakes = Float64Array.from({ length: STAKES }, (_, at) => (at + 0.5) / STAKES)

/** Returns the scale of the bets, the deviation of the recorded daily returns; null if they are too few or constant. */
export function evidenceScale(recorded: Float64Array): number | null {
  if (recorded.length < FEWEST_SCALE_DAYS) return null
  const { sd } = sampleMomentsOf(recorded)
  return sd === null || sd === 0 ? null : sd
}

/** Bets of all stakes, day by day, kept as logarithms because a fortune may be beyond what a number holds. */
export function createBets(scale: number) {
  const logs = new Float64Array(STAKES)
  return {
    add(gain: number): void {
      for (let at = 0; at < STAKES; at++) {
        const growth = (stakes[at] * gain) / (RUIN_DEVIATIONS * scale)
        logs[at] += growth > -1 ? Math.log1p(growth) : -Infinity
      }
    },
    evidence: (): number => meanOfExponentials(logs),
  }
}

function meanOfExponentials(logs: Float64Array): number {
  const highest = Math.max(...logs)
  if (highest === -Infinity) return 0
  let sum = 0
  for (const log of logs) sum += Math.exp(log - highest)
  return Math.min(MOST_EVIDENCE, Math.exp(highest + Math.log(sum / STAKES)))
}

/**
 * Returns the number of days after which a true Sharpe ratio of this size, per year, is expected to be supported; null if
 * that takes more than a million days.
 */
export function expectedDays(annualSharpe: number | null): number | null {
  if (annualSharpe === null || annualSharpe <= 0) return null
  const daily = annualSharpe / Math.sqrt(DAYS_PER_YEAR)
  const rates = stakes.map((stake) => (stake * daily) / RUIN_DEVIATIONS - stake ** 2 / (2 * RUIN_DEVIATIONS ** 2))
  const suffices = (days: number) => meanOfExponentials(rates.map((rate) => rate * days)) >= SUPPORTING_EVIDENCE
  // The mean of exponentials is convex and 1 at the start, so it stays above 20 once it is.
  let [low, high] = [0, MOST_EXPECTED_DAYS]
  if (!suffices(high)) return null
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (suffices(middle)) high = middle
    else low = middle
  }
  return high
}
