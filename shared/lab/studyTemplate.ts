import { isRecord } from '#shared/schemas/isRecord.ts'
import { documentTemplate, fieldText } from './describeFields.ts'
import type { Field, Fields } from './kinds/field.ts'
import type { ReadyPlace } from './kinds/readyGround.ts'
import { kindFacts, kindName, type LabKind } from './kinds.ts'
import { readyStudiesOn } from './readyStudies.ts'
import { recipeSentences, sentenceText } from './recipe.ts'

const COMMENT_WIDTH = 100
const LONGEST_LINE = 110

/** Creates a document of a kind with every field, which runs on a connection as it is: a ready-made study and the defaults. */
export function studyTemplate(kind: LabKind, place: ReadyPlace): Record<string, unknown> {
  const { studies, test } = readyStudiesOn(place)
  const ready = [...studies, test].find(({ document }) => document.kind === kind)
  const template = documentTemplate(kind, place.venue === null ? [] : [place.venue])
  return ready ? overlaid(kindFacts(kind).fields, template, ready.document) : template
}

/** Puts what a document says over a template; an object with fields of its own is merged. */
function overlaid(
  fields: Fields,
  template: Record<string, unknown>,
  document: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const valueOf = (name: string, usual: unknown) => {
    const { type, byDefault } = fields[name]
    const given = document[name]
    const isMerged = type.fields && isRecord(usual) && isRecord(given) && hasNoOwnDefault(byDefault)
    return isMerged ? overlaid(type.fields ?? {}, usual, given) : (given ?? usual)
  }
  return Object.fromEntries(Object.entries(template).map(([name, usual]) => [name, valueOf(name, usual)]))
}

/** An object without a default of its own has those of its fields. */
const hasNoOwnDefault = (byDefault: unknown): boolean =>
  byDefault === null || (isRecord(byDefault) && Object.keys(byDefault).length === 0)

/** Writes a document as JSON with a comment above each field: what it is, what it may be and its default. */
export function commentedDocument(kind: LabKind, document: Record<string, unknown>): string[] {
  const { fields, description } = kindFacts(kind)
  const [lead] = recipeSentences(document)
  return [
    ...commentLines(`${kindName(kind)}: ${description}`, ''),
    ...commentLines(sentenceText(lead), ''),
    ...commentLines(
      'Comments may stay: “perpscope study run” reads past them. A field may be left out for its default.',
      '',
    ),
    ...objectLines(fields, document, ''),
  ]
}

function objectLines(fields: Fields, values: Readonly<Record<string, unknown>>, indent: string): string[] {
  const inner = `${indent}  `
  const names = Object.keys(values)
  const lines = names.flatMap((name, at) => {
    const field = fields[name]
    const value = valueLines(field, values[name], inner)
    value[0] = `${inner}${JSON.stringify(name)}: ${value[0]}`
    if (at < names.length - 1) value[value.length - 1] += ','
    return [...commentLines(commentOf(field, values[name]), inner), ...value]
  })
  return ['{', ...lines, `${indent}}`]
}

/** An object that is absent names the fields that it would have. */
const commentOf = (field: Field, value: unknown): string =>
  field.type.fields && value === null
    ? `${field.help} (null, or an object with ${Object.keys(field.type.fields).join(', ')})`
    : fieldText(field)

function valueLines(field: Field, value: unknown, indent: string): string[] {
  if (field.type.fields && isRecord(value)) return objectLines(field.type.fields, value, indent)
  const line = JSON.stringify(value)
  if (line.length <= LONGEST_LINE) return [line]
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((each, at) => (at === 0 ? each : indent + each))
}

function commentLines(text: string, indent: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > COMMENT_WIDTH) lines.push(`${indent}// ${word}`)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}
