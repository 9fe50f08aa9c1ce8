import { findFactor } from './factors.ts'
import { roundedTo } from './rounding.ts'
import type { Construction, Template } from './templates.ts'

/** Fewer than this make no portfolio. */
const fewestAssets = 5
const weightParts = 1e6

/** Ranks of the members by value, from −½ to ½; NaN for the others. */
function centredRanks(values: Float64Array, members: number[]): Float64Array {
  const ranks = new Float64Array(values.length).fill(Number.NaN)
  const order = members.toSorted((a, b) => values[a] - values[b] || a - b)
  order.forEach((ticker, place) => (ranks[ticker] = place / (order.length - 1) - 0.5))
  return ranks
}

function scoresOf(template: Template, factorRows: readonly Float64Array[], members: number[]): Float64Array {
  const scores = new Float64Array(factorRows[0].length)
  template.parts.forEach(({ factor, part }, k) => {
    const direction = findFactor(factor)?.direction ?? 1
    const ranks = centredRanks(factorRows[k], members)
    for (let t = 0; t < scores.length; t++) scores[t] += part * direction * ranks[t]
  })
  return scores
}

/** The part of a rank (−½ … ½) that is held. */
const heldPart: Record<Construction, (rank: number) => number> = {
  long_short: (rank) => rank,
  long_only: (rank) => Math.max(0, rank - 1 / 6),
}

/**
 * One day's weights before smoothing: in proportion to the rank, absolute values summing to 1. All zero while the
 * universe has too few assets with values.
 */
export function weightsOfDay(
  template: Template,
  factorRows: readonly Float64Array[],
  isMember: (ticker: number) => boolean,
): Float64Array {
  const width = factorRows[0].length
  const weights = new Float64Array(width)
  const members: number[] = []
  for (let t = 0; t < width; t++) {
    if (isMember(t) && factorRows.every((row) => !Number.isNaN(row[t]))) members.push(t)
  }
  if (members.length < fewestAssets) return weights
  const ranks = centredRanks(scoresOf(template, factorRows, members), members)
  let gross = 0
  for (const t of members) {
    weights[t] = heldPart[template.construction](ranks[t])
    gross += Math.abs(weights[t])
  }
  for (const t of members) weights[t] /= gross
  return weights
}

/** The mean of rows of weights, the last of them the day itself. What does not trade on that day is not held. */
export function smoothedWeights(rows: readonly Float64Array[], isTrading: (ticker: number) => boolean): Float64Array {
  const smoothed = new Float64Array(rows[0].length)
  for (let t = 0; t < smoothed.length; t++) {
    let sum = 0
    for (const row of rows) sum += row[t]
    smoothed[t] = isTrading(t) ? roundedTo(sum / rows.length, weightParts) : 0
  }
  return smoothed
}
