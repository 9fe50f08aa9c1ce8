import { isMonth, type DayNumber, type Period } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'

/** A file of a series and the days it is about. */
export interface PeriodFile {
  period: Period
  startDay: DayNumber
  /** Exclusive. */
  endDay: DayNumber
}

/** A stretch of time that one file answers for. */
export interface Stretch<File> {
  file: File
  startMs: number
  endMs: number
}

/** Half-open, in milliseconds since the epoch. */
export interface TimeRange {
  startMs: number
  endMs: number
}

/**
 * Plans which file serves which part of a range, in time order. Each day has one file: where a month and one of its
 * days are both here, the day's wins. A file never answers for days outside its period.
 */
export function planSeries<File extends PeriodFile>(files: readonly File[], range: TimeRange): Stretch<File>[] {
  const fileOfDay = new Map<DayNumber, File>()
  const monthsFirst = files.toSorted((a, b) => Number(isMonth(b.period)) - Number(isMonth(a.period)))
  for (const file of monthsFirst) for (let day = file.startDay; day < file.endDay; day++) fileOfDay.set(day, file)

  const stretches: Stretch<File>[] = []
  for (const day of [...fileOfDay.keys()].sort((a, b) => a - b)) {
    const file = fileOfDay.get(day)!
    const startMs = Math.max(day * MS_PER_DAY, range.startMs)
    const endMs = Math.min((day + 1) * MS_PER_DAY, range.endMs)
    if (startMs >= endMs) continue
    const last = stretches.at(-1)
    if (last?.file === file && last.endMs === startMs) last.endMs = endMs
    else stretches.push({ file, startMs, endMs })
  }
  return stretches
}

/** The parts of a range that no stretch covers. */
export function uncovered(stretches: readonly TimeRange[], range: TimeRange): TimeRange[] {
  const gaps: TimeRange[] = []
  let reachedMs = range.startMs
  for (const { startMs, endMs } of stretches) {
    if (startMs > reachedMs) gaps.push({ startMs: reachedMs, endMs: startMs })
    reachedMs = Math.max(reachedMs, endMs)
  }
  if (reachedMs < range.endMs) gaps.push({ startMs: reachedMs, endMs: range.endMs })
  return gaps
}
