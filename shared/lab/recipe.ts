import {
  defaultOf,
  type Field,
  fieldAround,
  type Fields,
  fieldsWithin,
  isRecord,
  type PlacedField,
  valueAt,
  type WrittenStudy,
} from './kinds/field.ts'
import { phraseOf } from './kinds/phrases.ts'
import { kindFacts, kindOf } from './kinds.ts'
import { parseDocument } from './parseStudy.ts'

/** A piece of a sentence. One with a field is what this field of the document says: a face shows it bold. */
interface RecipePart {
  text: string
  /** Place in the document, such as `costs.feeBps`. */
  field?: string
}

/** A sentence of a recipe: what the document does, or what a part of it has that differs from the default. */
interface RecipeSentence {
  /** Null for the sentence that leads. */
  title: string | null
  /** Empty if nothing differs. */
  parts: RecipePart[]
  /** Places in the document of all fields that belong here. */
  fields: string[]
}

const foldTitles = ['Universe', 'Costs', 'Holdout and walk-forward', 'Advanced'] as const
type FoldTitle = (typeof foldTitles)[number]

function foldOf({ path, group }: PlacedField): FoldTitle {
  if (/^(holdout|walkForward|parameters|pbo)\b/.test(path)) return 'Holdout and walk-forward'
  if (path.startsWith('source.')) return 'Universe'
  return group === 'costs' ? 'Costs' : 'Advanced'
}

/** Fields that say nothing of what a document does. */
const unspoken = new Set(['version', 'kind', 'name'])

/**
 * Says what a document does, as sentences: the first names what leads, each further one a part of the fields and what
 * of it differs from the defaults. A field that is missing or of a wrong type does not matter: it is shown as written,
 * or as `…`. Empty if the document names no kind.
 */
export function recipeSentences(document: WrittenStudy): RecipeSentence[] {
  const kind = kindOf(document)
  if (kind === null) return []
  const { fields, recipe } = kindFacts(kind)
  const lead = leadingParts(recipe, fields, document)
  const said = new Set(lead.flatMap(({ field }) => (field === undefined ? [] : [field, `${field}.`])))
  const isSaid = (path: string) =>
    [...said].some((each) => path === each || (each.endsWith('.') && path.startsWith(each)))
  const rest = fieldsWithin(fields).filter(({ path }) => !unspoken.has(path) && !isSaid(path))
  const filled = filledIn(document, fields)
  const folds = foldTitles.map((title) => {
    const folded = rest.filter((field) => foldOf(field) === title)
    const differing = folded.flatMap((field) => differingPart(field, document, filled))
    return { title, parts: asSentence(differing), fields: folded.map(({ path }) => path) }
  })
  const leading = { title: null, parts: lead, fields: lead.flatMap(({ field }) => field ?? []) }
  return [leading, ...folds.filter((fold) => fold.fields.length > 0)]
}

/** Writes a sentence as plain text, with `mark` around what fields say. */
export const sentenceText = (
  { title, parts }: RecipeSentence,
  mark: (text: string) => string = (text) => text,
): string =>
  `${title === null ? '' : `${title}: `}${parts.map(({ text, field }) => (field === undefined ? text : mark(text))).join('')}`

function leadingParts(recipe: string, fields: Fields, document: WrittenStudy): RecipePart[] {
  return recipe.split(/(\{[\w.]+\})/).flatMap((piece): RecipePart[] => {
    if (!piece.startsWith('{')) return piece === '' ? [] : [{ text: piece }]
    const path = piece.slice(1, -1)
    return path === 'source' ? sourceParts(fields, document) : [partAt(path, fields, document)]
  })
}

function sourceParts(fields: Fields, document: WrittenStudy): RecipePart[] {
  if (!isRecord(document.source)) return [{ text: 'the rows of a panel', field: 'source' }]
  return [partAt('source.symbols', fields, document), { text: ' of ' }, partAt('source.exchanges', fields, document)]
}

const partAt = (path: string, fields: Fields, document: WrittenStudy): RecipePart => {
  const field = fieldAround(fields, path)
  const value = valueAt(document, path)
  const shown = value === undefined && field ? usualValue(field, path, fields, document) : value
  return { text: field ? phraseOf(field, shown, document) : path, field: path }
}

/** Default of a field: of its own, or that of the object around it. */
function usualValue(field: Field, path: string, fields: Fields, document: WrittenStudy): unknown {
  const placed = fieldsWithin(fields).find((each) => each.path === path) ?? field
  return defaultOf(placed, isRecord(document.source))
}

/** Fills in the defaults that follow from other fields; empty if the document cannot be read. */
function filledIn(document: WrittenStudy, fields: Fields): WrittenStudy {
  const follows = ([name]: [string, unknown]) =>
    Object.hasOwn(fields, name) && 'byDefault' in fields[name] && fields[name].byDefault === undefined
  const bare = Object.fromEntries(Object.entries(document).filter((entry) => !follows(entry)))
  try {
    return parseDocument(bare, { fromCache: isRecord(document.source) }) as unknown as WrittenStudy
  } catch {
    return {}
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

function differingPart(field: PlacedField, document: WrittenStudy, filled: WrittenStudy): RecipePart[][] {
  const value = valueAt(document, field.path)
  if (value === undefined || field.applies?.(document) === false) return []
  const usual =
    defaultOf(field, isRecord(document.source)) ?? (field.path in filled ? filled[field.path] : field.example)
  if (isSame(value, usual) || (value === null && usual === undefined)) return []
  return [[{ text: `${field.label} ` }, { text: phraseOf(field, value, document), field: field.path }]]
}

const asSentence = (pieces: RecipePart[][]): RecipePart[] =>
  pieces.flatMap((piece, at) => [...piece, { text: at === pieces.length - 1 ? '.' : ', ' }])
