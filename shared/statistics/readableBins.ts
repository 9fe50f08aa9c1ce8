import { finiteExtent } from './finiteExtent.ts'

/** Returns the smallest of 1, 2 or 5 times a power of ten that is at least a number. */
export function readableWidth(least: number): number {
  const power = Math.floor(Math.log10(least))
  const factor = [1, 2, 5, 10].find((each) => each * 10 ** power >= least) ?? 10
  // The width is parsed from text, because a product may differ from the float nearest to the decimal number.
  return Number(`${factor}e${power}`)
}

/** Digits that the edges keep, so that 3 · 0.1 is 0.3. */
const DIGITS = 14

/** Builds the edges of at most `most + 1` bins from `low` to `high`: multiples of a readable width. */
export function readableEdges(low: number, high: number, most: number): Float64Array {
  const width = readableWidth((high - low) / most)
  // Values that differ in their last digits only have no round numbers between them, and a span may overflow.
  const isReadable = width >= Math.max(Math.abs(low), Math.abs(high)) * 10 ** (1 - DIGITS)
  if (!isReadable) return Float64Array.of(low, high)
  const first = Math.floor(low / width)
  const bins = Math.max(1, Math.ceil(high / width) - first)
  return Float64Array.from({ length: bins + 1 }, (_, at) => Number(((first + at) * width).toPrecision(DIGITS)))
}

/** Returns the bin of a value within the edges; a bin includes its lower edge, and the last one also its upper. */
export function binOf(edges: Float64Array, value: number): number {
  const last = edges.length - 2
  let bin = Math.min(last, Math.max(0, Math.floor(((value - edges[0]) / (edges[last + 1] - edges[0])) * (last + 1))))
  // The quotient may be off by a rounding error at an edge.
  if (bin > 0 && value < edges[bin]) bin -= 1
  else if (bin < last && value >= edges[bin + 1]) bin += 1
  return bin
}

interface Bin {
  from: number
  to: number
  count: number
}

/** Counts values in bins of equal width with round edges; NaN and infinities are not counted. */
export function histogram(values: Float64Array, mostBins: number): Bin[] {
  const extent = finiteExtent(values)
  if (!extent) return []
  const [low, high] = extent
  const edges = high > low ? readableEdges(low, high, mostBins) : Float64Array.of(low, low + 1)
  const out = Array.from(edges.subarray(1), (to, at) => ({ from: edges[at], to, count: 0 }))
  for (const value of values) if (Number.isFinite(value)) out[binOf(edges, value)].count += 1
  return out
}
