import { spearmanOfOrdered } from './correlations.ts'
import type { CrossSectionCells } from './crossSections.ts'
import type { Estimate } from './samples.ts'

/** Function that estimates the mean of values by time; NaN stands for a time without a value. */
export type GridEstimate = (values: Float64Array) => Estimate

/** Groups of the symbols in one sample, by signal. */
interface SampleGroups {
  /** Group of each symbol, from 1; 0 if the symbol is unused. */
  ofSymbol: Uint8Array
  sizes: Int32Array
  returns: Float64Array
}

/** Assigns groups by average ranks in integer arithmetic: 1 + ⌊(2·rank − 1)·Q/(2n)⌋. */
export function assignGroups({ count, symbols, signal, returns }: CrossSectionCells, quantiles: number, width: number) {
  const groups: SampleGroups = {
    ofSymbol: new Uint8Array(width),
    sizes: new Int32Array(quantiles + 1),
    returns: new Float64Array(quantiles + 1),
  }
  for (let start = 0; start < count;) {
    let end = start + 1
    while (end < count && signal[end] === signal[start]) end++
    const group = 1 + Math.floor(((start + end) * quantiles) / (2 * count))
    for (let at = start; at < end; at++) {
      groups.ofSymbol[symbols[at]] = group
      groups.sizes[group]++
      groups.returns[group] += returns[at]
    }
    start = end
  }
  for (let group = 1; group <= quantiles; group++) groups.returns[group] /= groups.sizes[group]
  return groups
}

/** Copies the first `count` numbers to a list, which is created at its final length to save memory. */
function firstNumbers(values: Float64Array, count: number): number[] {
  const list = new Array<number>(count)
  for (let at = 0; at < count; at++) list[at] = values[at]
  return list
}

/** Compounds returns; a sample without a return leaves the path unchanged. */
class CompoundedPath {
  readonly #values: Float64Array
  #count = 0
  #value = 1

  /** @param samples maximum number of samples */
  constructor(samples: number) {
    this.#values = new Float64Array(samples)
  }

  add(change: number): void {
    if (!Number.isNaN(change)) this.#value *= 1 + change
    this.#values[this.#count++] = this.#value
  }

  values(): number[] {
    return firstNumbers(this.#values, this.#count)
  }
}

/** Collects the cumulative returns of the groups over non-overlapping samples. */
export class QuantilePath {
  readonly #times: Float64Array
  readonly #groups: CompoundedPath[]
  readonly #spread: CompoundedPath
  #count = 0

  /** @param samples maximum number of samples */
  constructor(quantiles: number, samples: number) {
    this.#times = new Float64Array(samples)
    this.#groups = Array.from({ length: quantiles }, () => new CompoundedPath(samples))
    this.#spread = new CompoundedPath(samples)
  }

  add(timeMs: number, { returns }: SampleGroups): void {
    const quantiles = this.#groups.length
    this.#times[this.#count++] = timeMs
    this.#groups.forEach((path, at) => path.add(returns[at + 1]))
    this.#spread.add(returns[quantiles] - returns[1])
  }

  result() {
    return {
      times: firstNumbers(this.#times, this.#count),
      quantiles: this.#groups.map((group) => group.values()),
      spread: this.#spread.values(),
    }
  }
}

class RunningMean {
  #sum = 0
  #count = 0

  add(value: number): void {
    this.#sum += value
    this.#count++
  }

  result() {
    return { n: this.#count, mean: this.#count === 0 ? null : this.#sum / this.#count }
  }
}

interface PreviousSample {
  groups: SampleGroups
  count: number
  symbols: Int32Array
  signal: Float64Array
}

/** Collects returns, turnover and rank autocorrelation of the groups over the samples of a study. */
export class QuantileStatistics {
  readonly #returns: Float64Array[]
  readonly #members: RunningMean[]
  readonly #turnover: RunningMean[]
  readonly #autocorrelation = new RunningMean()
  #before: PreviousSample | null = null
  readonly #entered: Int32Array
  /**
   * Index + 1 of each symbol among those used in both the previous and the current sample; 0 if the symbol is used only
   * in the previous sample, −1 otherwise.
   */
  readonly #place: Int32Array
  readonly #x: Float64Array
  readonly #ranks: Float64Array
  readonly #ordered: { values: Float64Array; order: Int32Array }

