import type { DayNumber } from '#shared/time/periods.ts'

/** From the first day below the peak to the last day below it. */
export interface Episode {
  startDay: DayNumber
  troughDay: DayNumber
  /** The last day below the peak; of an open one the last day there is. */
  endDay: DayNumber
  /** The first day at or above the peak again; null for "not recovered". */
  recoveryDay: DayNumber | null
  /** At the trough, below 0. */
  depth: number
  /** Calendar days from start to end, both counted. */
  lengthDays: number
}

/** Episodes in the order of days. */
export function episodesOf(days: Int32Array, drawdowns: Float64Array): Episode[] {
  const episodes: Episode[] = []
  let open: Episode | null = null
  drawdowns.forEach((depth, row) => {
    const day = days[row]
    if (depth < 0) {
      if (!open) {
        open = { startDay: day, troughDay: day, endDay: day, recoveryDay: null, depth, lengthDays: 1 }
        episodes.push(open)
      }
      open.endDay = day
      open.lengthDays = day - open.startDay + 1
      if (depth < open.depth) {
        open.depth = depth
        open.troughDay = day
      }
    } else if (open) {
      open.recoveryDay = day
      open = null
    }
  })
  return episodes
}

/** Sorts the deepest first; among equal ones the earlier comes first. */
export const deepestEpisodes = (episodes: readonly Episode[], count: number): Episode[] =>
  episodes.toSorted((a, b) => a.depth - b.depth || a.startDay - b.startDay).slice(0, count)
