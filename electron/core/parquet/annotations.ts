import type { LogicalType, ParquetType, SchemaElement } from 'hyparquet'
import { isDecimal } from './decimals.ts'

const byteStrings: readonly ParquetType[] = ['BYTE_ARRAY']
const decimals: readonly ParquetType[] = ['INT32', 'INT64', 'BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY']
const fixedBytes: readonly ParquetType[] = ['FIXED_LEN_BYTE_ARRAY']
const int32: readonly ParquetType[] = ['INT32']
const int64: readonly ParquetType[] = ['INT64']

/** The physical types that a converted type may annotate. */
const typesByConverted: Readonly<Record<string, readonly ParquetType[]>> = {
  UTF8: byteStrings,
  ENUM: byteStrings,
  JSON: byteStrings,
  BSON: byteStrings,
  DECIMAL: decimals,
  INTERVAL: fixedBytes,
  DATE: int32,
  TIME_MILLIS: int32,
  TIME_MICROS: int64,
  TIMESTAMP_MILLIS: int64,
  TIMESTAMP_MICROS: int64,
  INT_8: int32,
  INT_16: int32,
  INT_32: int32,
  INT_64: int64,
  UINT_8: int32,
  UINT_16: int32,
  UINT_32: int32,
  UINT_64: int64,
}

/** Returns the physical types that a logical type may annotate; undefined if it may annotate any. */
function typesOfLogical(logical: LogicalType): readonly ParquetType[] | undefined {
  switch (logical.type) {
    case 'STRING':
    case 'ENUM':
    case 'JSON':
    case 'BSON':
      return byteStrings
    case 'DECIMAL':
      return decimals
    case 'DATE':
      return int32
    case 'TIME':
      return logical.unit === 'MILLIS' ? int32 : int64
    case 'TIMESTAMP':
      return int64
    case 'INTEGER':
      return logical.bitWidth === 64 ? int64 : int32
    case 'UUID':
    case 'FLOAT16':
      return fixedBytes
    default:
      return undefined
  }
}

/**
 * Checks that the values of a column can be what its converted type says, and removes a logical type that its values
 * cannot have; Arrow and DuckDB refuse the file in the first case and ignore the logical type in the second.
 */
export function checkAnnotations(element: SchemaElement): void {
  const { type, converted_type: converted, logical_type: logical } = element
  if (type === undefined) return
  const canBe = (types: readonly ParquetType[] | undefined) => types === undefined || types.includes(type)
  if (!canBe(typesByConverted[converted ?? ''])) throw new Error(`a column of ${type} claims to be ${converted}`)
  if (logical && !canBe(typesOfLogical(logical))) delete element.logical_type
  if (isDecimal(element)) checkDigits(element)
}

function checkDigits({ precision, scale, logical_type: logical }: SchemaElement): void {
  const [digits = 0, decimals = 0] =
    logical?.type === 'DECIMAL' ? [logical.precision, logical.scale] : [precision, scale]
  if (!(digits >= 1 && decimals >= 0 && decimals <= digits))
    throw new Error(`a decimal claims to have ${digits} digits, ${decimals} of them after the point`)
}
