/** Numbers in the order in which they are added, in a typed array that grows. */
export class GrowingColumn {
  private values: Float64Array
  length = 0

  constructor(capacity: number) {
    this.values = new Float64Array(Math.max(16, Math.ceil(capacity)))
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Float64Array(this.length * 2)
      grown.set(this.values)
      this.values = grown
    }
    this.values[this.length++] = value
  }

  /** Returns the numbers added so far, in an array without spare capacity. */
  toArray(): Float64Array {
    return this.values.slice(0, this.length)
  }
}
