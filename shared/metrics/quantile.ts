const bins = 1024
const worthBinning = 256

const counts = new Int32Array(bins)
let scratch = new Float64Array(4096)

/**
 * The quantile numerator/denominator of `values` (which stay as they are), linear between order statistics. Exact:
 * it finds the order statistics themselves, without sorting: values are counted into equal bins between the smallest
 * and the largest, and only the bin that holds the wanted rank is looked at further.
 */
export function quantile(
  values: Float64Array,
  numerator: number,
  denominator: number,
  bounds: Bounds = boundsOf(values, values.length),
): number {
  const count = values.length
  if (count === 0) return NaN
  const position = (count - 1) * numerator
  const rank = Math.floor(position / denominator)
  const fraction = (position % denominator) / denominator
  if (scratch.length < count) scratch = new Float64Array(2 * count)
  return select(values, count, rank, fraction, bounds)
}

/** The smallest and the largest value. */
export interface Bounds {
  min: number
  max: number
}

function boundsOf(values: Float64Array, count: number): Bounds {
  let min = values[0]
  let max = min
  for (let i = 1; i < count; i++) {
    const value = values[i]
    if (value < min) min = value
    if (value > max) max = value
  }
  return { min, max }
}

function select(values: Float64Array, count: number, rank: number, fraction: number, { min, max }: Bounds): number {
  if (count <= worthBinning) {
    if (values !== scratch) for (let i = 0; i < count; i++) scratch[i] = values[i]
    return selectSmall(scratch, count, rank, fraction)
  }
  if (min === max) return min
  const scale = (bins - 1) / (max - min)
  if (!(scale < Infinity)) return selectSmall(copied(values, count), count, rank, fraction)
  counts.fill(0)
  for (let i = 0; i < count; i++) counts[((values[i] - min) * scale) | 0]++
  let bin = 0
  let before = 0
  while (before + counts[bin] <= rank) before += counts[bin++]
  // With a fraction the next order statistic counts too; it may lie in a later bin.
  let lastBin = bin
  let kept = counts[bin]
  while (fraction > 0 && before + kept <= rank + 1) kept += counts[++lastBin]
  let filled = 0
  for (let i = 0; i < count; i++) {
    const value = values[i]
    const at = ((value - min) * scale) | 0
    if (at >= bin && at <= lastBin) scratch[filled++] = value
  }
  if (filled === count) return selectSmall(scratch, count, rank, fraction)
  return select(scratch, filled, rank - before, fraction, boundsOf(scratch, filled))
}

function copied(values: Float64Array, count: number): Float64Array {
  if (values !== scratch) scratch.set(values.subarray(0, count))
  return scratch
}

function selectSmall(values: Float64Array, count: number, rank: number, fraction: number): number {
  const sorted = values.subarray(0, count).sort()
  const value = sorted[rank]
  return fraction > 0 ? value + (sorted[rank + 1] - value) * fraction : value
}
