import type { IdKind } from '#shared/catalog/portfolioEndpoints.ts'
import { StudyError } from '../studyError.ts'

/** Description of a value in JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type FieldControl = 'formula' | 'formulas' | 'text' | 'texts' | 'number' | 'numbers' | 'choice' | 'toggle'

/** Type of a field: how its value is read from a document, what it may be, and the control that edits it. */
export interface FieldType<Value = unknown> {
  /** Returns the value, or throws a `StudyError` that names `path`. */
  read(value: unknown, path: string): Value
  schema: JsonSchema
  /** Absent for a value that no single control edits. */
  control?: FieldControl
  /** True if null, which is none, may stand for a value. */
  allowsNone?: true
  /** Choices with their labels. */
  choices?: Readonly<Record<string, string>>
  /** Fields of an object. */
  fields?: Fields
}

/** What reading needs of a field; one without a default is required. */
interface ReadableField<Value = unknown> {
  type: Pick<FieldType<Value>, 'read'>
  byDefault?: unknown
  /** Default for rows of the cache, whose columns are named with their dataset. */
  cacheDefault?: string
}

/** A document as a user writes it; any field may be missing or wrong. */
export type WrittenStudy = Readonly<Record<string, unknown>>

/** Parts of the form: what is asked first, the range, the rows, and the options. */
export type FieldGroup = 'main' | 'range' | 'source' | 'more' | 'weights' | 'trading' | 'costs' | 'luck' | 'grid'

/** A field of a document, as every face describes it. */
export interface Field<Value = unknown> extends ReadableField<Value> {
  type: FieldType<Value>
  label: string
  /** One sentence. */
  help: string
  /** Value in the template of a new document, if the field has no default. */
  example?: unknown
  /** Absent if the form has no field for it, or one made by hand. */
  group?: FieldGroup
  /** Unit of a number, after which `%` (for a fraction) or `bps` may be typed. */
  unit?: 'fraction' | 'bps'
  /** Kinds of portfolio service identifiers that are suggested while typing. */
  suggests?: readonly IdKind[]
  /** Says a value within the sentence of a recipe, such as `24 bars`; where absent, the value speaks for itself. */
  phrase?(value: unknown, study: WrittenStudy): string
  /** Tells whether the field matters to a document as it is written; it always does if this is absent. */
  applies?(study: WrittenStudy): boolean
}

export type Fields = Readonly<Record<string, Field>>

/** The value that is read by fields. */
export type Values<Table extends Readonly<Record<string, ReadableField>>> = {
  -readonly [Name in keyof Table]: Table[Name] extends { type: { read(value: unknown, path: string): infer Value } }
    ? Value
    : never
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the value at a path such as `weights.rule`. */
export const valueAt = (study: WrittenStudy, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), study)

/** Reads the fields of an object, and rejects others with an error that names their path. */
export function readFields<Table extends Readonly<Record<string, ReadableField>>>(
  value: Record<string, unknown>,
  fields: Table,
  { prefix = '', fromCache = false } = {},
): Values<Table> {
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) throw new StudyError(`${prefix}${name}`, 'is not a field of this study.')
  }
  const entries = Object.entries(fields).map(([name, field]) => {
    const path = `${prefix}${name}`
    if (Object.hasOwn(value, name)) return [name, field.type.read(value[name], path)]
    if (!hasDefault(field, fromCache)) throw new StudyError(path, 'is needed.')
    return [name, defaultOf(field, fromCache)]
  })
  return Object.fromEntries(entries) as Values<Table>
}

/** Tells whether a field may be left out; one with a default for cached rows only is needed with a panel. */
export const hasDefault = (field: ReadableField, fromCache: boolean): boolean =>
  'byDefault' in field || (fromCache && field.cacheDefault !== undefined)

/** Default of a field; an object that may be left out has those of its fields. */
export function defaultOf(field: ReadableField, fromCache: boolean): unknown {
  if (fromCache && field.cacheDefault !== undefined) return field.cacheDefault
  const { byDefault } = field
  return isRecord(byDefault) ? field.type.read(byDefault, '') : structuredClone(byDefault)
}

/** A field with its place in the document. */
export interface PlacedField extends Field {
  path: string
}

/**
 * Lists fields in document order, with those of the objects in place of the objects.
 * @param given default of the object around the fields
 */
export function fieldsWithin(fields: Fields, prefix = '', given: unknown = {}): PlacedField[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const byDefault = field.byDefault ?? (isRecord(given) ? given[name] : undefined)
    const path = `${prefix}${name}`
    if (field.type.fields) return fieldsWithin(field.type.fields, `${path}.`, byDefault)
    return [{ ...field, path, ...(byDefault !== undefined && { byDefault }) }]
  })
}

/** Finds the field at a path, or the one around it. */
export function fieldAround(fields: Fields, path: string): Field | null {
  const [name, ...inner] = path.split('.')
  if (!Object.hasOwn(fields, name)) return null
  const field = fields[name]
  return (field.type.fields && inner.length > 0 && fieldAround(field.type.fields, inner.join('.'))) || field
}
