/** Searches in ascending values by bisection, from index `from` (inclusive) to `to` (exclusive). */

/** Returns the first index whose value is at or above `value`; `to` if all are below. */
export const lowerBound = (values: ArrayLike<number>, value: number, from = 0, to = values.length): number =>
  boundary(values, value, false, from, to)

/** Returns the first index whose value is above `value`; `to` if none is. */
export const upperBound = (values: ArrayLike<number>, value: number, from = 0, to = values.length): number =>
  boundary(values, value, true, from, to)

function boundary(values: ArrayLike<number>, value: number, skipsEqual: boolean, from: number, to: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle] < value || (skipsEqual && values[middle] === value)) low = middle + 1
    else high = middle
  }
  return low
}
