import { parseDay } from '#shared/time.ts'
import { parseDecimal } from '#shared/units/numbers.ts'
import { parseInstant } from './studyRange.ts'

/** How the cells of tables in text files are read: panels and one's own datasets. */

const wholeNumberPattern = /^-?\d+$/
const missingNumberPattern = /^[+-]?(?:nan|null|inf|infinity)$/i
const utcOffsetPattern = /\+00:00$/

export const isWholeNumber = (text: string): boolean => wholeNumberPattern.test(text)

/** Parses an instant in UTC such as `2026-03-01 12:00`, or a day as its midnight; null for other text. */
const parseUtcInstant = (text: string): number | null =>
  parseInstant(text.replace(utcOffsetPattern, 'Z').replace(/^(.{10}) /, '$1T'))

/** Parses an instant or a day as `parseUtcInstant` does; an instant without a zone is in UTC too. */
export const parseZonelessInstant = (text: string): number | null =>
  parseUtcInstant(text) ?? (/\d:\d\d(?:\.\d+)?$/.test(text) ? parseUtcInstant(`${text}Z`) : null)

/** Parses integer milliseconds, or a time such as `2026-03-01T12:00Z`; null if the text is neither. */
export function parsePanelTime(text: string): number | null {
  if (isWholeNumber(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : null
  return parseDay(text) === null ? parseUtcInstant(text) : null
}

/** Parses a number, or NaN where one is missing; null for any other cell. */
export function parsePanelNumber(text: string): number | null {
  const trimmed = text.trim()
  const number = parseDecimal(trimmed)
  if (number !== null) return number
  return trimmed === '' || missingNumberPattern.test(trimmed) ? NaN : null
}
