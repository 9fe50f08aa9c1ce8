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
  const [was, now] = [valuesOf(before), valuesOf(after)]
  return [...new Map([...was, ...now]).values()].flatMap(({ field: { path, label } }) => {
    const [a, b] = [was.get(path), now.get(path)]
    if (path === 'name' || JSON.stringify(a?.value) === JSON.stringify(b?.value)) return []
    return [{ field: path, label, before: textOf(a, before), after: textOf(b, after) }]
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

const textOf = (value: FieldValue | undefined, document: WrittenStudy): string | null =>
  value === undefined || value.value === undefined ? null : phraseOf(value.field, value.value, document)