  /** @param slots number of slots for returns: one for each time of the grid, or one for each sample */
  constructor(quantiles: number, slots: number, symbolCount: number) {
    const perQuantile = <T>(make: () => T) => Array.from({ length: quantiles }, make)
    this.#returns = perQuantile(() => new Float64Array(slots).fill(NaN))
    this.#members = perQuantile(() => new RunningMean())
    this.#turnover = perQuantile(() => new RunningMean())
    this.#entered = new Int32Array(quantiles + 1)
    this.#place = new Int32Array(symbolCount)
    this.#x = new Float64Array(symbolCount)
    this.#ranks = new Float64Array(symbolCount)
    this.#ordered = { values: new Float64Array(symbolCount), order: new Int32Array(symbolCount) }
  }

  add(section: CrossSectionCells, groups: SampleGroups, slot: number): void {
    this.#returns.forEach((returns, at) => (returns[slot] = groups.returns[at + 1]))
    this.#members.forEach((members, at) => members.add(groups.sizes[at + 1]))
    if (this.#before) this.#compare(this.#before, section, groups)
    const { count } = section
    this.#before = { groups, count, symbols: section.symbols.slice(0, count), signal: section.signal.slice(0, count) }
  }

  #compare(before: PreviousSample, section: CrossSectionCells, groups: SampleGroups): void {
    const entered = this.#entered.fill(0)
    const groupBefore = before.groups.ofSymbol
    for (let i = 0; i < section.count; i++) {
      const symbol = section.symbols[i]
      const group = groups.ofSymbol[symbol]
      if (groupBefore[symbol] !== group) entered[group]++
    }
    this.#turnover.forEach((turnover, at) => {
      const size = groups.sizes[at + 1]
      if (size > 0 && before.groups.sizes[at + 1] > 0) turnover.add(entered[at + 1] / size)
    })
    const correlation = this.#correlateWith(before, section)
    if (!Number.isNaN(correlation)) this.#autocorrelation.add(correlation)
  }

  /**
   * Correlates the ranks of the symbols used in both the previous and the current sample; NaN for fewer than 3. Both
   * samples are sorted by signal.
   */
  #correlateWith(before: PreviousSample, { count, symbols, signal }: CrossSectionCells): number {
    const places = this.#place.fill(-1)
    for (let i = 0; i < before.count; i++) places[before.symbols[i]] = 0
    const x = this.#x
    let sharedCount = 0
    for (let i = 0; i < count; i++) {
      if (places[symbols[i]] < 0) continue
      places[symbols[i]] = sharedCount + 1
      x[sharedCount++] = signal[i]
    }
    if (sharedCount < 3) return NaN
    const { values, order } = this.#ordered
    for (let i = 0, at = 0; i < before.count; i++) {
      const to = places[before.symbols[i]]
      if (to === 0) continue
      values[at] = before.signal[i]
      order[at++] = to - 1
    }
    return spearmanOfOrdered(x, this.#ordered, sharedCount, this.#ranks)
  }

  result(estimate: GridEstimate) {
    const [lowest] = this.#returns
    const highest = this.#returns[this.#returns.length - 1]
    return {
      quantiles: this.#returns.map((returns, at) => ({
        quantile: at + 1,
        members: this.#members[at].result().mean,
        ...estimate(returns),
      })),
      spread: estimate(highest.map((value, time) => value - lowest[time])),
      turnover: this.#turnover.map((turnover, at) => ({ quantile: at + 1, ...turnover.result() })),
      rankAutocorrelation: this.#autocorrelation.result(),
    }
  }
}
