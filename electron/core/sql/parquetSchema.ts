import type { SchemaColumn } from '#core/parquet/zstdWriter.ts'
import type { StoredType } from './storedValues.ts'

type Repetition = 'OPTIONAL' | 'REQUIRED'

/** Describes a column for the Parquet writer: an element, followed by those of its parts if it is nested. */
export function parquetElements(name: string, type: StoredType, repetition: Repetition = 'OPTIONAL'): SchemaColumn[] {
  const common = { name, repetition_type: repetition }
  if (type.kind === 'list')
    return [
      { ...common, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...parquetElements('element', type.items),
    ]
  if (type.kind === 'map')
    return [
      { ...common, converted_type: 'MAP', num_children: 1 },
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      ...parquetElements('key', type.key, 'REQUIRED'),
      ...parquetElements('value', type.value),
    ]
  if (type.kind === 'struct')
    return [
      { ...common, num_children: type.fields.length },
      ...type.fields.flatMap((field) => parquetElements(field.name, field.type)),
    ]
  return [{ ...common, ...plainElement(type) }]
}

/** Bytes of a decimal of 38 digits. */
const DECIMAL_BYTES = 16

function plainElement(type: StoredType): Omit<SchemaColumn, 'name'> {
  switch (type.kind) {
    case 'boolean':
      return { type: 'BOOLEAN' }
    case 'integer':
      return {
        type: type.bits === 64 ? 'INT64' : 'INT32',
        ...(!(type.isSigned && type.bits >= 32) && {
          converted_type: `${type.isSigned ? 'INT' : 'UINT'}_${type.bits}` as const,
        }),
      }
    case 'decimal': {
      const { width: precision, scale } = type
      const common = { converted_type: 'DECIMAL' as const, precision, scale }
      if (precision > 18) return { ...common, type: 'FIXED_LEN_BYTE_ARRAY', type_length: DECIMAL_BYTES }
      return { ...common, type: precision > 9 ? 'INT64' : 'INT32' }
    }
    case 'float':
      return { type: 'FLOAT' }
    case 'double':
      return { type: 'DOUBLE' }
    case 'day':
      return { type: 'INT32', converted_type: 'DATE' }
    case 'instant':
    case 'timeOfDay': {
      const meaning = type.kind === 'instant' ? 'TIMESTAMP' : 'TIME'
      const unit = type.unit === 'nanos' ? 'NANOS' : 'MICROS'
      return {
        type: 'INT64',
        ...(unit === 'MICROS' && { converted_type: `${meaning}_MICROS` as const }),
        logical_type: { type: meaning, isAdjustedToUTC: true, unit },
      }
    }
    case 'bytes':
      return { type: 'BYTE_ARRAY' }
    default:
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
  }
}

/** Tells whether a type has doubles or floats among its parts. */
export function hasFloats(type: StoredType): boolean {
  if (type.kind === 'list') return hasFloats(type.items)
  if (type.kind === 'map') return hasFloats(type.key) || hasFloats(type.value)
  if (type.kind === 'struct') return type.fields.some((field) => hasFloats(field.type))
  return type.kind === 'double' || type.kind === 'float'
}
