import { slideOrder } from '#shared/formula/slideOrder.ts'
import type { SymbolCells } from '../../along/symbolCells.ts'
import type { SeriesStudy } from './fields.ts'

/** Gives each time the bucket of its signal, from 1 for the lowest; 0 if it has none. */
export function bucketsOf(
  cells: SymbolCells,
  { buckets, bucketBy, window, warmUp }: SeriesStudy,
  bySignal: Int32Array,
): Uint8Array {
  if (bucketBy === 'inSample') return bucketsOfRange(cells, buckets, bySignal)
  const { values, isOpen, timeCount } = cells
  const result = new Uint8Array(timeCount)
  const width = bucketBy === 'trailing' ? Math.min(window, timeCount) : timeCount
  slideOrder(values, isOpen, width, (time, ordered) => {
    if (isOpen[time] === 1 && ordered.count >= warmUp)
      result[time] = bucketOf(ordered.below(), ordered.equal(), ordered.count, buckets)
  })
  return result
}

/** Ranks each signal among those of the whole range. */
function bucketsOfRange({ values, timeCount }: SymbolCells, buckets: number, bySignal: Int32Array): Uint8Array {
  const result = new Uint8Array(timeCount)
  const count = bySignal.length
  if (count < buckets) return result
  for (let start = 0; start < count;) {
    let end = start + 1
    while (end < count && values[bySignal[end]] === values[bySignal[start]]) end++
    const bucket = bucketOf(start, end - start, count, buckets)
    for (let at = start; at < end; at++) result[bySignal[at]] = bucket
    start = end
  }
  return result
}

/** Assigns the bucket by the average rank in whole numbers: 1 + ⌊(2·rank − 1)·Q/(2n)⌋, where rank = below + (equal + 1)/2. */
const bucketOf = (below: number, equal: number, count: number, buckets: number): number =>
  1 + Math.floor(((2 * below + equal) * buckets) / (2 * count))
