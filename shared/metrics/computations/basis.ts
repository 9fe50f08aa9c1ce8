import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import { ChangedValues } from './changedValues.ts'

/** Compares the mark price, at each of its updates, with the latest value of one other price. */
class Comparison {
  private readonly differences = new ChangedValues()
  private readonly bps = new ChangedValues()
  private lastDifference = NaN
  private lastBps = NaN

  fill(mark: { timeUs: Float64Array; value: Float64Array }, otherTimeUs: Float64Array, other: Float64Array): void {
    this.differences.clear()
    this.bps.clear()
    this.lastDifference = this.lastBps = NaN
    let at = -1
    for (let i = 0; i < mark.value.length; i++) {
      while (at + 1 < otherTimeUs.length && otherTimeUs[at + 1] <= mark.timeUs[i]) at++
      if (at < 0) continue
      this.lastDifference = mark.value[i] - other[at]
      this.lastBps = quotient(this.lastDifference, other[at]) * 1e4
      this.differences.add(this.lastDifference)
      if (!Number.isNaN(this.lastBps)) this.bps.add(this.lastBps)
    }
  }

  write(row: Float64Array, lastAt: number, overIntervalAt: number): void {
    row[lastAt] = this.lastDifference
    row[lastAt + 1] = this.lastBps
    row[overIntervalAt] = this.differences.mean
    row[overIntervalAt + 1] = this.bps.deviation
  }
}

export const basis: DatasetComputation = {
  dataset: 'basis',
  reads: { mark_price: ['value'], index_price: ['value'], trades: ['price'] },
  create: () => {
    const toIndex = new Comparison()
    const toTrade = new Comparison()
    return (interval, row) => {
      const mark = interval.inside('mark_price')
      const index = interval.asOf('index_price')
      const trades = interval.asOf('trades')
      toIndex.fill(mark, index.timeUs, index.value)
      toTrade.fill(mark, trades.timeUs, trades.price)
      toIndex.write(row, 0, 4)
      toTrade.write(row, 2, 6)
    }
  },
}
