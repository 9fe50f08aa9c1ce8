import type { FieldControl, PlacedField } from '#shared/lab/kinds/field.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import { labText } from '../../text/lab.ts'

const { question: text } = labText

export const shownDefault = ({ byDefault, cacheDefault }: PlacedField, usesCachedData: boolean): unknown =>
  (usesCachedData ? cacheDefault : undefined) ?? byDefault

export function defaultText(field: PlacedField, usesCachedData: boolean): string {
  const defaultValue = shownDefault(field, usesCachedData)
  if (typeof defaultValue === 'boolean') return defaultValue ? text.yes : text.no
  const written = fieldText(defaultValue, field.type.control)
  return field.type.choices?.[written] ?? written
}

/** Formats a field's value as text for its control; an unexpected type is shown as JSON. */
export function fieldText(current: unknown, control?: FieldControl): string {
  if (current === undefined || current === null) return ''
  if (Array.isArray(current)) return current.join(control === 'formulas' ? '\n' : ', ')
  return typeof current === 'string' ? current : JSON.stringify(current)
}

/** Units that a user may type after a number, and their divisors. */
const typedUnits = { fraction: { pattern: /\s*%$/, divisor: 100 }, bps: { pattern: /\s*bps?$/i, divisor: 1 } } as const

/** Parses a typed number, such as `1 000 000` or `250k`; it may have the unit of its field, as in `20 %` or `5 bps`. */
function typedNumber(text: string, unit: PlacedField['unit']): number | null {
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

/** Parses the text of a list; entries that are not numbers stay text. */
export const typedList = (text: string): unknown[] => listParts(text).map((part) => parseNumber(part) ?? part)

/** Splits text into its lines that are not empty, because a formula may have commas. */
const typedLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/**
 * Parses a control's text to a field value; undefined for an empty one, which means the default. Text that is not a
 * number stays text, so that the validation names the field.
 */
export function fieldValue({ type, unit }: Pick<PlacedField, 'type' | 'unit'>, typedText: string): unknown {
  const trimmed = typedText.trim()
  if (trimmed === '') return undefined
  if (type.control === 'numbers') return typedList(trimmed)
  if (type.control === 'texts') return trimmed.split(/[\s,;]+/).filter(Boolean)
  if (type.control === 'formulas') return typedLines(trimmed)
  // A formula with a unit may be a plain number.
  return type.control === 'number' || unit ? (typedNumber(trimmed, unit) ?? trimmed) : trimmed
}
