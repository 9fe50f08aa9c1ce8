/** Describes the times of the rows of a file: the first and the last, whether they are regular, how many occur twice. */
import type { FileFacts } from '#core/store/fileTable.ts'
import { AppError } from '#shared/contract/errors.ts'

export type TimeGrid = Pick<FileFacts, 'firstTimeMs' | 'lastTimeMs' | 'stepMs' | 'duplicateTimes'>

/** Finds the grid of times that come in parts, without keeping them, as long as they are in order. */
export class TimeGridTally {
  private count = 0
  private firstMs = NaN
  private lastMs = NaN
  private stepMs = NaN
  private isRegular = true
  private isSorted = true
  private duplicateTimes = 0

  /** @param perMs how many units of the times are a millisecond */
  add(times: Float64Array, perMs = 1): void {
    if (times.length === 0) return
    let { lastMs, isRegular, isSorted, duplicateTimes } = this
    let row = 0
    if (this.count === 0) {
      this.firstMs = lastMs = times[row++] / perMs
      isSorted = !Number.isNaN(lastMs)
    }
    if (this.count < 2 && row < times.length) this.stepMs = times[row] / perMs - lastMs
    const { stepMs } = this
    for (; row < times.length; row++) {
      const timeMs = times[row] / perMs
      const difference = timeMs - lastMs
      isRegular &&= difference === stepMs
      isSorted &&= difference >= 0
      if (difference === 0) duplicateTimes++
      lastMs = timeMs
    }
    this.count += times.length
    Object.assign(this, { lastMs, isRegular, isSorted, duplicateTimes })
  }

  /** The grid; null if the times are not in order, or one is missing. */
  get grid(): TimeGrid | null {
    const { count, firstMs, lastMs, stepMs, duplicateTimes } = this
    if (count === 0) return { firstTimeMs: null, lastTimeMs: null, stepMs: null, duplicateTimes: 0 }
    if (!this.isSorted) return null
    const isRegular = this.isRegular && stepMs > 0
    return { firstTimeMs: firstMs, lastTimeMs: lastMs, stepMs: isRegular ? stepMs : null, duplicateTimes }
  }
}

/** Finds the grid of times in any order; missing ones are left out. */
export function timeGridOf(times: Float64Array): TimeGrid {
  const tally = new TimeGridTally()
  tally.add(times)
  return tally.grid ?? gridInAnyOrder(times)
}

function gridInAnyOrder(times: Float64Array): TimeGrid {
  const sorted = times.filter((time) => !Number.isNaN(time)).sort()
  if (sorted.length === 0) throw new AppError('corrupt-file', 'No row of the file has a time.')
  let duplicateTimes = 0
  for (let row = 1; row < sorted.length; row++) if (sorted[row] === sorted[row - 1]) duplicateTimes++
  return { firstTimeMs: sorted[0], lastTimeMs: sorted[sorted.length - 1], stepMs: null, duplicateTimes }
}
