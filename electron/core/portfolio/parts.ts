import type { DayMatrix } from '#shared/portfolio/dailyMatrix.ts'
import type { DayRange } from '#shared/time/ranges.ts'

/** Number of cells saved per transaction, which takes some milliseconds. */
const CELLS_AT_ONCE = 100_000

export interface Part {
  asked: DayRange
  matrix: DayMatrix
}

/**
 * An answer in parts that can be saved one after the other without holding up anything else. Together they cover what was
 * asked. Where it begins before the known span, its last days come first: so the parts grow towards what is known, or
 * from it, and none of it is forgotten on the way to a longer one.
 */
export function partsOf(
  asked: DayRange,
  matrix: DayMatrix,
  known: DayRange | null,
  cellsAtOnce = CELLS_AT_ONCE,
): Part[] {
  const { days, columns, values } = matrix
  const width = columns.length
  const rowsAtOnce = Math.max(1, Math.floor(cellsAtOnce / Math.max(1, width)))
  const parts: Part[] = []
  for (let from = 0; from === 0 || from < days.length; from += rowsAtOnce) {
    const to = Math.min(from + rowsAtOnce, days.length)
    const start = from === 0 ? asked.start : within(asked, days[from])
    const end = to === days.length ? asked.end : within(asked, days[to])
    parts.push({
      asked: { start, end },
      matrix: { days: days.subarray(from, to), columns, values: values.subarray(from * width, to * width) },
    })
  }
  return known && asked.start < known.start ? parts.reverse() : parts
}

/** A service may answer with more days than it was asked for. */
const within = ({ start, end }: DayRange, day: number) => Math.min(Math.max(day, start), end)
