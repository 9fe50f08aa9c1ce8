import { gunzipSync, gzipSync } from 'node:zlib'
import { AppError } from '#shared/contract/errors.ts'
import { notJsonText, parseBoundedJson } from '#shared/units/jsonLimits.ts'
import { jsonPieces } from '#shared/units/jsonPieces.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'

/** Size limit of a stored result once it is unpacked; the largest study takes about ten megabytes. */
const MOST_UNPACKED_BYTES = 2 ** 28

/**
 * Parses JSON from the index, which another program may have changed; throws a `corrupt-file` error whose detail says
 * what is unusable.
 * @param label noun phrase for the message, such as `The stored result of a study`
 */
export function readStoredJson(text: string, label: string): unknown {
  try {
    return parseBoundedJson(text)
  } catch (thrown) {
    throw damagedError(label, notJsonText(thrown), thrown)
  }
}

/** Number of characters packed at a time. */
const PACKED_LENGTH = 2 ** 22
/** Numbers hardly pack better at higher levels, which take three times as long. */
const PACKING = { level: 3 }

/**
 * Packs a value as JSON, a part of the text at a time, because a large text would otherwise be in memory several times;
 * the parts unpack as one text.
 */
export function packJson(value: unknown): Uint8Array {
  const parts: Uint8Array[] = []
  let text = ''
  for (const piece of jsonPieces(value)) {
    text += piece
    if (text.length < PACKED_LENGTH) continue
    parts.push(gzipSync(text, PACKING))
    text = ''
  }
  if (text !== '' || parts.length === 0) parts.push(gzipSync(text, PACKING))
  return Buffer.concat(parts)
}

/** Parses packed JSON from the index; throws like `readStoredJson`, and if it would unpack to more than the limit. */
export function readPackedJson(packed: Uint8Array, label: string): unknown {
  let text: string
  try {
    text = gunzipSync(packed, { maxOutputLength: MOST_UNPACKED_BYTES }).toString('utf8')
  } catch (thrown) {
    throw damagedError(label, 'it cannot be unpacked', thrown)
  }
  return readStoredJson(text, label)
}

/** Parses JSON from the index; returns `otherwise` if it is damaged or does not pass the check `fits`. */
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

/** Creates the error for damaged data in the index. */
export const damagedError = (label: string, problem: string, cause?: unknown): AppError =>
  new AppError('corrupt-file', `${label} is damaged: ${problem}.`, { cause })

export const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** Tells whether every value of an object is a text. */
export const isTextRecord = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every((each) => typeof each === 'string')

/** Largest distance from 1970 that a JavaScript date can have, in milliseconds. */
const MOST_MS = 8.64e15
/** Tells whether a stored number is a time that can be shown. */
export const isInstant = (ms: number): boolean => Number.isInteger(ms) && Math.abs(ms) <= MOST_MS
/** Tells whether a stored number is a day that can be shown. */
export const isDay = (day: number): boolean => Number.isInteger(day) && Math.abs(day) <= 1e8

/** Name and type of a column of a file. */
export type StoredFileColumn = readonly [name: string, type: string]

export const areFileColumns = (value: unknown): value is StoredFileColumn[] =>
  Array.isArray(value) &&
  value.every((each) => Array.isArray(each) && typeof each[0] === 'string' && typeof each[1] === 'string')
