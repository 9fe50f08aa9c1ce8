import { addPair, noPairs, type PairMoments } from './pairMoments.ts'

/** Receives the joint moments of the window that ends at `row`; the object is reused between calls. */
type PairsVisitor = (row: number, moments: PairMoments) => void

const FIELDS_PER_ENTRY = 6

/** Moments of the pairs from each row of a block to the end of the block, which share an origin. */
interface BlockEnds {
  fields: Float64Array
  originX: number
  originY: number
}

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
  const ends: BlockEnds = { fields: new Float64Array((block + 1) * FIELDS_PER_ENTRY), originX: 0, originY: 0 }
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

function fillEnds(x: Float64Array, y: Float64Array, isPair: (row: number) => boolean, start: number, ends: BlockEnds) {
  const { fields } = ends
  const growing = noPairs()
  for (let at = fields.length / FIELDS_PER_ENTRY - 2; at >= 0; at--) {
    if (isPair(start + at)) addPair(growing, x[start + at], y[start + at])
    const place = at * FIELDS_PER_ENTRY
    fields[place] = growing.count
    fields[place + 1] = growing.shiftX
    fields[place + 2] = growing.shiftY
    fields[place + 3] = growing.squaresX
    fields[place + 4] = growing.squaresY
    fields[place + 5] = growing.products
  }
  ends.originX = growing.originX
  ends.originY = growing.originY
}

/** Merges the moments of the two parts of a window; the means of both are measured from the origin of one. */
function merge(growing: PairMoments, { fields, originX, originY }: BlockEnds, place: number, into: PairMoments): void {
  const earlier = fields[place]
  const { count } = growing
  if (count === 0) {
    into.originX = originX
    into.originY = originY
    into.count = earlier
    into.shiftX = fields[place + 1]
    into.shiftY = fields[place + 2]
    into.squaresX = fields[place + 3]
    into.squaresY = fields[place + 4]
    into.products = fields[place + 5]
    return
  }
  into.originX = growing.originX
  into.originY = growing.originY
  if (earlier === 0) {
    into.count = count
    into.shiftX = growing.shiftX
    into.shiftY = growing.shiftY
    into.squaresX = growing.squaresX
    into.squaresY = growing.squaresY
    into.products = growing.products
    return
  }
  const total = count + earlier
  const weight = earlier / total
  const between = count * weight
  const distanceX = originX - growing.originX + (fields[place + 1] - growing.shiftX)
  const distanceY = originY - growing.originY + (fields[place + 2] - growing.shiftY)
  into.count = total
  into.shiftX = growing.shiftX + distanceX * weight
  into.shiftY = growing.shiftY + distanceY * weight
  into.squaresX = growing.squaresX + fields[place + 3] + distanceX * distanceX * between
  into.squaresY = growing.squaresY + fields[place + 4] + distanceY * distanceY * between
  into.products = growing.products + fields[place + 5] + distanceX * distanceY * between
}
