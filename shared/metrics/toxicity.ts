import type { MetricRows } from './metricRows.ts'

const msPerDay = 86_400_000
const deltaNotionalAt = 5
const toxicityAt = 7

/** z-scores of a quantity against its values so far, the latest included. */
class RunningScore {
  private count = 0
  private mean = 0
  private m2 = 0

  reset(): void {
    this.count = this.mean = this.m2 = 0
  }

  /** The latest value's score; NaN where nothing has varied yet. */
  add(value: number): number {
    this.count++
    const distance = value - this.mean
    this.mean += distance / this.count
    this.m2 += distance * (value - this.mean)
    return this.m2 > 0 ? (value - this.mean) / Math.sqrt(this.m2 / (this.count - 1)) : NaN
  }
}

/**
 * Turns the realized volatility that `flow` left in `flow_toxicity_score` into the score. It runs over the gap-filled
 * rows: an interval without trades counts with a flow and a volatility of 0, and has no score itself.
 */
export class ToxicityPass {
  private readonly flow = new RunningScore()
  private readonly volatility = new RunningScore()
  private day = NaN

  apply({ timeMs, columns }: MetricRows): void {
    const volatilities = columns[toxicityAt]
    for (let i = 0; i < timeMs.length; i++) {
      const day = Math.floor(timeMs[i] / msPerDay)
      if (day !== this.day) {
        this.flow.reset()
        this.volatility.reset()
        this.day = day
      }
      const isEmpty = Number.isNaN(volatilities[i])
      const flowScore = this.flow.add(columns[deltaNotionalAt][i])
      const volatilityScore = this.volatility.add(isEmpty ? 0 : volatilities[i])
      volatilities[i] = isEmpty ? NaN : flowScore * volatilityScore
    }
  }
}
