/**
 * Sample that brackets a quantile. `margin` is the distance in sample ranks, on either side of the expected rank,
 * within which the quantile is searched; if the quantile lies outside, all values are searched.
 */
interface Sample {
  values: Float64Array
  margin: number
}

const smallSample: Sample = { values: new Float64Array(128), margin: 13 }
/**
 * Sample for at least `MANY_VALUES` values. It leaves about 8 % of them to search and almost never misses the quantile,
 * which matters because a search of all values would copy them.
 */
const largeSample: Sample = { values: new Float64Array(4096), margin: 160 }
const MANY_VALUES = 500_000
const insertionSize = 8
/** Number of values up to which all of them are searched. */
const FEW_VALUES = 2 * smallSample.values.length

let scratch = new Float64Array(4096)

/**
 * Computes the exact quantile numerator/denominator of `values` (unchanged), interpolated between order statistics,
 * without sorting. A sample brackets the order statistics; one pass counts the values below and collects those inside
 * the bracket, which are narrowed down the same way until few are left to search.
 */
export function quantile(values: Float64Array, numerator: number, denominator: number): number {
  const count = values.length
  if (count === 0) return NaN
  const position = (count - 1) * numerator
  const rank = Math.floor(position / denominator)
  const fraction = (position % denominator) / denominator
  if (scratch.length <= count) scratch = new Float64Array(count < MANY_VALUES ? 2 * count + 1 : count + 1)
  const last = fraction > 0 ? rank + 1 : rank
  // `left` values remain to be searched; they are in `scratch` after the first round. `before` values lie below them.
  let before = 0
  let left = count
  while (left > (count < MANY_VALUES ? FEW_VALUES : MANY_VALUES)) {
    const { below, inside, commonValue } = gatherAround(left === count ? values : scratch, left, rank - before)
    if (before + below > rank || last >= before + below + inside) return searchAll(values, rank, fraction)
    if (commonValue !== null) return commonValue
    before += below
    if (inside === left) return interpolate(left, rank - before, fraction)
    left = inside
  }
  if (left === count) return searchAll(values, rank, fraction)
  return interpolate(left, rank - before, fraction)
}

function searchAll(values: Float64Array, rank: number, fraction: number): number {
  scratch.set(values)
  return interpolate(values.length, rank, fraction)
}

interface BracketCounts {
  below: number
  inside: number
  /**
   * Value that all values inside the bracket equal, such as a repeated price; null if they differ, or may be 0 and −0.
   */
  commonValue: number | null
}

/**
 * Searches the first `count` values and collects into `scratch` the ones that probably surround the rank; `values` may
 * be `scratch` itself.
 */
function gatherAround(values: Float64Array, count: number, rank: number): BracketCounts {
  const { values: sample, margin } = count < MANY_VALUES ? smallSample : largeSample
  const sampleSize = sample.length
  const step = Math.floor(count / sampleSize)
  for (let i = 0; i < sampleSize; i++) sample[i] = values[i * step]
  const middle = (rank / count) * sampleSize
  const from = Math.floor(middle - margin)
  const to = Math.ceil(middle + margin)
  const low = from < 0 ? -Infinity : selectRank(sample, 0, sampleSize, from)
  const high = to >= sampleSize ? Infinity : selectRank(sample, Math.max(from, 0), sampleSize, to)
  let notBelow = 0
  let above = 0
  for (let i = 0; i < count; i++) {
    const value = values[i]
    // The value is always written and the counters decide whether to keep it, because a branch would be mispredicted
    // too often.
    scratch[notBelow - above] = value
    notBelow = (notBelow + Number(value >= low)) | 0
    above = (above + Number(value > high)) | 0
  }
  const commonValue = low === high && low !== 0 && Number.isFinite(low) ? low : null
  return { below: count - notBelow, inside: notBelow - above, commonValue }
}

/**
 * Interpolates between the order statistic of the rank and the next one among the first `count` values of `scratch`.
 */
function interpolate(count: number, rank: number, fraction: number): number {
  const value = selectRank(scratch, 0, count, rank)
  if (fraction === 0) return value
  let next = Infinity
  for (let i = rank + 1; i < count; i++) if (scratch[i] < next) next = scratch[i]
  return value + (next - value) * fraction
}

/**
 * Partitions the values [from, to) (quickselect) so that the value of the rank is in its place, smaller ones before and
 * larger ones after it.
 * @returns that value
 */
function selectRank(values: Float64Array, from: number, to: number, rank: number): number {
  let low = from
  let high = to - 1
  while (high - low >= insertionSize) {
    const pivot = medianOfThree(values[low], values[(low + high) >>> 1], values[high])
    const start = gatherBelow(values, low, high, pivot, 0)
    if (rank < start) {
      high = start - 1
    } else {
      low = gatherBelow(values, start, high, pivot, 1)
      // NaN equals no pivot, so without this check the loop might never end.
      if (rank < low || low === start) return values[rank]
    }
  }
  for (let i = low + 1; i <= high; i++) {
    const value = values[i]
    let at = i - 1
    for (; at >= low && values[at] > value; at--) values[at + 1] = values[at]
    values[at + 1] = value
  }
  return values[rank]
}

/**
 * Moves the values below the pivot to the front of [low, high], with those equal to it if `withEqual` is 1. Every value
 * is swapped and the comparisons only count, because half of all branches would be mispredicted.
 * @returns the index after them
 */
function gatherBelow(values: Float64Array, low: number, high: number, pivot: number, withEqual: 0 | 1): number {
  let end = low
  for (let i = low; i <= high; i++) {
    const value = values[i]
    values[i] = values[end]
    values[end] = value
    end = (end + (Number(value < pivot) | (Number(value === pivot) & withEqual))) | 0
  }
  return end
}

function medianOfThree(a: number, b: number, c: number): number {
  const low = Math.min(a, b)
  const high = Math.max(a, b)
  return Math.max(low, Math.min(high, c))
}
