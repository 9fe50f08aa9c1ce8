import { AppError } from '#shared/contract/errors.ts'
import type { ResultType } from '#shared/sql/resultType.ts'
import { MS_PER_DAY } from '#shared/time.ts'

/** A value as Parquet and Arrow files store it. Decimals are unscaled, times count units since the epoch. */
export type StoredValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | StoredValue[]
  | { [name: string]: StoredValue }

/**
 * Way in which Parquet and Arrow files store a type, which never depends on the values. Types that the two formats do
 * not have, such as intervals, are stored as text.
 */
export type StoredType =
  | { kind: 'boolean' | 'float' | 'double' | 'day' | 'text' | 'bytes' }
  | { kind: 'integer'; bits: 8 | 16 | 32 | 64; isSigned: boolean }
  | { kind: 'decimal'; width: number; scale: number }
  | { kind: 'instant' | 'timeOfDay'; unit: 'micros' | 'nanos' }
  | { kind: 'list'; items: StoredType; length: number | null }
  | { kind: 'struct'; fields: { name: string; type: StoredType }[] }
  | { kind: 'map'; key: StoredType; value: StoredType }

/** Digits of the longest decimal; it also stores the integers of 128 bits, which no format has. */
const MOST_DIGITS = 38

const integer = (bits: 8 | 16 | 32 | 64, isSigned: boolean): StoredType => ({ kind: 'integer', bits, isSigned })
const longInteger: StoredType = { kind: 'decimal', width: MOST_DIGITS, scale: 0 }
const instant: StoredType = { kind: 'instant', unit: 'micros' }

const plainTypes: Readonly<Partial<Record<string, StoredType>>> = {
  BOOLEAN: { kind: 'boolean' },
  TINYINT: integer(8, true),
  SMALLINT: integer(16, true),
  INTEGER: integer(32, true),
  BIGINT: integer(64, true),
  UTINYINT: integer(8, false),
  USMALLINT: integer(16, false),
  UINTEGER: integer(32, false),
  UBIGINT: integer(64, false),
  HUGEINT: longInteger,
  UHUGEINT: longInteger,
  FLOAT: { kind: 'float' },
  DOUBLE: { kind: 'double' },
  DATE: { kind: 'day' },
  TIMESTAMP: instant,
  TIMESTAMP_S: instant,
  TIMESTAMP_MS: instant,
  'TIMESTAMP WITH TIME ZONE': instant,
  TIMESTAMP_NS: { kind: 'instant', unit: 'nanos' },
  TIME: { kind: 'timeOfDay', unit: 'micros' },
  TIME_NS: { kind: 'timeOfDay', unit: 'nanos' },
  BLOB: { kind: 'bytes' },
  GEOMETRY: { kind: 'bytes' },
}

export function storedTypeOf(type: ResultType): StoredType {
  if ('scale' in type) return { kind: 'decimal', width: type.width, scale: type.scale }
  if ('items' in type) return { kind: 'list', items: storedTypeOf(type.items), length: type.length }
  if ('key' in type) return { kind: 'map', key: storedTypeOf(type.key), value: storedTypeOf(type.value) }
  if ('fields' in type) return { kind: 'struct', fields: storedFields(type) }
  return plainTypes[type.name] ?? { kind: 'text' }
}

/** Names the fields of a tuple by their numbers. A union is stored as a struct in which only its member has a value. */
const storedFields = (type: Extract<ResultType, { fields: unknown }>) =>
  type.fields.map((field, at) => ({
    name: 'isTuple' in type && type.isTuple ? String(at + 1) : field.name,
    type: storedTypeOf(field.type),
  }))

/** Converts a cell of a result to the value that files store. */
export function storedValue(cell: number | string | null, type: StoredType): StoredValue {
  if (cell === null) return null
  if (type.kind === 'list' || type.kind === 'struct' || type.kind === 'map')
    return storedPart(JSON.parse(String(cell)) as unknown, type)
  return plainValue(cell, type)
}

