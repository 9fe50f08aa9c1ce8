import { addPair, noPairs, type PairMoments } from './pairMoments.ts'

/**
 * Pairs each value with the one exactly one step earlier, so that values across a gap form no pair. Events have no step
 * (null), so each is paired with the previous one.
 */
export function lagOnePairs(
  values: Float64Array,
  isPresent: (row: number) => boolean,
  timeOf: (row: number) => number,
  stepMs: number | null,
): PairMoments {
  const pairs = noPairs()
  let before = -1
  for (let row = 0; row < values.length; row++) {
    if (!isPresent(row)) continue
    if (before >= 0 && (stepMs === null || timeOf(row) - timeOf(before) === stepMs))
      addPair(pairs, values[before], values[row])
    before = row
  }
  return pairs
}
