/** Returns the smallest and the largest finite value; null if there is none. */
export function finiteExtent(values: Float64Array): [low: number, high: number] | null {
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  return low > high ? null : [low, high]
}
