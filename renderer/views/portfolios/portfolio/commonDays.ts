import { dayFromNumber } from '#shared/time/periods.ts'

/**
 * Finds the first and last day that several series have in common, both inclusive; null if all start and end on the
 * same days, if they have no day in common, or if fewer than two have any days.
 */
export function commonDays(all: readonly { days: ArrayLike<number> }[]): { from: string; to: string } | null {
  const ranges = all.flatMap(({ days }) => (days.length === 0 ? [] : [[days[0], days[days.length - 1]] as const]))
  if (ranges.length < 2 || ranges.every(([first, last]) => first === ranges[0][0] && last === ranges[0][1])) return null
  const first = Math.max(...ranges.map(([day]) => day))
  const last = Math.min(...ranges.map(([, day]) => day))
  return first > last ? null : { from: dayFromNumber(first), to: dayFromNumber(last) }
}
