import { bookDepths } from '../../catalog/columns/book.ts'
import { type BookEvents, bookLevels } from '../events.ts'
import type { DatasetComputation, IntervalFunction } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'

const depthCount = bookDepths.length

/** Sums the top levels of snapshot `at`, one sum per depth. */
function sumLevels(amounts: Float64Array, at: number, sums: Float64Array): void {
  let sum = 0
  let level = at * bookLevels
  for (let depth = 0; depth < depthCount; depth++) {
    const end = at * bookLevels + bookDepths[depth]
    while (level < end) sum += amounts[level++]
    sums[depth] = sum
  }
}

type WriteDepthValues = (values: Float64Array, at: number, bid: number, ask: number) => void

function writeImbalances(values: Float64Array, at: number, bid: number, ask: number): void {
  values[at] = bid - ask
  values[at + 1] = quotient(bid - ask, bid + ask)
  values[at + 2] = quotient(bid, ask)
}

function writeDepths(values: Float64Array, at: number, bid: number, ask: number): void {
  values[at] = ask
  values[at + 1] = bid
}

/** Computes, for each depth, the values of the last snapshot, then their means over the snapshots that have them. */
function lastAndMeans(width: number, writeValues: WriteDepthValues): () => IntervalFunction {
  return () => {
    const values = new Float64Array(width * depthCount)
    const sums = new Float64Array(width * depthCount)
    const counts = new Float64Array(width * depthCount)
    const bids = new Float64Array(depthCount)
    const asks = new Float64Array(depthCount)
    const add = ({ bidAmounts, askAmounts }: BookEvents, snapshot: number) => {
      sumLevels(bidAmounts, snapshot, bids)
      sumLevels(askAmounts, snapshot, asks)
      for (let depth = 0; depth < depthCount; depth++) writeValues(values, depth * width, bids[depth], asks[depth])
      for (let j = 0; j < values.length; j++) {
        if (Number.isNaN(values[j])) continue
        sums[j] += values[j]
        counts[j]++
      }
    }
    return ({ inside }, row) => {
      const book = inside('book')
      sums.fill(0)
      counts.fill(0)
      for (let snapshot = 0; snapshot < book.timeUs.length; snapshot++) add(book, snapshot)
      for (let j = 0; j < values.length; j++) {
        const at = Math.floor(j / width) * 2 * width + (j % width)
        row[at] = values[j]
        row[at + width] = quotient(sums[j], counts[j])
      }
    }
  }
}

const reads = { book: ['bidAmounts', 'askAmounts'] } as const

export const l2Imbalance: DatasetComputation = {
  dataset: 'l2_imbalance',
  reads,
  plan: null,
  create: lastAndMeans(3, writeImbalances),
}

export const l2Liquidity: DatasetComputation = {
  dataset: 'l2_liquidity',
  reads,
  plan: null,
  create: lastAndMeans(2, writeDepths),
}
