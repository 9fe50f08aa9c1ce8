import type { Column, Frame } from '#shared/contract/frame.ts'
import { type BucketGrid, type BucketPart, bucketParts, type ColumnBuckets } from './columnBuckets.ts'

/** Columns of one series in a frame of buckets. */
export const partName = (column: string, part: BucketPart): string => `${column}.${part}`

/** Builds all buckets of a grid, in order; see `OverviewPoints` for its columns. */
export function bucketFrame(grid: BucketGrid, columns: readonly { name: string; buckets: ColumnBuckets }[]): Frame {
  const times = Float64Array.from({ length: grid.buckets }, (_, bucket) => grid.startMs + bucket * grid.bucketMs)
  return {
    rows: grid.buckets,
    columns: [
      { name: 'time', kind: 'time', values: times, valid: null },
      ...columns.flatMap(({ name, buckets }) => partsOf(name, buckets)),
    ],
  }
}

function partsOf(name: string, buckets: ColumnBuckets): Column[] {
  const isFull = !buckets.count.includes(0)
  return bucketParts.map((part): Column => {
    const kind = part.endsWith('At') ? 'time' : 'number'
    // A mask of its own for each: buffers move to another thread one by one.
    const valid = isFull || part === 'count' ? null : Uint8Array.from(buckets.count, (count) => (count > 0 ? 1 : 0))
    return { name: partName(name, part), kind, values: buckets[part], valid }
  })
}
