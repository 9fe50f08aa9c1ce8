export interface Bin {
  from: number
  to: number
  count: number
}

/** Evenly wide bins; the largest value belongs to the last. What is no number is in none. */
export function histogram(values: Float64Array, bins: number): Bin[] {
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  if (!(low <= high)) return []
  const width = high > low ? (high - low) / bins : 1
  const out = Array.from({ length: high > low ? bins : 1 }, (_, at) => ({
    from: low + at * width,
    to: low + (at + 1) * width,
    count: 0,
  }))
  for (const value of values)
    if (Number.isFinite(value)) out[Math.min(out.length - 1, Math.floor((value - low) / width))].count += 1
  return out
}

/** Sums from layer to layer, missing as nothing: tops[layer][row]. Positive and negative parts pile up apart. */
export function stacked(layers: readonly Float64Array[]): { bottoms: Float64Array[]; tops: Float64Array[] } {
  const rows = layers[0]?.length ?? 0
  const up = new Float64Array(rows)
  const down = new Float64Array(rows)
  const bottoms: Float64Array[] = []
  const tops: Float64Array[] = []
  for (const layer of layers) {
    const bottom = new Float64Array(rows)
    const top = new Float64Array(rows)
    for (let row = 0; row < rows; row += 1) {
      const value = Number.isFinite(layer[row]) ? layer[row] : 0
      const pile = value < 0 ? down : up
      bottom[row] = pile[row]
      pile[row] += value
      top[row] = pile[row]
    }
    bottoms.push(bottom)
    tops.push(top)
  }
  return { bottoms, tops }
}
