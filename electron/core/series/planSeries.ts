import { MS_PER_DAY } from '#shared/time.ts'
import { type DayNumber, isMonth, type Period } from '#shared/time/periods.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

/** A file of a series and the days that it covers. */
export interface PeriodFile {
  period: Period
  startDay: DayNumber
  /** First day after the file. */
  endDay: DayNumber
}

/** A time range that is read from one file. */
export interface FileSlice<File> {
  file: File
  startMs: number
  endMs: number
}

/**
 * Plans which file is used for which part of a range, in time order. Each day has one file: if both a month and one of
 * its days are cached, the daily file is used. A file is never used for days outside its period.
 */
export function planSeries<File extends PeriodFile>(files: readonly File[], range: TimeRange): FileSlice<File>[] {
  const fileOfDay = new Map<DayNumber, File>()
  const monthsFirst = files.toSorted((a, b) => Number(isMonth(b.period)) - Number(isMonth(a.period)))
  for (const file of monthsFirst) for (let day = file.startDay; day < file.endDay; day++) fileOfDay.set(day, file)

  const slices: FileSlice<File>[] = []
  for (const day of [...fileOfDay.keys()].sort((a, b) => a - b)) {
    const file = fileOfDay.get(day)!
    const startMs = Math.max(day * MS_PER_DAY, range.startMs)
    const endMs = Math.min((day + 1) * MS_PER_DAY, range.endMs)
    if (startMs >= endMs) continue
    const last = slices.at(-1)
    if (last?.file === file && last.endMs === startMs) last.endMs = endMs
    else slices.push({ file, startMs, endMs })
  }
  return slices
}

/** Finds the parts of a range that no slice covers. */
export function uncovered(slices: readonly TimeRange[], range: TimeRange): TimeRange[] {
  const gaps: TimeRange[] = []
  let reachedMs = range.startMs
  for (const { startMs, endMs } of slices) {
    if (startMs > reachedMs) gaps.push({ startMs: reachedMs, endMs: startMs })
    reachedMs = Math.max(reachedMs, endMs)
  }
  if (reachedMs < range.endMs) gaps.push({ startMs: reachedMs, endMs: range.endMs })
  return gaps
}
