/** Multiples of a decimal step (1, 2 or 5 times a power of ten), without the rounding errors of a multiplication. */
export class Steps {
  readonly step: number
  private readonly perUnit: number

  constructor(step: number) {
    this.step = step
    this.perUnit = step < 1 ? Math.round(1 / step) : 0
  }

  /** Computes the value of `count` steps. */
  value(count: number): number {
    return this.perUnit ? count / this.perUnit : count * this.step
  }

  floor(value: number): number {
    return Math.floor(value / this.step + 1e-9)
  }

  round(value: number): number {
    return Math.round(value / this.step)
  }
}
