import { isRecord } from '#shared/schemas/isRecord.ts'
import { defaultOf, fieldsWithin, type PlacedField, valueAt, type WrittenStudy } from './kinds/field.ts'
import { phraseOf } from './kinds/phrases.ts'
import { kindFacts, kindOf } from './kinds.ts'

/** A field in which two documents differ, with what each says in few words; null where a document has no such field. */
export interface FieldDifference {
  /** Place in the document, such as `costs.feeBps`. */
  field: string
  label: string
  before: string | null
  after: string | null
}

/** Lists the fields in which two documents differ, by the tables of their kinds; what is left out counts as its default. */
export function documentDifferences(before: WrittenStudy, after: WrittenStudy): FieldDifference[] {
  const [had, has] = [valuesOf(before), valuesOf(after)]
  return [...new Map([...had, ...has]).values()].flatMap(({ field: { path, label } }) => {
    const [a, b] = [had.get(path), has.get(path)]
    if (path === 'name' || JSON.stringify(a?.value) === JSON.stringify(b?.value)) return []
    const [was, now] = [textOf(a, before), textOf(b, after)]
    if (was !== now) return [{ field: path, label, before: was, after: now }]
    return [{ field: path, label, before: writtenOf(a), after: writtenOf(b) }]
  })
}

interface FieldValue {
  field: PlacedField
  value: unknown
}

function valuesOf(document: WrittenStudy): Map<string, FieldValue> {
  const kind = kindOf(document)
  if (kind === null) return new Map()
  return new Map(
    fieldsWithin(kindFacts(kind).fields).map((field) => {
      const value = valueAt(document, field.path)
      if (value === undefined && field.applies?.(document) === false) return [field.path, { field, value }]
      return [field.path, { field, value: value === undefined ? defaultOf(field, isRecord(document.source)) : value }]
    }),
  )
}

function textOf(at: FieldValue | undefined, document: WrittenStudy): string | null {
  if (at === undefined || at.value === undefined) return null
  // The phrase of a signal leaves out its minus, because that of the sides beside it says it.
  const isFormula = at.field.type.control === 'formula' && typeof at.value === 'string'
  return isFormula && at.value !== '' ? writtenOf(at) : phraseOf(at.field, at.value, document)
}

/** Writes a value as the document does, where few words say the same of two that differ. */
const writtenOf = (value: FieldValue | undefined): string | null => {
  if (value?.value === undefined) return null
  return typeof value.value === 'string' ? value.value : JSON.stringify(value.value)
}
