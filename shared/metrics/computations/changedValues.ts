import { deviation } from '../../statistics/moments.ts'
import * as plan from '../expressions.ts'
import type { PlanCondition, Value } from '../plan.ts'

/** Collects values that differ from the previous one, so that a feed that repeats itself gets no more weight. */
export class ChangedValues {
  private values = new Float64Array(64)
  count = 0

  clear(): void {
    this.count = 0
  }

  add(value: number): void {
    const { count } = this
    if (count > 0 && this.values[count - 1] === value) return
    if (count === this.values.length) {
      const grown = new Float64Array(count * 2)
      grown.set(this.values)
      this.values = grown
    }
    this.values[count] = value
    this.count++
  }

  at(index: number): number {
    return this.values[index]
  }

  get mean(): number {
    let sum = 0
    for (let i = 0; i < this.count; i++) sum += this.values[i]
    return this.count === 0 ? NaN : sum / this.count
  }

  get deviation(): number {
    return deviation(this.values, this.count)
  }
}

/** True if a value is present, and the value before it is missing or different. */
export const isChanged = (column: string, columnBefore: string): PlanCondition =>
  plan.any(
    plan.all(plan.present(column), plan.equal(plan.choose(plan.present(columnBefore), 1, 0), 0)),
    plan.all(plan.present(columnBefore), plan.differs(column, columnBefore)),
  )

export const valueIfChanged = (column: string): Value => plan.choose(isChanged(column, `${column}_before`), column)
