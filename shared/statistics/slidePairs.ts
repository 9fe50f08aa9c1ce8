import { addPair, noPairs, type PairMoments } from './pairMoments.ts'

/** Receives the joint moments of the window that ends at `row`; the object is reused between calls. */
export type PairsVisitor = (row: number, moments: PairMoments) => void

const FIELDS_PER_ENTRY = 6

/**
 * Computes joint moments of every window of `width` rows, from the rows where x and y are present, in linear time with
 * the blocks of `slideMoments`.
 */
export function slidePairs(
  x: Float64Array,
  y: Float64Array,
  isPair: (row: number) => boolean,
  width: number,
  visit: PairsVisitor,
): void {
  const rows = x.length
  const block = Math.min(width, rows)
  const ends = new Float64Array((block + 1) * FIELDS_PER_ENTRY)
  const merged = noPairs()
  for (let start = 0; start < rows; start += block) {
    const end = Math.min(start + block, rows)
    const growing = noPairs()
    for (let row = start; row < end; row++) {
      if (isPair(row)) addPair(growing, x[row], y[row])
      merge(growing, ends, (row - start + 1) * FIELDS_PER_ENTRY, merged)
      visit(row, merged)
    }
    if (end - start === block) fillEnds(x, y, isPair, start, ends)
  }
}

function fillEnds(
  x: Float64Array,
  y: Float64Array,
  isPair: (row: number) => boolean,
  start: number,
  ends: Float64Array,
) {
  const growing = noPairs()
  for (let at = ends.length / FIELDS_PER_ENTRY - 2; at >= 0; at--) {
    if (isPair(start + at)) addPair(growing, x[start + at], y[start + at])
    const place = at * FIELDS_PER_ENTRY
    ends[place] = growing.count
    ends[place + 1] = growing.meanX
    ends[place + 2] = growing.meanY
    ends[place + 3] = growing.squaresX
    ends[place + 4] = growing.squaresY
    ends[place + 5] = growing.products
  }
}

function merge(growing: PairMoments, ends: Float64Array, place: number, into: PairMoments): void {
  const earlier = ends[place]
  const total = growing.count + earlier
  const weight = total === 0 ? 0 : earlier / total
  const distanceX = earlier === 0 ? 0 : ends[place + 1] - growing.meanX
  const distanceY = earlier === 0 ? 0 : ends[place + 2] - growing.meanY
  const between = growing.count * weight
  into.count = total
  into.meanX = growing.meanX + distanceX * weight
  into.meanY = growing.meanY + distanceY * weight
  into.squaresX = growing.squaresX + (earlier && ends[place + 3]) + distanceX * distanceX * between
  into.squaresY = growing.squaresY + (earlier && ends[place + 4]) + distanceY * distanceY * between
  into.products = growing.products + (earlier && ends[place + 5]) + distanceX * distanceY * between
}
