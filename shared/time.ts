/** UTC days and intervals. Ranges are half-open unless a name says otherwise. */

export const MS_PER_SECOND = 1000
export const MS_PER_MINUTE = 60_000
export const MS_PER_HOUR = 3_600_000
export const MS_PER_DAY = 86_400_000

/** A UTC calendar day as `YYYY-MM-DD`. */
export type Day = string

const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** Returns the start of a day in milliseconds since the epoch, or null if the text is not a calendar day. */
export function parseDay(text: string): number | null {
  if (!dayPattern.test(text)) return null
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8))
  if (month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return null
  return daysSinceEpoch(year, month, day) * MS_PER_DAY
}

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
export const daysOfMonth = (year: number, month: number) =>
  month === 2 ? (isLeap(year) ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31

/** Returns the number of days since 1970-01-01. Years are counted from March, so that a leap day ends its year. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1
  const monthsSinceMarch = (month + 9) % 12
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  return marchYear * 365 + leapDays + Math.floor((153 * monthsSinceMarch + 2) / 5) + day - 719_469
}

/** Returns the UTC day of an instant. */
export function dayOf(timeMs: number): Day {
  return new Date(timeMs).toISOString().slice(0, 10)
}

/** Adds `count` days to `day` (subtracts if negative). */
export function addDays(day: Day, count: number): Day {
  const startMs = parseDay(day)
  if (startMs === null) throw new RangeError(`not a day: ${day}`)
  return dayOf(startMs + count * MS_PER_DAY)
}

const msByUnit: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: MS_PER_DAY }

/** Parses a duration such as `7d` or `0m` to milliseconds; null for other text. */
export function parseDuration(text: string): number | null {
  const match = /^(0|[1-9]\d{0,8})([smhd])$/.exec(text)
  return match && Number(match[1]) * msByUnit[match[2]]
}

/**
 * Returns the length in seconds of an interval such as `15s`, `90m` or `1d`; null for other text, and for a length that
 * does not divide a day.
 */
export function parseInterval(text: string): number | null {
  const lengthMs = parseDuration(text)
  return lengthMs && MS_PER_DAY % lengthMs === 0 ? lengthMs / 1000 : null
}

/** Formats a duration like an interval name, in the largest unit that divides it: `15s`, `4h`. */
export function intervalName(lengthMs: number): string {
  const units: [string, number][] = [
    ['d', MS_PER_DAY],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ]
  const [unit, unitLengthMs] = units.find(([, lengthOfUnit]) => lengthMs % lengthOfUnit === 0) ?? ['ms', 1]
  return `${lengthMs / unitLengthMs}${unit}`
}
