import type { IdKind } from '#shared/catalog/portfolioEndpoints.ts'
import { adjustments, samplings, seasonalityKeys, type StudyKind } from '#shared/lab/studyDocument.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import { labText } from '../../text/lab.ts'

/** One field of the question: its control, and the default that applies while it is empty. */
export interface QuestionField {
  name: string
  control: 'formula' | 'text' | 'number' | 'numbers' | 'choice' | 'toggle'
  byDefault: string | number | boolean | readonly number[] | null
  choices?: readonly string[]
  /** Kinds of identifiers of the portfolio service that a text may be, which are offered while it is typed. */
  suggests?: readonly IdKind[]
  /** Unit that may be typed behind the number. */
  unit?: 'fraction' | 'bps'
  /** True for a formula that may be a number alone, which is then kept as a number. */
  orNumber?: boolean
}

const price: QuestionField = { name: 'price', control: 'formula', byDefault: 'close' }
const delay: QuestionField = { name: 'delayBars', control: 'number', byDefault: 1 }
const value: QuestionField = { name: 'value', control: 'formula', byDefault: 'diff(log(close))' }

/** Fields of each kind: those that are the question come first, options after. */
export const kindFields: Record<StudyKind, { main: readonly QuestionField[]; options: readonly QuestionField[] }> = {
  signal: {
    main: [
      { name: 'signal', control: 'formula', byDefault: null },
      { name: 'horizons', control: 'numbers', byDefault: [1, 4, 24] },
    ],
    options: [
      price,
      delay,
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
      price,
      delay,
      { name: 'edge', control: 'toggle', byDefault: true },
      { name: 'cooldownBars', control: 'number', byDefault: 0 },
      { name: 'adjust', control: 'choice', byDefault: 'none', choices: adjustments },
    ],
  },
  leadlag: {
    main: [value, { name: 'maxLag', control: 'number', byDefault: 12 }],
    options: [{ name: 'reference', control: 'text', byDefault: null }],
  },
  seasonality: {
    main: [value, { name: 'by', control: 'choice', byDefault: 'hourWeekday', choices: seasonalityKeys }],
    options: [{ name: 'center', control: 'toggle', byDefault: false }],
  },
}

export const rangeFields: readonly QuestionField[] = [
  { name: 'interval', control: 'text', byDefault: null },
  { name: 'start', control: 'text', byDefault: null },
  { name: 'end', control: 'text', byDefault: null },
]

/** Defaults of formulas where the rows come from the cache. */
const cacheDefaults: Readonly<Record<string, string>> = { price: 'ohlcv.close', value: 'diff(log(ohlcv.close))' }

export const defaultOf = ({ name, byDefault }: QuestionField, isCached: boolean): QuestionField['byDefault'] =>
  (isCached ? cacheDefaults[name] : undefined) ?? byDefault

const { question: text, choices } = labText

export function defaultText(field: QuestionField, isCached: boolean): string {
  const current = defaultOf(field, isCached)
  if (current === null) return ''
  if (typeof current === 'boolean') return current ? text.yes : text.no
  if (typeof current === 'object') return current.join(', ')
  return typeof current === 'string' ? (choices[current] ?? current) : String(current)
}

/** Writes the value of a field as text for its control; a value of another type shows as JSON. */
export function fieldText(current: unknown): string {
  if (current === undefined || current === null) return ''
  if (Array.isArray(current)) return current.join(', ')
  return typeof current === 'string' ? current : JSON.stringify(current)
}

/** Units that a user may write behind the number of a field, and what they are divided by. */
const typedUnits = { fraction: { shape: /\s*%$/, divisor: 100 }, bps: { shape: /\s*bps?$/i, divisor: 1 } } as const

/** Reads a number as it is typed, such as `1 000 000`, `250k`, or with the unit of its field `20 %` or `5 bps`. */
function typedNumber(text: string, unit: QuestionField['unit']): number | null {
  const { shape, divisor } = unit ? typedUnits[unit] : { shape: null, divisor: 1 }
  if (!shape?.test(text)) return parseNumber(text)
  const number = parseNumber(text.replace(shape, ''))
  return number === null ? null : number / divisor
}

/** Splits a list at commas or semicolons, and else at spaces, which may also group the digits of a number. */
const listParts = (text: string): string[] =>
  text
    .split(/[,;]/.test(text) ? /[,;]/ : /\s+/)
    .flatMap((part) => (parseNumber(part) === null ? part.split(/\s+/) : [part.trim()]))
    .filter(Boolean)

/**
 * Reads the text of a control as the value of a field; undefined for an empty one, which takes its default. What is not a
 * number stays text, so that the check names the field.
 */
export function fieldValue(
  { control, orNumber, unit }: Pick<QuestionField, 'control' | 'orNumber' | 'unit'>,
  written: string,
): unknown {
  const trimmed = written.trim()
  if (trimmed === '') return undefined
  if (control === 'number' || orNumber) return typedNumber(trimmed, unit) ?? trimmed
  if (control !== 'numbers') return trimmed
  return listParts(trimmed).map((part) => parseNumber(part) ?? part)
}

/** Fields that messages on other fields name, as a document writes them. */
const namedFields = /\b(after|than) (start|rebalance\.every)\b/

/** Writes the labels of the form for the names that fields have in a document. */
export const withLabels = (message: string): string =>
  message.replace(namedFields, (_, before: string, name: string) => `${before} “${labText.fields[name].label}”`)
