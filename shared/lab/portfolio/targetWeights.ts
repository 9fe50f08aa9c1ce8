import { ValueSorter } from '#shared/statistics/orderValues.ts'
import { keepsDigits, scaledToSquare } from '#shared/statistics/squaring.ts'
import { ROUNDING_FRACTION } from '../samples.ts'
import type { PortfolioStudy } from '../kinds/portfolio/fields.ts'

/** Fraction of the gross exposure up to which an unallocated remainder counts as a rounding error. */
const ROUNDING_SHORTFALL = 1e-12

/** Facts about a decision besides its targets. */
interface DecisionFacts {
  /** True if every weight is 0. */
  isFlat: boolean
  /** True if the cap left part of the exposure unallocated. */
  hasUnallocated: boolean
}

/** Turns the signal of the eligible symbols into target weights. It is stateful, so each run needs a new instance. */
export class TargetWeights {
  readonly #rules: PortfolioStudy['weights']
  readonly #smoothing: number
  readonly #sorter: ValueSorter
  readonly #eligible: Int32Array
  readonly #signal: Float64Array
  readonly #x: Float64Array
  readonly #weights: Float64Array
  #smoothed: Float64Array | null = null

  constructor(rules: PortfolioStudy['weights'], smoothing: number, symbolCount: number) {
    this.#rules = rules
    this.#smoothing = smoothing
    this.#sorter = new ValueSorter(symbolCount)
    this.#eligible = new Int32Array(symbolCount)
    this.#signal = new Float64Array(symbolCount)
    this.#x = new Float64Array(symbolCount)
    this.#weights = new Float64Array(symbolCount)
  }

  /**
   * Computes the target weights at one time; null if no symbol is eligible.
   * @param signal by symbol; NaN if missing
   * @param from index of the time's first symbol in `member`
   */
  decide(
    signal: Float64Array,
    member: Uint8Array | null,
    from: number,
  ): (DecisionFacts & { targets: Float64Array }) | null {
    const count = this.#collect(signal, member, from)
    if (count === 0) return null
    this.#applyRule(count)
    const weights = this.#weights.fill(0)
    let isFlat = true
    for (let i = 0; i < count; i++) {
      const weight = this.#x[i]
      if (weight !== 0) isFlat = false
      weights[this.#eligible[i]] = weight * this.#rules.leverage
    }
    const hasUnallocated = this.#rules.cap !== null && capWeights(weights, this.#rules.cap)
    return { targets: this.#smooth(weights, member, from), isFlat, hasUnallocated }
  }

  /** Decides to hold nothing. */
  decideFlat(member: Uint8Array | null, from: number): Float64Array {
    return this.#smooth(this.#weights.fill(0), member, from)
  }

  #collect(signal: Float64Array, member: Uint8Array | null, from: number): number {
    let count = 0
    for (let symbol = 0; symbol < this.#weights.length; symbol++) {
      const value = signal[symbol]
      if (value !== value || (member && !member[from + symbol])) continue
      this.#eligible[count] = symbol
      this.#signal[count++] = value
    }
    return count
  }

  #applyRule(count: number): void {
    const { rule, longOnly } = this.#rules
    const x = this.#x
    if (rule === 'quantile') return this.#shareGroups(count)
    if (rule === 'rank') this.#centreRanks(count)
    else if (rule === 'zscore') this.#scoreSignal(count)
    else x.set(this.#signal.subarray(0, count))
    if (longOnly) for (let i = 0; i < count; i++) if (x[i] < 0) x[i] = 0
    if (rule !== 'direct') divideByGross(x, count)
  }

  #centreRanks(count: number): void {
    this.#eachTie(count, (start, end, order) => {
      for (let at = start; at < end; at++) this.#x[order[at]] = (start + 1 + end) / 2 - (count + 1) / 2
    })
  }

  #scoreSignal(count: number): void {
    const { clip } = this.#rules
    const x = this.#x
    const signalMoments = meanAndDeviation(this.#signal, count)
    if (signalMoments === null) return void x.fill(0, 0, count)
    const { values, mean, deviation } = signalMoments
    let sum = 0
    for (let i = 0; i < count; i++) {
      x[i] = Math.max(-clip, Math.min(clip, (values[i] - mean) / deviation))
      sum += x[i]
    }
    for (let i = 0; i < count; i++) x[i] -= sum / count
  }

  /**
   * Gives half of the exposure to longs in the highest group and half to shorts in the lowest, or all of it to the
   * highest group if shorts are not allowed. All weights are 0 if a group that it needs is empty.
   */
  #shareGroups(count: number): void {
    const { quantiles, longOnly } = this.#rules
    const x = this.#x.fill(0, 0, count)
    const groups = new Uint8Array(count)
    let highestCount = 0
    let lowestCount = 0
    this.#eachTie(count, (start, end, order) => {
      const group = 1 + Math.floor(((start + end) * quantiles) / (2 * count))
      for (let at = start; at < end; at++) groups[order[at]] = group
      if (group === quantiles) highestCount += end - start
      if (group === 1) lowestCount += end - start
    })
    if (highestCount === 0 || (!longOnly && lowestCount === 0)) return
    const sideTotal = longOnly ? 1 : 0.5
    for (let i = 0; i < count; i++) {
      if (groups[i] === quantiles) x[i] = sideTotal / highestCount
      else if (groups[i] === 1 && !longOnly) x[i] = -sideTotal / lowestCount
    }
  }

  /** Visits groups of equal signals in ascending order. */
  #eachTie(count: number, visit: (start: number, end: number, order: Int32Array) => void): void {
    const order = this.#sorter.sort(this.#signal, count)
    for (let start = 0; start < count;) {
      let end = start + 1
      while (end < count && this.#signal[order[end]] === this.#signal[order[start]]) end++
      visit(start, end, order)
      start = end
    }
  }

  /** Smooths the weights over decisions; a symbol that leaves the universe restarts from 0. */
  #smooth(weights: Float64Array, member: Uint8Array | null, from: number): Float64Array {
    const alpha = 2 / (this.#smoothing + 1)
    const before = this.#smoothed
    const smoothed = weights.map((weight, symbol) => {
      if (member && !member[from + symbol]) return 0
      return before === null || alpha === 1 ? weight : alpha * weight + (1 - alpha) * before[symbol]
    })
    this.#smoothed = smoothed
    return smoothed
  }
}