/** Converts a part of a nested value, given as JSON. */
function storedPart(json: unknown, type: StoredType): StoredValue {
  if (json === null || json === undefined) return null
  if (type.kind === 'list' && Array.isArray(json)) return json.map((item) => storedPart(item, type.items))
  if (type.kind === 'map' && Array.isArray(json))
    return json.map(({ key, value }: Record<string, unknown>) => ({
      key: storedPart(key, type.key),
      value: storedPart(value, type.value),
    }))
  if (type.kind === 'struct') {
    const partOf = (name: string, at: number) => {
      if (Array.isArray(json)) return json[at] as unknown
      return Object.hasOwn(json as object, name) ? (json as Record<string, unknown>)[name] : null
    }
    return Object.fromEntries(type.fields.map(({ name, type: of }, at) => [name, storedPart(partOf(name, at), of)]))
  }
  // The text of a VARIANT is JSON of any form.
  return plainValue(typeof json === 'object' ? JSON.stringify(json) : (json as number | string | boolean), type)
}

function plainValue(cell: number | string | boolean, type: StoredType): StoredValue {
  switch (type.kind) {
    case 'boolean':
      return cell === true || cell === 'true'
    case 'integer':
      return type.bits === 64 ? BigInt(cell) : Number(cell)
    case 'decimal':
      return unscaled(String(cell), type.scale)
    case 'float':
    case 'double':
      return Number(cell)
    case 'day':
      return typeof cell === 'number' ? Math.floor(cell / MS_PER_DAY) : dayOf(String(cell))
    case 'instant':
      return typeof cell === 'number' ? microsOf(cell) : instantOf(String(cell), perSecond[type.unit])
    case 'timeOfDay':
      return timeOfDay(String(cell), perSecond[type.unit])
    case 'bytes':
      return bytesOf(String(cell))
    default:
      return String(cell)
  }
}

/** Converts a time to microseconds. Whole milliseconds are multiplied as bigints, which is exact for every date. */
const microsOf = (timeMs: number): bigint =>
  Number.isInteger(timeMs) ? BigInt(timeMs) * 1000n : BigInt(Math.round(timeMs * 1000))

function unscaled(text: string, scale: number): bigint {
  const [whole, fraction = ''] = text.split('.')
  const value = BigInt(whole + fraction.padEnd(scale, '0'))
  if (value.toString().replace('-', '').length > MOST_DIGITS)
    throw new AppError(
      'too-large',
      `${text} has more than ${MOST_DIGITS} digits, which neither Parquet nor Arrow can hold. CAST the column to VARCHAR or DOUBLE.`,
    )
  return value
}

const perSecond = { micros: 1_000_000n, nanos: 1_000_000_000n } as const
const SECONDS_PER_DAY = 86_400n
/** Numbers that mean infinity to DuckDB: the largest one, and its negative. */
const INFINITE_DAYS = 2_147_483_647
const INFINITE_COUNT = 2n ** 63n - 1n

const instantPattern = /^([+-]?\d+)-(\d\d)-(\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d+)?)Z)?$/

function dayOf(text: string): number {
  if (text.endsWith('infinity')) return text.startsWith('-') ? -INFINITE_DAYS : INFINITE_DAYS
  const [, year, month, day] = instantPattern.exec(text) ?? []
  // The Gregorian calendar repeats after 400 years, and a date of JavaScript does not reach as far as DuckDB's.
  const cycles = Math.floor(Number(year) / 400)
  const inCycle = new Date(0).setUTCFullYear(Number(year) - cycles * 400, Number(month) - 1, Number(day))
  return inCycle / MS_PER_DAY + cycles * 146_097
}

function instantOf(text: string, unitsPerSecond: bigint): bigint {
  if (text.endsWith('infinity')) return text.startsWith('-') ? -INFINITE_COUNT : INFINITE_COUNT
  const clock = instantPattern.exec(text)?.[4] ?? '00:00:00'
  return BigInt(dayOf(text)) * SECONDS_PER_DAY * unitsPerSecond + timeOfDay(clock, unitsPerSecond)
}

/** Parses `hh:mm:ss` with an optional fraction. */
function timeOfDay(text: string, unitsPerSecond: bigint): bigint {
  const [clock, fraction = ''] = text.split('.')
  const [hours, minutes, seconds] = clock.split(':').map(BigInt)
  const digits = String(unitsPerSecond).length - 1
  return ((hours * 60n + minutes) * 60n + seconds) * unitsPerSecond + BigInt(fraction.padEnd(digits, '0'))
}

/** Parses the text of bytes, in which `\xAA` stands for a byte that is not shown as it is. */
function bytesOf(text: string): Uint8Array {
  const latin = text.replace(/\\x([0-9A-F]{2})/g, (_found, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(latin, 'latin1')
}
