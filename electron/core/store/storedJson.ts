import { gunzipSync, gzipSync } from 'node:zlib'
import { AppError } from '#shared/contract/errors.ts'
import { notJsonText, parseBoundedJson } from '#shared/units/jsonLimits.ts'
import { jsonPieces } from '#shared/units/jsonPieces.ts'

/** Bytes of a stored result once it is unpacked; the largest study takes some ten megabytes. */
const MOST_UNPACKED_BYTES = 2 ** 28

/**
 * Parses JSON that is in the index, which another program may have changed: throws a `corrupt-file` whose detail names what cannot
 * be used.
 * @param what noun phrase for the message, such as `The stored result of a study`
 */
export function readStoredJson(text: string, what: string): unknown {
  try {
    return parseBoundedJson(text)
  } catch (thrown) {
    throw damaged(what, notJsonText(thrown), thrown)
  }
}

/** Characters that are packed together. */
const PACKED_LENGTH = 2 ** 22

/** Packs a value as JSON, part by part, because a large one would be in memory several times; its parts unpack as one. */
export function packJson(value: unknown): Uint8Array {
  const parts: Uint8Array[] = []
  let text = ''
  for (const piece of jsonPieces(value)) {
    text += piece
    if (text.length < PACKED_LENGTH) continue
    parts.push(gzipSync(text))
    text = ''
  }
  if (text !== '' || parts.length === 0) parts.push(gzipSync(text))
  return Buffer.concat(parts)
}

/** Parses packed JSON of the index; throws like `readStoredJson`, also where it would unpack to more than any honest one. */
export function readPackedJson(packed: Uint8Array, what: string): unknown {
  let text: string
  try {
    text = gunzipSync(packed, { maxOutputLength: MOST_UNPACKED_BYTES }).toString('utf8')
  } catch (thrown) {
    throw damaged(what, 'it cannot be unpacked', thrown)
  }
  return readStoredJson(text, what)
}

/** Parses JSON of the index that fits a shape; anything else is set aside, and the other value stands for it. */
export function storedJsonOr<Value>(
  text: string | null | undefined,
  fits: (value: unknown) => value is Value,
  otherwise: Value,
): Value {
  try {
    const value = typeof text === 'string' ? parseBoundedJson(text) : null
    return fits(value) ? value : otherwise
  } catch {
    return otherwise
  }
}

/** Builds the error for something in the index that is damaged. */
export const damaged = (what: string, problem: string, cause?: unknown): AppError =>
  new AppError('corrupt-file', `${what} is damaged: ${problem}.`, { cause })

export const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Tells whether each value of an object is a text. */
export const isTextRecord = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every((each) => typeof each === 'string')

/** Largest distance of an instant from 1970 that a date can have. */
const MOST_MS = 8.64e15
/** Tells whether a stored number is an instant that can be shown. */
export const isInstant = (ms: number): boolean => Number.isInteger(ms) && Math.abs(ms) <= MOST_MS
/** Tells whether a stored number is a day that can be shown. */
export const isDay = (day: number): boolean => Number.isInteger(day) && Math.abs(day) <= 1e8

/** Name and type of a column of a file. */
export type FileColumn = readonly [name: string, type: string]

export const areFileColumns = (value: unknown): value is FileColumn[] =>
  Array.isArray(value) &&
  value.every((each) => Array.isArray(each) && typeof each[0] === 'string' && typeof each[1] === 'string')
