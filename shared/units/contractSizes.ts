import { MS_PER_DAY } from '../time.ts'
import { wholeTime } from './instants.ts'
import { exactNumber } from './numbers.ts'

/** Amount of the base asset in one contract, from a time on. */
interface DatedSize {
  /** −Infinity for a size that always holds. */
  fromMs: number
  size: number
}

/** Contract sizes of an instrument in the order of time, each until the next one; empty if the user gave none. */
export type DatedSizes = readonly DatedSize[]

/** Returns the size that is valid at a time; undefined before the first one. */
export const sizeAt = (sizes: DatedSizes, timeMs: number): number | undefined =>
  sizes.findLast(({ fromMs }) => fromMs <= timeMs)?.size

/** Returns the sizes that are valid at some time of a half-open range. */
export const sizesWithin = (sizes: DatedSizes, { startMs, endMs }: { startMs: number; endMs: number }): DatedSizes =>
  sizes.filter(({ fromMs }, at) => fromMs < endMs && (sizes[at + 1]?.fromMs ?? Infinity) > startMs)

export const areSameSizes = (a: DatedSizes, b: DatedSizes): boolean =>
  a.length === b.length && a.every(({ fromMs, size }, at) => fromMs === b[at].fromMs && size === b[at].size)

/** Writes sizes with the dates from which they hold: `0.01, 0.1 from 2026-07-01`. */
export const datedSizesText = (sizes: DatedSizes): string =>
  sizes
    .map(({ fromMs, size }) =>
      fromMs === -Infinity ? exactNumber(size) : `${exactNumber(size)} from ${wholeTime(fromMs, 'utc', MS_PER_DAY)}`,
    )
    .join(', ')
