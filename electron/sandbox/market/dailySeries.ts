/** A column of days that grows: values by index from a first day on, in a typed array with room to spare. */
export class DailySeries {
  #values: Float64Array

  constructor(capacity = 512) {
    this.#values = new Float64Array(capacity)
  }

  get(index: number): number {
    return this.#values[index]
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) {
      const grown = new Float64Array(Math.max(index + 1, Math.ceil(this.#values.length * 1.5)))
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[index] = value
  }
}
