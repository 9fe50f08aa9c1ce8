/** Gets, for the window that ends at `row`, how many values are present, their mean and their squared distances from it. */
export type MomentsVisitor = (row: number, count: number, mean: number, squares: number) => void

/**
 * Moments of every window of `width` rows (fewer at the start), in linear time and without ever subtracting a value
 * again: the rows are cut into blocks as long as the window, so that each window is the end of one block and the start of
 * the next, both of which only grow. A window of equal values therefore has squares of exactly 0, whatever came before.
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
    let count = 0
    let mean = 0
    let squares = 0
    for (let row = start; row < end; row++) {
      if (!valid || valid[row]) {
        const distance = values[row] - mean
        count++
        mean += distance / count
        squares += distance * (values[row] - mean)
      }
      const at = row - start + 1
      const earlier = before.counts[at]
      if (earlier === 0) visit(row, count, mean, squares)
      else if (count === 0) visit(row, earlier, before.means[at], before.squares[at])
      else {
        const all = count + earlier
        const distance = before.means[at] - mean
        const between = (distance * distance * count * earlier) / all
        visit(row, all, mean + (distance * earlier) / all, squares + before.squares[at] + between)
      }
    }
    if (end - start === block) before.fill(values, valid, start)
  }
}

/**
 * Visits the mean of every window of `width` rows, to the digit that of `slideMoments`, whose distances from the mean cost
 * more than all else where nobody asks for them.
 */
export function slideMeans(
  values: Float64Array,
  valid: Uint8Array | null,
  width: number,
  visit: (row: number, count: number, mean: number) => void,
): void {
  const rows = values.length
  const block = Math.min(width, rows)
  const counts = new Float64Array(block + 1)
  const means = new Float64Array(block + 1)
  for (let start = 0; start < rows; start += block) {
    const end = Math.min(start + block, rows)
    let count = 0
    let mean = 0
    for (let row = start, at = 1; row < end; row++, at++) {
      if (!valid || valid[row]) mean += (values[row] - mean) / ++count
      const earlier = counts[at]
      const all = count + earlier
      if (earlier === 0) visit(row, count, mean)
      else if (count === 0) visit(row, earlier, means[at])
      else visit(row, all, mean + ((means[at] - mean) * earlier) / all)
    }
    if (end - start < block) return
    count = 0
    mean = 0
    for (let at = block - 1; at >= 0; at--) {
      if (!valid || valid[start + at]) mean += (values[start + at] - mean) / ++count
      counts[at] = count
      means[at] = mean
    }
  }
}

/** Moments of a block from each of its rows to its last; one more place stands for the empty end. */
class BlockEnds {
  readonly counts: Float64Array
  readonly means: Float64Array
  readonly squares: Float64Array

  constructor(block: number) {
    this.counts = new Float64Array(block + 1)
    this.means = new Float64Array(block + 1)
    this.squares = new Float64Array(block + 1)
  }

  fill(values: Float64Array, valid: Uint8Array | null, start: number): void {
    let count = 0
    let mean = 0
    let squares = 0
    for (let at = this.counts.length - 2; at >= 0; at--) {
      const row = start + at
      if (!valid || valid[row]) {
        const distance = values[row] - mean
        count++
        mean += distance / count
        squares += distance * (values[row] - mean)
      }
      this.counts[at] = count
      this.means[at] = mean
      this.squares[at] = squares
    }
  }
}
