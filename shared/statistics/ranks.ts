/** Computes ranks from 1 (the lowest); ties get their mean rank. */
export function averageRanks(values: Float64Array): Float64Array {
  const order = Int32Array.from(values, (_, at) => at).sort((a, b) => values[a] - values[b])
  const ranks = new Float64Array(values.length)
  for (let start = 0; start < order.length;) {
    let end = start + 1
    while (end < order.length && values[order[end]] === values[order[start]]) end++
    for (let at = start; at < end; at++) ranks[order[at]] = (start + 1 + end) / 2
    start = end
  }
  return ranks
}

/** Computes the quantile numerator/denominator of ascending values, interpolated linearly; null without values. */
export function sortedQuantile(sorted: Float64Array, numerator: number, denominator: number): number | null {
  if (sorted.length === 0) return null
  // Integer arithmetic makes a position that falls on a value exact.
  const position = (sorted.length - 1) * numerator
  const below = Math.floor(position / denominator)
  const fraction = (position % denominator) / denominator
  return fraction === 0 ? sorted[below] : sorted[below] + (sorted[below + 1] - sorted[below]) * fraction
}
