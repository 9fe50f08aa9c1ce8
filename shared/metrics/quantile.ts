const sampleSize = 64
/**
 * Distance in sample ranks, on either side of the expected rank, within which the quantile is searched. If it is outside
 * of them, all values are searched.
 */
const margin = 9
const insertionSize = 8

const sample = new Float64Array(sampleSize)
let scratch = new Float64Array(4096)

/**
 * Computes the exact quantile numerator/denominator of `values` (unchanged), interpolated between order statistics,
 * without sorting. A sample brackets the order statistics; one pass counts the values below and collects those inside
 * the bracket, and only these are searched.
 */
export function quantile(values: Float64Array, numerator: number, denominator: number): number {
  const count = values.length
  if (count === 0) return NaN
  const position = (count - 1) * numerator
  const rank = Math.floor(position / denominator)
  const fraction = (position % denominator) / denominator
  if (scratch.length <= count) scratch = new Float64Array(2 * count + 1)
  const last = fraction > 0 ? rank + 1 : rank
  const gathered = count > 4 * sampleSize ? gatherAround(values, rank) : null
  if (gathered && gathered.below <= rank && last < gathered.below + gathered.count) {
    return interpolate(gathered.count, rank - gathered.below, fraction)
  }
  scratch.set(values)
  return interpolate(count, rank, fraction)
}

/** Collects the values that probably surround the rank into `scratch`. */
function gatherAround(values: Float64Array, rank: number): { below: number; count: number } {
  const step = Math.floor(values.length / sampleSize)
  for (let i = 0; i < sampleSize; i++) sample[i] = values[i * step]
  sample.sort()
  const middle = (rank / values.length) * sampleSize
  const from = Math.floor(middle - margin)
  const to = Math.ceil(middle + margin)
  const low = from < 0 ? -Infinity : sample[from]
  const high = to >= sampleSize ? Infinity : sample[to]
  let below = 0
  let count = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    // The value is always written and the counter decides whether to keep it, because a branch would be mispredicted
    // too often.
    scratch[count] = value
    below += Number(value < low)
    count += Number(value >= low) & Number(value <= high)
  }
  return { below, count }
}

/**
 * Interpolates between the order statistic of the rank and the next one among the first `count` values of `scratch`.
 */
function interpolate(count: number, rank: number, fraction: number): number {
  selectRank(scratch, count, rank)
  const value = scratch[rank]
  if (fraction === 0) return value
  let next = Infinity
  for (let i = rank + 1; i < count; i++) if (scratch[i] < next) next = scratch[i]
  return value + (next - value) * fraction
}

/**
 * Partitions the first `count` values (quickselect) so that the value of the rank is in its place, smaller ones before
 * and larger ones after it.
 */
function selectRank(values: Float64Array, count: number, rank: number): void {
  let low = 0
  let high = count - 1
  while (high - low >= insertionSize) {
    const pivot = medianOfThree(values[low], values[(low + high) >>> 1], values[high])
    let left = low
    let right = high
    while (left <= right) {
      while (values[left] < pivot) left++
      while (values[right] > pivot) right--
      if (left > right) break
      const swapped = values[left]
      values[left++] = values[right]
      values[right--] = swapped
    }
    if (rank <= right) high = right
    else if (rank >= left) low = left
    else return
  }
  for (let i = low + 1; i <= high; i++) {
    const value = values[i]
    let at = i - 1
    for (; at >= low && values[at] > value; at--) values[at + 1] = values[at]
    values[at + 1] = value
  }
}

function medianOfThree(a: number, b: number, c: number): number {
  const low = Math.min(a, b)
  const high = Math.max(a, b)
  return Math.max(low, Math.min(high, c))
}
