/**
 * Receives for the window that ends at `row` the number of present values, their mean and their sum of squared
 * deviations. The mean is given as a value of the window, `origin`, and the distance of the mean from it, because the
 * sum of both has lost the digits by which values near 1e12 differ.
 */
type MomentsVisitor = (row: number, count: number, origin: number, shift: number, squares: number) => void

/**
 * Computes moments of every window of `width` rows (shorter at the start) in linear time and without subtracting old
 * values: rows are divided into blocks as long as the window, so each window is the end of one block and the start of
 * the next, and both only grow. A window of equal values therefore has squares of exactly 0, whatever came before.
 * Either part is measured from a value of its own, so that the moments have all digits however far from 0 they are.
 */
export function slideMoments(
  values: Float64Array,
  valid: Uint8Array | null,
  width: number,
  visit: MomentsVisitor,
): void {
  const rows = values.length
  const block = Math.min(width, rows)
  const before = new BlockEnds(block)
  for (let start = 0; start < rows; start += block) {
    const end = Math.min(start + block, rows)
    const originBefore = before.origin
    let origin = NaN
    let originDistance = NaN
    let count = 0
    let shift = 0
    let squares = 0
    for (let row = start; row < end; row++) {
      if (!valid || valid[row]) {
        if (count++ === 0) {
          origin = values[row]
          originDistance = originBefore - origin
        }
        const value = values[row] - origin
        const distance = value - shift
        shift += distance / count
        squares += distance * (value - shift)
      }
      const at = row - start + 1
      const earlier = before.counts[at]
      if (earlier === 0) visit(row, count, origin, shift, squares)
      else if (count === 0) visit(row, earlier, originBefore, before.shifts[at], before.squares[at])
      else {
        const total = count + earlier
        const distance = originDistance + (before.shifts[at] - shift)
        const between = (distance * distance * count * earlier) / total
        visit(row, total, origin, shift + (distance * earlier) / total, squares + before.squares[at] + between)
      }
    }
    if (end - start === block) before.fill(values, valid, start)
  }
}

/**
 * Writes the mean of every window of `width` rows with at least `least` values; a non-finite mean stays missing. It writes to arrays, because a callback per row takes longer than the mean.
 */
export function slideMeans(
  { values, valid }: { values: Float64Array; valid: Uint8Array | null },
  width: number,
  least: number,
  out: { values: Float64Array; valid: Uint8Array },
): void {
  const rows = values.length
  const block = Math.min(width, rows)
  let before = new BlockMeans(block)
  let current = new BlockMeans(block)
  for (let start = 0; start < rows; start += block) {
    const end = Math.min(start + block, rows)
    let count = 0
    let mean = 0
    let countBack = 0
    let meanBack = 0
    // The block is read from both ends at once, because two interleaved running means take the time of one.
    for (let at = 1, row = start, back = start + block - 1; row < end; at++, row++, back--) {
      if (valid === null || valid[row] !== 0) mean += (values[row] - mean) / ++count
      if (back < end && (valid === null || valid[back] !== 0)) meanBack += (values[back] - meanBack) / ++countBack
      current.counts[block - at] = countBack
      current.means[block - at] = meanBack
      const earlier = before.counts[at]
      const total = count + earlier
      if (total < least) continue
      const earlierMean = before.means[at]
      const result = earlier === 0 ? mean : count === 0 ? earlierMean : mean + ((earlierMean - mean) * earlier) / total
      if (result - result !== 0) continue
      out.values[row] = result
      out.valid[row] = 1
    }
    ;[before, current] = [current, before]
  }
}

/** Means of the rows from each row of a block to the end of the block; an extra last entry is for no rows. */
class BlockMeans {
  readonly counts: Int32Array
  readonly means: Float64Array

  constructor(block: number) {
    this.counts = new Int32Array(block + 1)
    this.means = new Float64Array(block + 1)
  }
}

/**
 * Moments of the rows from each row of a block to the end of the block, measured from the last present value; an extra
 * last entry is for no rows.
 */
class BlockEnds {
  origin = NaN
  readonly counts: Float64Array
  readonly shifts: Float64Array
  readonly squares: Float64Array

  constructor(block: number) {
    this.counts = new Float64Array(block + 1)
    this.shifts = new Float64Array(block + 1)
    this.squares = new Float64Array(block + 1)
  }

  fill(values: Float64Array, valid: Uint8Array | null, start: number): void {
    let origin = NaN
    let count = 0
    let shift = 0
    let squares = 0
    for (let at = this.counts.length - 2; at >= 0; at--) {
      const row = start + at
      if (!valid || valid[row]) {
        if (count++ === 0) origin = values[row]
        const value = values[row] - origin
        const distance = value - shift
        shift += distance / count
        squares += distance * (value - shift)
      }
      this.counts[at] = count
      this.shifts[at] = shift
      this.squares[at] = squares
    }
    this.origin = origin
  }
}
