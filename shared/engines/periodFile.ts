import { periodDays } from '../time/periods.ts'

/**
 * Regular expression for the names of raw files, in the syntax of all engines. In a shared store, the beginning of a
 * hash follows the period.
 */
export const periodFilePattern = '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$'

const periodFile = new RegExp(periodFilePattern)

/** Returns the days of a raw file by its name, end excluded; null if the name has no period. */
export const daysOfFile = (name: string): ReturnType<typeof periodDays> =>
  periodFile.test(name) ? periodDays(name.slice(0, name.indexOf('.'))) : null
