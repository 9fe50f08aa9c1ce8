import { isRecord } from '#shared/schemas/isRecord.ts'
import { type Field, type Fields, fieldsWithin, hasDefault, type JsonSchema } from './kinds/field.ts'
import { objectSchema } from './kinds/fieldTypes.ts'
import { sourceFields } from './kinds/sourceFields.ts'
import { kindFacts, kindName, type LabKind, labKinds } from './kinds.ts'

/** Describes the documents of a kind in JSON Schema. */
export function kindSchema(kind: LabKind): JsonSchema {
  const { fields, description } = kindFacts(kind)
  return { ...objectSchema(fields), title: kindName(kind), description }
}

/** Describes the documents of every kind in JSON Schema, for programs that write them. */
export const documentSchema = (): JsonSchema => ({ oneOf: labKinds.map(kindSchema) })

/** Names the values that a schema allows, such as `a whole number from 2 to 20`. */
export function valuesText(schema: JsonSchema): string {
  const { type, description, enum: values, const: only, anyOf, items, minimum, maximum, exclusiveMinimum } = schema
  if (typeof description === 'string') return description
  if (Array.isArray(anyOf)) return anyOf.map((one) => valuesText(one as JsonSchema)).join(' or ')
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(', ')
  if (only !== undefined) return `\`${String(only)}\``
  if (type === 'array') return `a list: ${valuesText(items as JsonSchema)}`
  if (type === 'boolean') return '`true` or `false`'
  if (type === 'string') return 'a text'
  if (type === 'null') return '`null`'
  if (type === 'object') return 'an object'
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  const from = minimum ?? exclusiveMinimum
  const bounds = [
    from === undefined ? '' : ` ${minimum === undefined ? 'above' : 'from'} ${String(from)}`,
    maximum === undefined ? '' : ` to ${String(maximum)}`,
  ]
  return `${kind}${bounds.join('')}`
}

function defaultText(field: Field): string {
  if (!hasDefault(field, true)) return '; needed'
  const shownDefault = field.cacheDefault ?? field.byDefault
  const panelNote = hasDefault(field, false) ? '' : '; needed with a panel'
  return shownDefault === undefined ? '' : `; default: \`${JSON.stringify(shownDefault)}\`${panelNote}`
}

/** Says what a field is, its values and its default. */
const descriptionOf = (field: Field): string => `${field.help} ${valuesText(field.type.schema)}${defaultText(field)}`

/** Describes a field for a text without formatting. */
export const fieldText = ({ help, type, ...field }: Field): string =>
  type.fields
    ? help
    : `${help} (${valuesText(type.schema)}${defaultText({ help, type, ...field })})`.replaceAll('`', '')

/** Lists fields by their place in the document, each with its help, its values and its default. */
const termsOf = (fields: Fields): [path: string, description: string][] =>
  fieldsWithin(fields).map((field) => [`\`${field.path}\``, descriptionOf(field)])

/** Lists every field of a kind by its place in the document, described without formatting. */
export const kindTerms = (kind: LabKind): [path: string, description: string][] =>
  fieldsWithin(kindFacts(kind).fields).map((field) => [field.path, fieldText(field)])

export const commonTerms = (): [string, string][] => {
  const { version, kind, name, interval, start, end, source } = kindFacts('signal').fields
  const common = { version, kind, name, interval, start, end }
  return [...termsOf(common), ...termsOf({ source: { ...source, type: { ...source.type, fields: sourceFields } } })]
}

/** Lists the fields that a kind has besides those of every kind, and those that mean something else in it. */
export function ownTerms(kind: LabKind): [string, string][] {
  const common = new Set(commonTerms().map(([path]) => path))
  const usualHelp = new Map(fieldsWithin(kindFacts('signal').fields).map(({ path, help }) => [path, help]))
  const ownHelp = new Map(fieldsWithin(kindFacts(kind).fields).map(({ path, help }) => [`\`${path}\``, { path, help }]))
  return termsOf(kindFacts(kind).fields).filter(([term]) => {
    const { path, help } = ownHelp.get(term) ?? { path: '', help: '' }
    return !common.has(term) || (usualHelp.has(path) && usualHelp.get(path) !== help)
  })
}

const templateValue = (field: Field): unknown => {
  const { example, byDefault, cacheDefault, type } = field
  if (example !== undefined) return example
  return isRecord(byDefault) && type.fields && Object.keys(byDefault).length === 0
    ? templateOf(type.fields)
    : (cacheDefault ?? byDefault)
}

const templateOf = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, templateValue(field)]))

/** Creates a document of a kind in which every field stands with its default, or with an example if it has none. */
export function documentTemplate(kind: LabKind, exchanges: readonly string[]): Record<string, unknown> {
  const { fields } = kindFacts(kind)
  if (!Object.hasOwn(fields, 'source')) return templateOf(fields)
  const source = { ...templateOf(fields.source.type.fields ?? {}), exchanges }
  return { ...templateOf(fields), source }
}
