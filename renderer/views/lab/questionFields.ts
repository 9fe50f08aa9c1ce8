import type { IdKind } from '#shared/catalog/portfolioEndpoints.ts'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import type { LabKind } from '#shared/lab/portfolio/portfolioStudy.ts'
import { adjustments, samplings, seasonalityKeys, type StudyKind } from '#shared/lab/studyDocument.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import { labText } from '../../text/lab.ts'

/** A field of the study form: its control, and the default that applies while it is empty. */
export interface QuestionField {
  name: string
  control: 'formula' | 'text' | 'number' | 'numbers' | 'choice' | 'toggle'
  byDefault: string | number | boolean | readonly number[] | null
  choices?: readonly string[]
  /** Kinds of portfolio service identifiers that are suggested while typing. */
  suggests?: readonly IdKind[]
  /** Unit of the number, after which `%` (for a fraction) or `bps` may be typed. */
  unit?: 'fraction' | 'bps'
  /** True for a formula that may be a plain number, which is then stored as a number. */
  mayBeNumber?: boolean
}

const priceField: QuestionField = { name: 'price', control: 'formula', byDefault: 'close' }
const delayField: QuestionField = { name: 'delayBars', control: 'number', byDefault: 1 }
const valueField: QuestionField = { name: 'value', control: 'formula', byDefault: 'diff(log(close))' }

/** Fields by study kind: the main ones first, then options. */
export const kindFields: Record<StudyKind, { main: readonly QuestionField[]; options: readonly QuestionField[] }> = {
  signal: {
    main: [
      { name: 'signal', control: 'formula', byDefault: null },
      { name: 'horizons', control: 'numbers', byDefault: [1, 4, 24] },
    ],
    options: [
      priceField,
      delayField,
      { name: 'quantiles', control: 'number', byDefault: 5 },
      { name: 'sampling', control: 'choice', byDefault: 'nonOverlapping', choices: samplings },
    ],
  },
  events: {
    main: [
      { name: 'when', control: 'formula', byDefault: null },
      { name: 'before', control: 'number', byDefault: 12 },
      { name: 'after', control: 'number', byDefault: 24 },
    ],
    options: [
      priceField,
      delayField,
      { name: 'edge', control: 'toggle', byDefault: true },
      { name: 'cooldownBars', control: 'number', byDefault: 0 },
      { name: 'adjust', control: 'choice', byDefault: 'none', choices: adjustments },
    ],
  },
  leadlag: {
    main: [valueField, { name: 'maxLag', control: 'number', byDefault: 12 }],
    options: [{ name: 'reference', control: 'text', byDefault: null }],
  },
  seasonality: {
    main: [valueField, { name: 'by', control: 'choice', byDefault: 'hourWeekday', choices: seasonalityKeys }],
    options: [{ name: 'center', control: 'toggle', byDefault: false }],
  },
}

export const rangeFields: readonly QuestionField[] = [
  { name: 'interval', control: 'text', byDefault: null },
  { name: 'start', control: 'text', byDefault: null },
  { name: 'end', control: 'text', byDefault: null },
]

/** Fields that a portfolio test shares with studies of other kinds. */
const sharedWithTests: readonly string[] = ['signal', 'price', 'delayBars']

const rowFields = ['version', 'name', ...rangeFields.map(({ name }) => name)]

/**
 * Changes the kind of a study. Fields that the new kind lacks are dropped because they would be rejected; undo restores
 * them.
 */
export function withKind({ version, study, panel }: LabDocument, kind: LabKind): LabDocument {
  const ownFields =
    kind === 'portfolio'
      ? sharedWithTests
      : Object.values(kindFields[kind]).flatMap((fields) => fields.map(({ name }) => name))
  const kept = [...rowFields, ...ownFields].filter((name) => study[name] !== undefined)
  const { source } = study
  return {
    version,
    study: {
      ...Object.fromEntries(kept.map((name) => [name, study[name]])),
      kind,
      ...(source !== undefined && { source: sourceOfKind(source, kind) }),
    },
    panel: panel && kind !== 'signal' ? { ...panel, against: null } : panel,
  }
}

