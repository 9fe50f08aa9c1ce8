import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { kindFacts, type LabKind } from '#shared/lab/kinds.ts'
import { type FieldGroup, fieldsWithin, type PlacedField, valueAt, type WrittenStudy } from '#shared/lab/kinds/field.ts'
import { parameterNamesOf } from '#shared/lab/kinds/portfolio/fields.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'

type EditedStudy = LabDocument['study']

/** Changes the value at a path; undefined removes the value, and the objects that become empty. */
export function withValueAt(study: EditedStudy, path: string, value: unknown): EditedStudy {
  const [key, ...rest] = path.split('.')
  const { [key]: before, ...others } = study
  const inner = isRecord(before) ? before : {}
  const now = rest.length === 0 ? value : withValueAt(inner, rest.join('.'), value)
  const isRemoved = now === undefined || (rest.length > 0 && isRecord(now) && Object.keys(now).length === 0)
  if (isRemoved) return others
  return key in study ? { ...study, [key]: now } : { ...others, [key]: now }
}

const EXPOSURE = 'source.exposureBy'
const SCALE = `${EXPOSURE}.scale`

/**
 * Changes a field of the form. Removing an overlay also removes its scale. A new overlay scales by its value, and so
 * does an overlay whose last scale field is cleared.
 */
export function withField(study: EditedStudy, path: string, value: unknown): EditedStudy {
  if (path === `${EXPOSURE}.overlay`) {
    const before = valueAt(study, EXPOSURE)
    const exposure = { scale: 'value', ...(isRecord(before) && before), overlay: value }
    return withValueAt(study, EXPOSURE, value === undefined ? undefined : exposure)
  }
  const changed = withValueAt(study, path, value)
  const isScale = path.startsWith(`${SCALE}.`)
  return isScale && valueAt(changed, SCALE) === undefined ? withValueAt(changed, SCALE, 'value') : changed
}

/**
 * Gives a test the parameters of its signal's placeholders. Their values come from `remembered`, which keeps all values
 * typed so far. A test with parameters also gets a walk-forward; one without loses it.
 */
export function withPlaceholders(study: EditedStudy, remembered: Map<string, unknown>): EditedStudy {
  const before = isRecord(study.parameters) ? study.parameters : {}
  for (const [name, values] of Object.entries(before)) remembered.set(name, values)
  const names = parameterNamesOf(study)
  const parameters = Object.fromEntries(
    names.flatMap((name) => (remembered.has(name) ? [[name, remembered.get(name)]] : [])),
  )
  const { parameters: _parameters, walkForward, ...rest } = study
  if (names.length === 0) return rest
  const hasNumbers = Object.keys(parameters).length > 0
  return { ...rest, ...(hasNumbers && { parameters, walkForward: isRecord(walkForward) ? walkForward : {} }) }
}

/**
 * Changes the kind of a study. Fields that the new kind lacks are dropped because they would be rejected; undo restores
 * them.
 */
export function withKind({ version, study, panel }: LabDocument, kind: LabKind): LabDocument {
  const { fields, comparesClocks } = kindFacts(kind)
  const keptOf = (written: WrittenStudy, names: object) =>
    Object.fromEntries(Object.entries(written).filter(([name]) => Object.hasOwn(names, name)))
  const { source, ...kept } = keptOf(study, fields)
  const keptSource = () => ({
    ...keptOf(source as WrittenStudy, fields.source.type.fields ?? {}),
    ...(!comparesClocks && { against: null }),
  })
  return {
    version,
    study: { ...kept, kind, ...(source !== undefined && { source: isRecord(source) ? keptSource() : source }) },
    panel: panel && !comparesClocks ? { ...panel, against: null } : panel,
  }
}

/** Lists the fields of the form that apply to a study in its present state. */
export const allShownFields = (kind: LabKind, study: WrittenStudy): PlacedField[] =>
  fieldsWithin(kindFacts(kind).fields).filter((field) => field.group !== undefined && (field.applies?.(study) ?? true))

/** Lists those of a part of the form. */
export const shownFields = (kind: LabKind, group: FieldGroup, study: WrittenStudy): PlacedField[] =>
  allShownFields(kind, study).filter((field) => field.group === group)
