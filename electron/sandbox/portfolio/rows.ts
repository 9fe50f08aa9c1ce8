/** `count` rows of `width` numbers on one piece of memory, all zero. */
export function createRows(count: number, width: number): Float64Array[] {
  const values = new Float64Array(count * width)
  return Array.from({ length: count }, (_, i) => values.subarray(i * width, (i + 1) * width))
}
