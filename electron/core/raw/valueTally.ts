import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { valueColumns, type ValueRule } from '#core/compute/eventColumns.ts'
import type { EventBatch } from './eventBatches.ts'

/** What the values of events look like. */
export class ValueTally {
  crossedQuotes = 0
  negativeSpreads = 0
  zeroSizes = 0
  unknownSides = 0
  unusable = 0
  private readonly rules: { column: string; rule: ValueRule }[]
  private readonly sizes: number[]
  private readonly isQuotes: boolean

  constructor(dataset: RawDatasetId) {
    this.rules = valueColumns(dataset).filter(({ rule }) => rule !== 'a side')
    this.sizes = this.rules.flatMap(({ column }, index) => (/amount|interest/.test(column) ? [index] : []))
    this.isQuotes = dataset === 'quotes'
  }

  get hasSizes(): boolean {
    return this.sizes.length > 0
  }

  /** @param unknown the code of the unknown side */
  add({ rows, values, side }: EventBatch, unknown: number): void {
    this.rules.forEach(({ rule }, index) => (this.unusable += countUnusable(values[index], rows, rule)))
    this.zeroSizes += countZeros(
      this.sizes.map((index) => values[index]),
      rows,
    )
    if (side) for (let row = 0; row < rows; row++) if (side[row] === unknown) this.unknownSides++
    if (this.isQuotes) this.addQuotes(values, rows)
  }

  private addQuotes([bid, , ask]: readonly Float64Array[], rows: number): void {
    for (let row = 0; row < rows; row++) {
      // A price of 0 says that this side of the book is empty.
      if (!(bid[row] > 0 && ask[row] > 0) || bid[row] < ask[row]) continue
      this.crossedQuotes++
      if (bid[row] > ask[row]) this.negativeSpreads++
    }
  }
}

function countUnusable(values: Float64Array, rows: number, rule: ValueRule): number {
  const lowest = rule === 'a number' ? -Number.MAX_VALUE : rule === 'above 0' ? Number.MIN_VALUE : 0
  let count = 0
  for (let row = 0; row < rows; row++) if (!(values[row] >= lowest && values[row] < Infinity)) count++
  return count
}

function countZeros(columns: readonly Float64Array[], rows: number): number {
  let count = 0
  for (let row = 0; row < rows; row++) {
    for (const column of columns) {
      if (column[row] !== 0) continue
      count++
      break
    }
  }
  return count
}