function divideByGross(x: Float64Array, count: number): void {
  let gross = 0
  for (let i = 0; i < count; i++) gross += Math.abs(x[i])
  for (let i = 0; i < count; i++) x[i] = gross === 0 ? 0 : x[i] / gross
}

/**
 * Computes mean and sample standard deviation of the first `count` values, which are scaled if their squares overflow or
 * vanish; null for fewer than 2 values or constant ones.
 */
function meanAndDeviation(
  values: Float64Array,
  count: number,
): { values: Float64Array; mean: number; deviation: number } | null {
  let low = Infinity
  let high = -Infinity
  let sum = 0
  for (let i = 0; i < count; i++) {
    low = Math.min(low, values[i])
    high = Math.max(high, values[i])
    sum += values[i]
  }
  if (count < 2 || !(high - low > ROUNDING_FRACTION * Math.max(Math.abs(low), Math.abs(high)))) return null
  const mean = sum / count
  let squares = 0
  for (let i = 0; i < count; i++) squares += (values[i] - mean) ** 2
  if (!keepsDigits(squares)) return meanAndDeviation(scaledToSquare(values, count).scaled, count)
  return { values, mean, deviation: Math.sqrt(squares / (count - 1)) }
}

/**
 * Caps the weight of every symbol, long and short sides separately; returns true if part of the exposure could not be
 * allocated.
 */
export function capWeights(weights: Float64Array, cap: number): boolean {
  const before = grossOf(weights)
  capSide(weights, cap, 1)
  capSide(weights, cap, -1)
  return grossOf(weights) < before * (1 - ROUNDING_SHORTFALL)
}

const grossOf = (weights: Float64Array): number => weights.reduce((sum, weight) => sum + Math.abs(weight), 0)

function capSide(weights: Float64Array, cap: number, side: 1 | -1): void {
  const symbols: number[] = []
  weights.forEach((weight, symbol) => {
    if (weight * side > 0) symbols.push(symbol)
  })
  const total = symbols.reduce((sum, symbol) => sum + Math.abs(weights[symbol]), 0)
  let uncapped = symbols
  let scale = 1
  for (;;) {
    const isOver = (symbol: number) => scale * Math.abs(weights[symbol]) > cap
    if (!uncapped.some(isOver)) break
    for (const symbol of uncapped.filter(isOver)) weights[symbol] = side * Infinity
    uncapped = uncapped.filter((symbol) => Number.isFinite(weights[symbol]))
    if (uncapped.length === 0) break
    const uncappedGross = uncapped.reduce((sum, symbol) => sum + Math.abs(weights[symbol]), 0)
    scale = (total - cap * (symbols.length - uncapped.length)) / uncappedGross
  }
  for (const symbol of symbols)
    weights[symbol] = Number.isFinite(weights[symbol]) ? weights[symbol] * scale : side * cap
}
