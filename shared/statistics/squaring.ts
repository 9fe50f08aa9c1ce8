/** Tells whether a sum of squares, and hence its root, has all its digits: it neither overflowed nor underflowed. */
export const keepsDigits = (squares: number): boolean => squares > 1e-200 && squares < 1e200

/**
 * Copies the first `count` values, divided by the power of two that brings the largest one near 1, so that they can be
 * squared. The division is exact; if the result of a computation depends on the scale, multiply it by `scale` again.
 */
export function scaledToSquare(
  values: Float64Array,
  count = values.length,
): { scaled: Float64Array<ArrayBuffer>; scale: number } {
  let largest = 0
  for (let i = 0; i < count; i++) if (Math.abs(values[i]) > largest) largest = Math.abs(values[i])
  const exponent = largest === 0 ? 0 : Math.floor(Math.log2(largest))
  const scale = 2 ** Math.max(-1022, Math.min(1023, exponent))
  return { scaled: Float64Array.from(values.subarray(0, count), (value) => value / scale), scale }
}
