import type { PowerSums } from './moments.ts'

const noValues = (): PowerSums => ({ count: 0, mean: 0, m2: 0, m3: 0, m4: 0 })

/**
 * Merges the moments of two groups of values; `to` may be one of them.
 * @param originDistance origin from which the mean of `b` is measured, minus that of `a`
 */
function merge(to: PowerSums, a: PowerSums, b: PowerSums, originDistance = 0): void {
  if (a.count === 0 || b.count === 0) {
    Object.assign(to, a.count === 0 ? b : a)
    return
  }
  const count = a.count + b.count
  const distance = originDistance + (b.mean - a.mean)
  const step = distance / count
  const between = distance * step * a.count * b.count
  const m2 = a.m2 + b.m2 + between
  const m3 = a.m3 + b.m3 + between * step * (a.count - b.count) + 3 * step * (a.count * b.m2 - b.count * a.m2)
  const m4 =
    a.m4 +
    b.m4 +
    between * step * step * (a.count * a.count - a.count * b.count + b.count * b.count) +
    6 * step * step * (a.count * a.count * b.m2 + b.count * b.count * a.m2) +
    4 * step * (a.count * b.m3 - b.count * a.m3)
  const mean = a.mean + step * b.count
  Object.assign(to, { count, mean, m2, m3, m4 })
}

/**
 * Visits the first four moments of every window of `width` rows, in linear time with the blocks of `slideMoments`. A
 * large value leaves no residue after it has left the window. The mean is the distance from a value of the window, so
 * that values near 1e12 keep the digits by which they differ.
 */
export function slideShape(
  values: Float64Array,
  valid: Uint8Array | null,
  width: number,
  visit: (row: number, moments: Readonly<PowerSums>) => void,
): void {
  const rows = values.length
  const block = Math.min(width, rows)
  const ends = Array.from({ length: block + 1 }, noValues)
  const single = { ...noValues(), count: 1 }
  const merged = noValues()
  let endsOrigin = NaN
  const isPresent = (row: number) => !valid || valid[row] === 1
  for (let start = 0; start < rows; start += block) {
    const end = Math.min(start + block, rows)
    /** Power sums of the block up to the current row. */
    const blockSums = noValues()
    let origin = NaN
    for (let row = start; row < end; row++) {
      if (isPresent(row)) {
        if (blockSums.count === 0) origin = values[row]
        single.mean = values[row] - origin
        merge(blockSums, blockSums, single)
      }
      merge(merged, ends[row - start + 1], blockSums, origin - endsOrigin)
      visit(row, merged)
    }
    if (end - start < block) continue
    endsOrigin = NaN
    for (let at = block - 1; at >= 0; at--) {
      if (isPresent(start + at) && ends[at + 1].count === 0) endsOrigin = values[start + at]
      single.mean = values[start + at] - endsOrigin
      if (isPresent(start + at)) merge(ends[at], single, ends[at + 1])
      else Object.assign(ends[at], ends[at + 1])
    }
  }
}
