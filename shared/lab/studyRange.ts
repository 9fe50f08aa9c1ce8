import { MS_PER_DAY, parseDay, parseInterval } from '#shared/time.ts'

/** Half-open range of a study in milliseconds; an open end is infinite. */
export interface StudyRange {
  intervalMs: number
  startMs: number
  endMs: number
}

const instantPattern = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d+)?)?Z$/

/** Parses `2026-03-01` or `2026-03-01T12:00:00.5Z` to milliseconds since the epoch; null for other text. */
export function parseInstant(text: string): number | null {
  const dayMs = parseDay(text)
  if (dayMs !== null) return dayMs
  const match = instantPattern.exec(text)
  if (!match) return null
  const startMs = parseDay(match[1])
  if (startMs === null) return null
  const seconds = (Number(match[2]) * 60 + Number(match[3])) * 60 + Number(match[4] ?? 0)
  // Rounds to microseconds, because the fraction times 1000 is not exact.
  const fractionMs = Math.round(Number(`0${match[5] ?? '.0'}`) * 1e6) / 1e3
  return startMs + seconds * 1000 + fractionMs
}

/** A study's interval and range as they are written. */
interface WrittenRange {
  interval: string
  start: string | null
  end: string | null
}

/** Computes the range of a study; an `end` that is a day is inclusive, an instant is exclusive. */
export function studyRange({ interval, start, end }: WrittenRange): StudyRange {
  const intervalMs = (parseInterval(interval) ?? NaN) * 1000
  const startMs = start === null ? -Infinity : (parseInstant(start) ?? NaN)
  const lastMs = end === null ? Infinity : (parseInstant(end) ?? NaN)
  const isDay = end !== null && parseDay(end) !== null
  return { intervalMs, startMs, endMs: isDay ? lastMs + MS_PER_DAY : lastMs }
}
