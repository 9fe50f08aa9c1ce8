import { isInTimeOrder, timeOrder } from '#core/compute/timeOrder.ts'
import type { EventBatch } from './eventBatches.ts'

type Values = Float64Array | Int32Array

/** Events of the same instant are compared with so many before them: a feed that bursts must not take for ever. */
const LOOK_BACK = 64

/**
 * Counts events that are there twice: trades by time and id, other events by time and values. Copies are looked for among
 * the events of the same instant, in a batch and across the edge to the next.
 */
export class DuplicateTally {
  count = 0
  private lastUs = NaN
  private last: number[] = []

  add({ timeUs, rows, id, values }: EventBatch): void {
    if (rows === 0) return
    const times = timeUs.subarray(0, rows)
    const compared: Values[] = id ? [id] : values
    const order = isInTimeOrder(times) ? null : timeOrder(times)
    const at = (place: number) => (order ? order[place] : place)
    const isEqual = (a: number, b: number) => compared.every((column) => column[a] === column[b])
    const first = at(0)
    if (times[first] === this.lastUs && compared.every((column, index) => column[first] === this.last[index]))
      this.count++
    let runStart = 0
    for (let place = 1; place < rows; place++) {
      const row = at(place)
      if (times[row] !== times[at(runStart)]) {
        runStart = place
        continue
      }
      for (let before = place - 1; before >= Math.max(runStart, place - LOOK_BACK); before--) {
        if (!isEqual(row, at(before))) continue
        this.count++
        break
      }
    }
    const end = at(rows - 1)
    this.lastUs = times[end]
    this.last = compared.map((column) => column[end])
  }
}
