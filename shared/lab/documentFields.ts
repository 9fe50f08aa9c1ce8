import { parseInterval } from '#shared/time.ts'
import { StudyError } from './studyDocument.ts'
import { parseInstant } from './studyRange.ts'

/** Reads the value of a field, or throws a `StudyError` that names `path`. */
export type Reader = (value: unknown, path: string) => unknown

export interface Field {
  read: Reader
  /** Returns the default; a field without one is required. */
  byDefault?: () => unknown
}

export type Fields = Readonly<Record<string, Field>>

export const needed = (read: Reader): Field => ({ read })
export const optional = (read: Reader, byDefault: unknown): Field => ({
  read,
  byDefault: () => structuredClone(byDefault),
})

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const orNull =
  (read: Reader): Reader =>
  (value, path) =>
    value === null ? null : read(value, path)

export const text: Reader = (value, path) => {
  if (typeof value !== 'string') throw new StudyError(path, 'must be text.')
  if (value === '') throw new StudyError(path, 'must not be empty.')
  return value
}

export const wholeNumber =
  (least: number, most: number): Reader =>
  (value, path) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    throw new StudyError(path, `must be a whole number from ${least} to ${most}.`)
  }

export const flag: Reader = (value, path) => {
  if (typeof value !== 'boolean') throw new StudyError(path, 'must be true or false.')
  return value
}

export const oneOf =
  (values: readonly (string | number)[]): Reader =>
  (value, path) => {
    if (values.some((one) => one === value)) return value
    throw new StudyError(path, `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}.`)
  }

/** Reads a list of at least one entry; duplicates are allowed. */
export const repeatableListOf =
  (read: Reader, most = Infinity): Reader =>
  (value, path) => {
    if (!Array.isArray(value) || value.length === 0) throw new StudyError(path, 'must be a list that is not empty.')
    if (value.length > most) throw new StudyError(path, `must have at most ${most} entries.`)
    return value.map((one, at) => read(one, `${path}[${at}]`))
  }

export function listOf(read: Reader, mostItems = Infinity): Reader {
  const list = repeatableListOf(read, mostItems)
  return (value, path) => {
    const entries = list(value, path) as unknown[]
    if (new Set(entries).size < entries.length) throw new StudyError(path, 'contains a duplicate.')
    return entries
  }
}

export function ascendingListOf(read: Reader, mostItems: number): Reader {
  const list = listOf(read, mostItems)
  return (value, path) => {
    const values = list(value, path) as number[]
    if (values.some((one, at) => at > 0 && one <= values[at - 1])) throw new StudyError(path, 'must be ascending.')
    return values
  }
}

export const finiteNumber: Reader = (value, path) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new StudyError(path, 'must be a number.')
  return value
}

export const interval: Reader = (value, path) => {
  if (typeof value === 'string' && parseInterval(value) !== null) return value
  throw new StudyError(path, 'must be an interval that divides a day, such as 15m, 1h or 1d.')
}

export const instant: Reader = (value, path) => {
  if (typeof value === 'string' && parseInstant(value) !== null) return value
  throw new StudyError(path, 'must be a UTC day such as 2026-03-01 or an instant such as 2026-03-01T12:00Z.')
}

/** Reads an object and rejects unknown fields with an error that names their path. */
export const record =
  (fields: Fields): Reader =>
  (value, path) => {
    if (!isRecord(value)) throw new StudyError(path, 'must be an object.')
    return readFields(value, fields, `${path}.`)
  }

export function readFields(value: Record<string, unknown>, fields: Fields, prefix: string): Record<string, unknown> {
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) throw new StudyError(`${prefix}${name}`, 'is not a field of this study.')
  }
  const result: Record<string, unknown> = {}
  for (const [name, { read, byDefault }] of Object.entries(fields)) {
    const path = `${prefix}${name}`
    if (Object.hasOwn(value, name)) result[name] = read(value[name], path)
    else if (byDefault) result[name] = byDefault()
    else throw new StudyError(path, 'is needed.')
  }
  return result
}
