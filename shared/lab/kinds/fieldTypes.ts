import { parseDay, parseDuration, parseInterval } from '#shared/time.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { StudyError } from '../studyError.ts'
import { parseInstant } from '../studyRange.ts'
import { type Fields, type FieldType, hasDefault, readFields, type Values } from './field.ts'

/** Allows null beside a type. */
export const orNull = <Value>(type: FieldType<Value>): FieldType<Value | null> => ({
  ...type,
  allowsNone: true,
  read: (value, path) => (value === null ? null : type.read(value, path)),
  schema: { anyOf: [type.schema, { type: 'null' }] },
})

export const text: FieldType<string> = {
  read(value, path) {
    if (typeof value !== 'string') throw new StudyError(path, 'must be text.')
    if (value === '') throw new StudyError(path, 'must not be empty.')
    return value
  },
  schema: { type: 'string', minLength: 1 },
  control: 'text',
}

export const formula: FieldType<string> = { ...text, control: 'formula' }

/** A text that must be understood. */
const textWhere = (isRight: (text: string) => boolean, description: string): FieldType<string> => ({
  read(value, path) {
    if (typeof value === 'string' && isRight(value)) return value
    throw new StudyError(path, `must be ${description}.`)
  },
  schema: { type: 'string', description },
  control: 'text',
})

export const interval = textWhere(
  (text) => parseInterval(text) !== null,
  'an interval that divides a day, such as 15m, 1h or 1d',
)
export const instant = textWhere(
  (text) => parseInstant(text) !== null,
  'a UTC day such as 2026-03-01 or an instant such as 2026-03-01T12:00Z',
)
export const duration = textWhere((text) => parseDuration(text) !== null, 'a duration such as 30m, 8h or 7d')
export const utcDay = textWhere((text) => parseDay(text) !== null, 'a UTC day such as 2026-03-01')

const numberWhere = (
  isRight: (value: number) => boolean,
  description: string,
  schema: FieldType['schema'],
): FieldType<number> => ({
  read(value, path) {
    if (typeof value === 'number' && Number.isFinite(value) && isRight(value)) return value
    throw new StudyError(path, `must be a ${description}.`)
  },
  schema,
  control: 'number',
})

export const finiteNumber = numberWhere(() => true, 'number', { type: 'number' })

export const wholeNumber = (least: number, most: number): FieldType<number> =>
  numberWhere(
    (value) => Number.isInteger(value) && value >= least && value <= most,
    `whole number from ${least} to ${most}`,
    { type: 'integer', minimum: least, maximum: most },
  )

export const numberFrom = (least: number, most = Infinity): FieldType<number> =>
  numberWhere(
    (value) => value >= least && value <= most,
    `number from ${least}${most === Infinity ? '' : ` to ${most}`}`,
    { type: 'number', minimum: least, ...(most < Infinity && { maximum: most }) },
  )

export const numberAbove = (bound: number, most = Infinity): FieldType<number> =>
  numberWhere(
    (value) => value > bound && value <= most,
    `number above ${bound}${most === Infinity ? '' : `, at most ${most}`}`,
    { type: 'number', exclusiveMinimum: bound, ...(most < Infinity && { maximum: most }) },
  )

const blockCount = wholeNumber(2, 16)
export const evenBlocks: FieldType<number> = {
  ...blockCount,
  read(value, path) {
    const blocks = blockCount.read(value, path)
    if (blocks % 2 === 0) return blocks
    throw new StudyError(path, 'must be even.')
  },
  schema: { ...blockCount.schema, multipleOf: 2 },
}

export const flag: FieldType<boolean> = {
  read(value, path) {
    if (typeof value !== 'boolean') throw new StudyError(path, 'must be true or false.')
    return value
  },
  schema: { type: 'boolean' },
  control: 'toggle',
}

export const oneOf = <const Value extends string | number>(values: readonly Value[]): FieldType<Value> => ({
  read(value, path) {
    const found = values.find((one) => one === value)
    if (found !== undefined) return found
    throw new StudyError(path, `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}.`)
  },
  schema: { enum: values },
})

/** One of some words, with the labels by which a form offers them. */
export const choice = <Value extends string>(labels: Readonly<Record<Value, string>>): FieldType<Value> => ({
  ...oneOf(Object.keys(labels) as Value[]),
  control: 'choice',
  choices: labels,
})

const listWhere = <Value>(
  type: FieldType<Value>,
  most: number,
  check: (values: readonly Value[]) => string | null,
): FieldType<Value[]> => ({
  read(value, path) {
    if (!Array.isArray(value) || value.length === 0) throw new StudyError(path, 'must be a list that is not empty.')
    if (value.length > most) throw new StudyError(path, `must have at most ${most} entries.`)
    const entries = value.map((one, at) => type.read(one, `${path}[${at}]`))
    const problem = check(entries)
    if (problem !== null) throw new StudyError(path, problem)
    return entries
  },
  schema: { type: 'array', items: type.schema, minItems: 1, ...(most < Infinity && { maxItems: most }) },
  ...(type.control === 'number' && { control: 'numbers' }),
  ...(type.control === 'formula' && { control: 'formulas' }),
})

const duplicateIn = (values: readonly unknown[]): string | null =>
  new Set(values).size < values.length ? 'contains a duplicate.' : null

/** A list of at least one entry; duplicates are allowed. */
export const repeatableListOf = <Value>(type: FieldType<Value>, most = Infinity): FieldType<Value[]> =>
  listWhere(type, most, () => null)

export const listOf = <Value>(type: FieldType<Value>, most = Infinity): FieldType<Value[]> =>
  listWhere(type, most, duplicateIn)

export const ascendingListOf = (type: FieldType<number>, most: number): FieldType<number[]> =>
  listWhere(type, most, (values) => {
    const isAscending = values.every((one, at) => at === 0 || one > values[at - 1])
    return duplicateIn(values) ?? (isAscending ? null : 'must be ascending.')
  })

export const record = <const Table extends Fields>(fields: Table): FieldType<Values<Table>> => ({
  read(value, path) {
    if (!isRecord(value)) throw new StudyError(path, 'must be an object.')
    return readFields(value, fields, { prefix: `${path}.` })
  },
  schema: objectSchema(fields),
  fields,
})

/** An object whose keys the user chooses. */
export const dictionary = <Value>(
  type: FieldType<Value>,
  { of, checkName }: { of: string; checkName(name: string, path: string): void },
  least = 0,
): FieldType<Record<string, Value>> => ({
  read(value, path) {
    if (!isRecord(value) || Object.keys(value).length < least)
      throw new StudyError(path, `must be an object of lists of ${of}.`)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        checkName(name, path)
        return [name, type.read(one, `${path}.${name}`)]
      }),
    )
  },
  schema: { type: 'object', additionalProperties: type.schema, ...(least > 0 && { minProperties: least }) },
})

/** Describes fields in JSON Schema, with the defaults for rows of the cache. */
export function objectSchema(fields: Fields): Record<string, unknown> {
  const properties = Object.entries(fields).map(([name, { type, label, help, byDefault, cacheDefault }]) => {
    const shownDefault = cacheDefault ?? byDefault
    const description = [help, type.schema.description && `It is ${String(type.schema.description)}.`]
    return [
      name,
      {
        ...type.schema,
        title: label,
        description: description.filter(Boolean).join(' '),
        ...(shownDefault !== undefined && { default: shownDefault }),
      },
    ]
  })
  const required = Object.entries(fields).flatMap(([name, field]) => (hasDefault(field, true) ? [] : [name]))
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, unknown>,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}
