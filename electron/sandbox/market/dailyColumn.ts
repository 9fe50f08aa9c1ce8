/** A growing column of daily values, indexed from a first day, in a typed array with spare capacity. */
export class DailyColumn {
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
