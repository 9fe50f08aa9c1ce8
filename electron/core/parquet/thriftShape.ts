/**
 * Checks a structure of Thrift's compact protocol before hyparquet parses it, because that parser trusts every length:
 * a list may claim millions of elements per level, and a number may go on for a megabyte. The check builds no objects
 * and never reads past the bytes.
 */

/** Types of values in Parquet's structures; `many` is a list of values of one type. */
type Shape = 'flag' | 'i8' | 'i16' | 'i32' | 'i64' | 'double' | 'bytes' | { many: Shape } | StructShape

/** Fields by their number. Fields that are not listed may have any well-formed value. */
interface StructShape {
  fields: readonly (Shape | undefined)[]
  /** Bit mask of the fields that every file has. */
  required: number
}

/**
 * Describes a structure. Its fields are in an array by number, because every file is checked and an array is faster
 * than an object.
 */
const struct = (fields: Readonly<Record<number, Shape>>, required: readonly number[] = []): StructShape => ({
  fields: Array.from({ length: Math.max(0, ...Object.keys(fields).map(Number)) + 1 }, (_, field) => fields[field]),
  required: required.reduce((bits, field) => bits | (1 << field), 0),
})

const statistics = struct({ 1: 'bytes', 2: 'bytes', 3: 'i64', 4: 'i64', 5: 'bytes', 6: 'bytes', 7: 'flag', 8: 'flag' })
const keyValue = struct({ 1: 'bytes', 2: 'bytes' })
const empty = struct({})
const timeUnit = struct({ 1: empty, 2: empty, 3: empty })
const timeType = struct({ 1: 'flag', 2: timeUnit }, [2])

const logicalType = struct({
  1: empty,
  2: empty,
  3: empty,
  4: empty,
  5: struct({ 1: 'i32', 2: 'i32' }),
  6: empty,
  7: timeType,
  8: timeType,
  10: struct({ 1: 'i8', 2: 'flag' }),
  11: empty,
  12: empty,
  13: empty,
  14: empty,
  15: empty,
  16: struct({ 1: 'i8' }),
  17: struct({ 1: 'bytes' }),
  18: struct({ 1: 'bytes', 2: 'i32' }),
})

const schemaElement = struct(
  {
    1: 'i32',
    2: 'i32',
    3: 'i32',
    4: 'bytes',
    5: 'i32',
    6: 'i32',
    7: 'i32',
    8: 'i32',
    9: 'i32',
    10: logicalType,
  },
  [4],
)

const columnMetaData = struct(
  {
    1: 'i32',
    2: { many: 'i32' },
    3: { many: 'bytes' },
    4: 'i32',
    5: 'i64',
    6: 'i64',
    7: 'i64',
    8: { many: keyValue },
    9: 'i64',
    10: 'i64',
    11: 'i64',
    12: statistics,
    13: { many: struct({ 1: 'i32', 2: 'i32', 3: 'i32' }) },
    14: 'i64',
    15: 'i32',
    16: struct({ 1: 'i64', 2: { many: 'i64' }, 3: { many: 'i64' } }),
    17: struct({
      1: struct({
        1: 'double',
        2: 'double',
        3: 'double',
        4: 'double',
        5: 'double',
        6: 'double',
        7: 'double',
        8: 'double',
      }),
      2: { many: 'i32' },
    }),
  },
  [1, 3, 4, 5, 6, 7, 9],
)

const columnChunk = struct({ 1: 'bytes', 2: 'i64', 3: columnMetaData, 4: 'i64', 5: 'i32', 6: 'i64', 7: 'i32' }, [3])

const rowGroup = struct(
  {
    1: { many: columnChunk },
    2: 'i64',
    3: 'i64',
    4: { many: struct({ 1: 'i32', 2: 'flag', 3: 'flag' }) },
    5: 'i64',
    6: 'i64',
    7: 'i16',
  },
  [1, 3],
)

const footer = struct(
  {
    1: 'i32',
    2: { many: schemaElement },
    3: 'i64',
    4: { many: rowGroup },
    5: { many: keyValue },
    6: 'bytes',
  },
  [2, 3, 4],
)

const pageHeader = struct(
  {
    1: 'i32',
    2: 'i32',
    3: 'i32',
    4: 'i32',
    5: struct({ 1: 'i32', 2: 'i32', 3: 'i32', 4: 'i32', 5: statistics }, [1, 2]),
    7: struct({ 1: 'i32', 2: 'i32', 3: 'flag' }, [1]),
    8: struct(
      { 1: 'i32', 2: 'i32', 3: 'i32', 4: 'i32', 5: 'i32', 6: 'i32', 7: 'flag', 8: statistics },
      [1, 2, 4, 5, 6],
    ),
  },
  [1, 2, 3],
)

/**
 * Maximum length of a decimal in the statistics, in bytes, because the time of hyparquet's conversion grows with its
 * square.
 */
const LONGEST_DECIMAL_STATISTIC = 1024

/** A structure describes data that is encrypted. */
export class EncryptedError extends Error {}

/** Checks a footer, which must end within its bytes. @returns where the list of its row groups lies */
export function checkFooterShape(bytes: Uint8Array): { from: number; to: number } {
  const walk = createWalk(bytes, 0)
  walk.walkStruct(footer, 0)
  if (walk.hasDecimals() && walk.longestStatistic() > LONGEST_DECIMAL_STATISTIC)
    throw new Error('its statistics are longer than any decimal')
  return walk.rowGroups()
}

