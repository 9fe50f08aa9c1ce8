/** Counts in bins of equal width whose edges are whole multiples of it, so that one edge is 0. */
export interface Histogram {
  width: number
  /** The first bin covers `firstBin·width` (included) to `(firstBin + 1)·width` (not included). */
  firstBin: number
  counts: Int32Array
}

const MOST_BINS = 60
/** Finer than any return is known. */
const LEAST_WIDTH = 1e-9

/** Bins of a width that reads well: 1, 2 or 5 times a power of ten. Null without values. */
export function histogramOf(sorted: Float64Array): Histogram | null {
  if (sorted.length === 0) return null
  const span = sorted[sorted.length - 1] - sorted[0]
  const width = readableWidth(Math.max(LEAST_WIDTH, span > 0 ? span / MOST_BINS : Math.abs(sorted[0]) / 10 || 0.01))
  const binOf = (value: number) => Math.floor(value / width)
  const firstBin = binOf(sorted[0])
  const counts = new Int32Array(binOf(sorted[sorted.length - 1]) - firstBin + 1)
  for (const value of sorted) counts[binOf(value) - firstBin]++
  return { width, firstBin, counts }
}

function readableWidth(least: number): number {
  const power = Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].find((factor) => factor * 10 ** power >= least) ?? 10
  // Through text: the product is not always the float that the decimal number has.
  return Number(`${step}e${power}`)
}
