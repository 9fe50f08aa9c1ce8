/**
 * Sums every window of `width` rows in linear time with the blocks of `slideMoments`. It only adds, so sums of integers
 * are exact, and a large value leaves no residue after it has left the window.
 */
export function slideSums(
  values: Float64Array,
  valid: Uint8Array | null,
  width: number,
  visit: (row: number, count: number, sum: number) => void,
): void {
  const rows = values.length
  const block = Math.min(width, rows)
  const endCounts = new Int32Array(block + 1)
  const endSums = new Float64Array(block + 1)
  for (let start = 0; start < rows; start += block) {
    const end = Math.min(start + block, rows)
    let count = 0
    let sum = 0
    for (let row = start; row < end; row++) {
      if (!valid || valid[row]) {
        count++
        sum += values[row]
      }
      const at = row - start + 1
      visit(row, count + endCounts[at], sum + endSums[at])
    }
    if (end - start < block) continue
    for (let at = block - 1; at >= 0; at--) {
      const isPresent = !valid || valid[start + at] === 1
      endCounts[at] = endCounts[at + 1] + (isPresent ? 1 : 0)
      endSums[at] = endSums[at + 1] + (isPresent ? values[start + at] : 0)
    }
  }
}