/** Checks a page header. @returns the offset of the first byte after it */
export function checkPageHeaderShape(bytes: Uint8Array, offset: number): number {
  const walk = createWalk(bytes, offset)
  walk.walkStruct(pageHeader, 0)
  return walk.end()
}

/** Deepest nesting allowed; Parquet's own structures nest six deep. */
const DEEPEST = 32
const LAST_FIELD = 32_767
/** Number of a schema element's field for the converted type. */
const CONVERTED_TYPE = 6
/** Value of the field for the converted type that stands for a decimal. */
const DECIMAL = 10
/** Number of a footer's field for the row groups. */
const ROW_GROUPS = 4
/** Numbers of a column chunk's fields that say with which key it is encrypted, and hold its encrypted description. */
const ENCRYPTION_FIELDS: readonly number[] = [8, 9]
/** Bytes of the longest encoding of a 32-bit integer, with seven bits per byte. */
const LONGEST_INT = 5
/** Bytes of the longest encoding of a 64-bit integer. */
const LONGEST_LONG = 10

/**
 * Type codes of the compact protocol. A boolean field has its value in the type; in a list, a boolean takes one byte.
 */
const wireTypes = {
  stop: 0,
  true: 1,
  false: 2,
  i8: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  bytes: 8,
  list: 9,
  struct: 12,
} as const

const wireTypeByShape = {
  flag: wireTypes.true,
  i8: wireTypes.i8,
  i16: wireTypes.i16,
  i32: wireTypes.i32,
  i64: wireTypes.i64,
  double: wireTypes.double,
  bytes: wireTypes.bytes,
}

function isOfShape(type: number, shape: Shape): boolean {
  if (shape === 'flag') return type === wireTypes.true || type === wireTypes.false
  if (typeof shape === 'string') return type === wireTypeByShape[shape]
  return type === ('many' in shape ? wireTypes.list : wireTypes.struct)
}

function createWalk(bytes: Uint8Array, start: number) {
  let at = start
  let hasDecimals = false
  let longestStatistic = 0
  let rowGroups = { from: 0, to: 0 }

  function nextByte(): number {
    if (at >= bytes.length) throw new Error('a structure ends too late')
    return bytes[at++]
  }

  function skip(count: number): void {
    if (count > bytes.length - at) throw new Error('a value is longer than the bytes that are left')
    at += count
  }

  function readVarint(longest: number): number {
    // Nearly all numbers in these structures take one byte.
    if (at < bytes.length && bytes[at] < 0x80) return bytes[at++]
    let value = 0
    let scale = 1
    for (let index = 0; index < longest; index++, scale *= 128) {
      const byte = nextByte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new Error('a number is longer than any can be')
  }

  function walkValue(type: number, shape: Shape | undefined, depth: number, isElement: boolean): void {
    if (shape !== undefined && !isOfShape(type, shape)) throw new Error('a field has a value of the wrong type')
    switch (type) {
      case wireTypes.true:
      case wireTypes.false:
        return isElement ? skip(1) : undefined
      case wireTypes.i8:
        return skip(1)
      case wireTypes.i16:
      case wireTypes.i32:
        return void readVarint(LONGEST_INT)
      case wireTypes.i64:
        return void readVarint(LONGEST_LONG)
      case wireTypes.double:
        return skip(8)
      case wireTypes.bytes:
        return skip(readVarint(LONGEST_INT))
      case wireTypes.list:
        return walkList(shape as { many: Shape } | undefined, depth + 1)
      case wireTypes.struct:
        return walkStruct((shape as StructShape | undefined) ?? empty, depth + 1)
      default:
        throw new Error('a field has a type that Parquet does not have')
    }
  }

  function walkList(shape: { many: Shape } | undefined, depth: number): void {
    if (depth > DEEPEST) throw new Error(`structures nest deeper than ${DEEPEST}`)
    const header = nextByte()
    const type = header & 0x0f
    const count = header >> 4 === 15 ? readVarint(LONGEST_INT) : header >> 4
    // Every element takes at least one byte.
    if (count > bytes.length - at) throw new Error('a list claims more elements than there are bytes')
    for (let index = 0; index < count; index++) walkValue(type, shape?.many, depth, true)
  }

  function walkStruct(shape: StructShape, depth: number): void {
    if (depth > DEEPEST) throw new Error(`structures nest deeper than ${DEEPEST}`)
    let field = 0
    let seenFields = 0
    for (;;) {
      const header = nextByte()
      const type = header & 0x0f
      if (type === wireTypes.stop) break
      const delta = header >> 4
      field = delta > 0 ? field + delta : unzigzag(readVarint(LONGEST_INT))
      if (field < 1 || field > LAST_FIELD) throw new Error('a field has a number that no field has')
      if (field < 32) seenFields |= 1 << field
      if (shape === columnChunk && ENCRYPTION_FIELDS.includes(field)) throw new EncryptedError('a column is encrypted')
      const valueStart = at
      walkValue(type, shape.fields[field], depth, false)
      if (shape === statistics) longestStatistic = Math.max(longestStatistic, at - valueStart)
      if (shape === schemaElement && field === CONVERTED_TYPE) hasDecimals ||= bytes[valueStart] === DECIMAL
      if (shape === footer && field === ROW_GROUPS) rowGroups = { from: valueStart, to: at }
    }
    if ((seenFields & shape.required) !== shape.required) throw new Error('a field is missing that every file has')
  }

  return {
    walkStruct,
    end: () => at,
    hasDecimals: () => hasDecimals,
    longestStatistic: () => longestStatistic,
    rowGroups: () => rowGroups,
  }
}

const unzigzag = (value: number) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2)
