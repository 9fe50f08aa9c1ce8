import { addPair, noPairs, type PairMoments } from './pairMoments.ts'

/**
 * Pairs each value with the one exactly a step before it in time, so that values on both sides of a gap do not form a pair. Events
 * have no step (null): each is paired with the one before it.
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
