import { latencyLevels } from '#shared/statistics/levels.ts'

/** Latencies up to two seconds are counted to the microsecond; what is longer, or negative, is kept as it is. */
const COUNTED_US = 2_000_000
const US_PER_MS = 1000
/** Bars of the distribution for each tenfold. */
const BARS_A_DECADE = 12

/**
 * This counter holds how often each latency occurs, which gives exact quantiles without sorting. Latencies come in
 * whole microseconds.
 */
export class LatencyCounts {
  count = 0
  negative = 0
  private readonly counts = new Uint32Array(COUNTED_US)
  private readonly others: number[] = []
  private sum = 0
  private min = Infinity
  private max = -Infinity

  add(latenciesUs: Float64Array): void {
    for (let at = 0; at < latenciesUs.length; at++) {
      const us = latenciesUs[at]
      if (Number.isNaN(us)) continue
      if (us >= 0 && us < COUNTED_US) this.counts[us | 0]++
      else this.others.push(us)
      if (us < 0) this.negative++
      if (us < this.min) this.min = us
      if (us > this.max) this.max = us
      this.sum += us
      this.count++
    }
    if (this.others.length > 0) this.others.sort((a, b) => a - b)
  }

  summary() {
    const { count, negative, min, max, sum } = this
    if (count === 0) return { negative, minMs: null, maxMs: null, meanMs: null, quantilesMs: [], bars: [] }
    return {
      negative,
      minMs: min / US_PER_MS,
      maxMs: max / US_PER_MS,
      meanMs: sum / count / US_PER_MS,
      quantilesMs: latencyLevels.map((level) => this.ofRank(Math.round(level * (count - 1))) / US_PER_MS),
      bars: this.bars(),
    }
  }

  private ofRank(rank: number): number {
    if (rank < this.negative) return this.others[rank]
    let seen = this.negative
    for (let us = 0; us < COUNTED_US; us++) {
      seen += this.counts[us]
      if (seen > rank) return us
    }
    return this.others[this.negative + rank - seen]
  }

  /** Bars of equal width on a logarithmic axis; the first holds everything below a microsecond. */
  private bars(): { fromMs: number; toMs: number; count: number }[] {
    const bars: number[] = []
    const note = (us: number, count: number) => {
      const bar = us < 1 ? 0 : 1 + Math.floor(Math.log10(us) * BARS_A_DECADE)
      bars[bar] = (bars[bar] ?? 0) + count
    }
    for (let us = 0; us < COUNTED_US; us++) if (this.counts[us] > 0) note(us, this.counts[us])
    for (const us of this.others) note(us, 1)
    const first = bars.findIndex((count) => count > 0)
    const edge = (bar: number) => (bar === 0 ? 0 : 10 ** ((bar - 1) / BARS_A_DECADE) / US_PER_MS)
    return Array.from(bars, (count = 0, bar) => ({ fromMs: edge(bar), toMs: edge(bar + 1), count })).slice(first)
  }
}