/** Removes or clears, in a source, the keys that only studies of another kind have. */
function sourceOfKind(source: unknown, kind: LabKind): unknown {
  if (typeof source !== 'object' || source === null) return source
  const { by, against, fundingEvery, exposureBy, ...rows } = source as Record<string, unknown>
  const own =
    kind === 'signal' ? { by, against } : { against: null, ...(kind === 'portfolio' && { fundingEvery, exposureBy }) }
  return Object.fromEntries(Object.entries({ ...rows, ...own }).filter(([, value]) => value !== undefined))
}

/** Default formulas for rows from the cache. */
const cacheDefaults: Readonly<Record<string, string>> = { price: 'ohlcv.close', value: 'diff(log(ohlcv.close))' }

export const defaultOf = ({ name, byDefault }: QuestionField, usesCachedData: boolean): QuestionField['byDefault'] =>
  (usesCachedData ? cacheDefaults[name] : undefined) ?? byDefault

const { question: text, choices } = labText

export function defaultText(field: QuestionField, usesCachedData: boolean): string {
  const defaultValue = defaultOf(field, usesCachedData)
  if (defaultValue === null) return ''
  if (typeof defaultValue === 'boolean') return defaultValue ? text.yes : text.no
  if (typeof defaultValue === 'object') return defaultValue.join(', ')
  return typeof defaultValue === 'string' ? (choices[defaultValue] ?? defaultValue) : String(defaultValue)
}

/** Formats a field's value as text for its control; an unexpected type is shown as JSON. */
export function fieldText(current: unknown): string {
  if (current === undefined || current === null) return ''
  if (Array.isArray(current)) return current.join(', ')
  return typeof current === 'string' ? current : JSON.stringify(current)
}

/** Units that a user may type after a number, and their divisors. */
const typedUnits = { fraction: { pattern: /\s*%$/, divisor: 100 }, bps: { pattern: /\s*bps?$/i, divisor: 1 } } as const

/** Parses a typed number, such as `1 000 000` or `250k`; it may have the unit of its field, as in `20 %` or `5 bps`. */
function typedNumber(text: string, unit: QuestionField['unit']): number | null {
  const { pattern, divisor } = unit ? typedUnits[unit] : { pattern: null, divisor: 1 }
  if (!pattern?.test(text)) return parseNumber(text)
  const number = parseNumber(text.replace(pattern, ''))
  return number === null ? null : number / divisor
}

/** Splits a list at commas or semicolons, or at spaces if it has neither; a space may also group digits. */
const listParts = (text: string): string[] =>
  text
    .split(/[,;]/.test(text) ? /[,;]/ : /\s+/)
    .flatMap((part) => (parseNumber(part) === null ? part.split(/\s+/) : [part.trim()]))
    .filter(Boolean)

/**
 * Parses a control's text to a field value; undefined for an empty one, which means the default. Text that is not a
 * number stays text, so that the validation names the field.
 */
export function fieldValue(
  { control, mayBeNumber, unit }: Pick<QuestionField, 'control' | 'mayBeNumber' | 'unit'>,
  typedText: string,
): unknown {
  const trimmed = typedText.trim()
  if (trimmed === '') return undefined
  if (control === 'number' || mayBeNumber) return typedNumber(trimmed, unit) ?? trimmed
  if (control !== 'numbers') return trimmed
  return listParts(trimmed).map((part) => parseNumber(part) ?? part)
}

/**
 * Matches, after “after” or “than”, the name of a field to which a message compares its own, as written in a document.
 */
const fieldNamePattern = /\b(after|than) (start|rebalance\.every)\b/

/** Replaces field names in a message with the labels of the form. */
export const withLabels = (message: string): string =>
  message.replace(fieldNamePattern, (_, before: string, name: string) => `${before} “${labText.fields[name].label}”`)
