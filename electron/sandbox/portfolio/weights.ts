import { findFactor } from './factors.ts'
import { roundedTo } from './rounding.ts'
import type { Construction, Template } from './templates.ts'

/** Minimum number of assets in a portfolio. */
const fewestAssets = 5
/** Weights are rounded to multiples of 1/`weightParts`. */
const weightParts = 1e6
/** Weight of an asset by its rank from −½ to ½, before the weights are scaled. */
const weightOfRank: Record<Construction, (rank: number) => number> = {
  long_short: (rank) => rank,
  long_only: (rank) => Math.max(0, rank - 1 / 6),
}

/**
 * Indices of assets in ascending order of their values; equal values in order of index. Each sort starts from the
 * previous order, because values change little from day to day and an insertion sort is then nearly free.
 */
class SortOrder {
  #indices: number[]

  constructor(width: number) {
    this.#indices = Array.from({ length: width }, (_, index) => index)
  }

  /** Sorts all indices; those with Infinity come last. */
  sortBy(values: Float64Array): readonly number[] {
    const indices = this.#indices
    for (let i = 1; i < indices.length; i++) {
      const index = indices[i]
      const value = values[index]
      let j = i - 1
      while (j >= 0 && (values[indices[j]] > value || (values[indices[j]] === value && indices[j] > index))) {
        indices[j + 1] = indices[j]
        j--
      }
      indices[j + 1] = index
    }
    return indices
  }
}

/** Score of assets that are not ranked; they sort after all others. */
const unrankedScore = Infinity

/** Computes the weights of one template, day after day. */
export class WeightMaker {
  readonly #weightOfRank: (rank: number) => number
  readonly #parts: { weight: number; sortOrder: SortOrder }[]
  readonly #sortOrder: SortOrder
  readonly #values: Float64Array
  readonly #scores: Float64Array

  constructor(template: Template, width: number) {
    this.#weightOfRank = weightOfRank[template.construction]
    this.#parts = template.parts.map(({ factor, weight }) => ({
      weight: weight * (findFactor(factor)?.direction ?? 1),
      sortOrder: new SortOrder(width),
    }))
    this.#sortOrder = new SortOrder(width)
    this.#values = new Float64Array(width)
    this.#scores = new Float64Array(width)
  }

  /**
   * Writes one day's weights, not yet smoothed, into `weights`. They depend on the ranks of the members (1 in
   * `members`) that have every factor, and their absolute values sum to 1. All are 0 if too few members have every
   * factor.
   */
  writeWeights(factorRows: readonly Float64Array[], members: Uint8Array, weights: Float64Array): void {
    weights.fill(0)
    const count = this.#markRanked(factorRows, members)
    if (count < fewestAssets) return
    for (let k = 0; k < factorRows.length; k++) this.#addScores(this.#parts[k], factorRows[k], count)
    const indices = this.#sortOrder.sortBy(this.#scores)
    let gross = 0
    for (let i = 0; i < count; i++) {
      const weight = this.#weightOfRank(i / (count - 1) - 0.5)
      weights[indices[i]] = weight
      gross += Math.abs(weight)
    }
    for (let i = 0; i < count; i++) weights[indices[i]] /= gross
  }

  /** Gives each asset that can be ranked a score of 0, and counts these assets. */
  #markRanked(factorRows: readonly Float64Array[], members: Uint8Array): number {
    let count = 0
    for (let t = 0; t < members.length; t++) {
      let isRanked = members[t] === 1
      for (let k = 0; k < factorRows.length; k++) isRanked &&= !Number.isNaN(factorRows[k][t])
      this.#scores[t] = isRanked ? 0 : unrankedScore
      if (isRanked) count++
    }
    return count
  }

  #addScores({ weight, sortOrder }: { weight: number; sortOrder: SortOrder }, row: Float64Array, count: number): void {
    const values = this.#values
    for (let t = 0; t < row.length; t++) values[t] = this.#scores[t] === unrankedScore ? unrankedScore : row[t]
    const indices = sortOrder.sortBy(values)
    for (let i = 0; i < count; i++) this.#scores[indices[i]] += weight * (i / (count - 1) - 0.5)
  }
}

/**
 * Writes the mean of the rows from `from` to `to` (exclusive) into `smoothed`. These are the weights for the day of the
 * last row; assets that do not trade on that day get 0.
 */
export function smoothWeights(
  rows: readonly Float64Array[],
  from: number,
  to: number,
  isTrading: (ticker: number) => boolean,
  smoothed: Float64Array,
): void {
  smoothed.fill(0)
  for (let k = from; k < to; k++) {
    const row = rows[k]
    for (let t = 0; t < smoothed.length; t++) smoothed[t] += row[t]
  }
  for (let t = 0; t < smoothed.length; t++) {
    smoothed[t] = smoothed[t] !== 0 && isTrading(t) ? roundedTo(smoothed[t] / (to - from), weightParts) : 0
  }
}
