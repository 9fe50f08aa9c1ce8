/**
 * Rows of a range that a chart must not lose: the first, the last, the lowest and the highest; each is −1 if no row has
 * a value.
 */
export class RunExtremes {
  first = -1
  last = -1
  low = -1
  high = -1
  /** True if a value was skipped because it is not above the bound that `find` was given. */
  hasSkippedValues = false

  /** Finds the extremes among rows [from, to). A row without a finite value above `above` counts as missing. */
  find(values: Float64Array, valid: Uint8Array | null, from: number, to: number, above = -Infinity): void {
    let first = -1
    let last = -1
    let low = -1
    let high = -1
    let least = Infinity
    let most = -Infinity
    let hasSkippedValues = false
    for (let row = from; row < to; row++) {
      const value = values[row]
      // The test `value - value !== 0` covers NaN and both infinities in one comparison.
      if (value - value !== 0 || (valid !== null && valid[row] === 0)) continue
      if (!(value > above)) {
        hasSkippedValues = true
        continue
      }
      if (first < 0) first = row
      last = row
      if (value < least) {
        least = value
        low = row
      }
      if (value > most) {
        most = value
        high = row
      }
    }
    this.first = first
    this.last = last
    this.low = low
    this.high = high
    this.hasSkippedValues = hasSkippedValues
  }
}
