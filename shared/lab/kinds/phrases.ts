import { shortSymbol } from '#shared/catalog/symbols.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { wholeTime } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, firstFew, plainPlural } from '#shared/units/plurals.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { nameShortener } from '../symbolNames.ts'
import type { Field, WrittenStudy } from './field.ts'

/** Stands for what a document does not say yet. */
export const UNSAID = '…'

const percent = (fraction: number) => `${numberPhrase(Number((fraction * 100).toPrecision(12)))} %`

/** Numbers from here on have their thousands apart; years and usual counts have no more digits. */
const LEAST_APART = 10_000

/** Says a number as it is written, a large one with its thousands apart and a tiny one as a power of ten. */
function numberPhrase(value: number): string {
  const written = String(value)
  if (written.includes('e')) return formatNumber(value, 2)
  if (!(Math.abs(value) >= LEAST_APART)) return written
  return formatNumber(value, /\.(\d+)$/.exec(written)?.[1].length ?? 0)
}

const countPhrase = (count: number, noun: string) => `${numberPhrase(count)} ${agree(count, noun, `${noun}s`)}`

export const bars = (count: unknown): string => (typeof count === 'number' ? countPhrase(count, 'bar') : String(count))

const counts = (values: unknown): string =>
  Array.isArray(values) ? firstFew(values.map(valuePhrase), 6) : String(values)

/** Writes amounts of money with their thousands apart: `1 000, 10 000`. */
export const amounts = (values: unknown): string =>
  [values]
    .flat()
    .map((value) => (typeof value === 'number' ? formatNumber(value, Number.isInteger(value) ? 0 : 2) : String(value)))
    .join(', ')

export const barList = (values: unknown): string =>
  Array.isArray(values) && values.length === 1 ? bars(values[0]) : `${counts(values)} bars`

export const counted = (noun: string) => (count: unknown) =>
  typeof count === 'number' ? countPhrase(count, noun) : String(count)

/** Names a value of a list or says how many there are. */
const someOf = (values: readonly unknown[], noun: string, nameOf: (value: string) => string): string =>
  values.length === 1 ? nameOf(String(values[0])) : plainPlural(values.length, noun)

export const symbolsPhrase = (symbols: unknown): string =>
  Array.isArray(symbols) && symbols.length > 0
    ? someOf(symbols, 'symbol', shortSymbol)
    : symbols === null
      ? 'every cached symbol'
      : UNSAID

/** Names a symbol as `exchange/symbol` of the rows that a study reads, without what all of them share. */
export function symbolPhrase(symbol: unknown, { source }: WrittenStudy): string {
  const { exchanges, symbols } = isRecord(source) ? source : {}
  const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])
  const rows = listOf(exchanges).flatMap((exchange) => [...listOf(symbols), ''].map((each) => `${exchange}/${each}`))
  return nameShortener([String(symbol), ...rows])(String(symbol))
}

export const venuesPhrase = (venues: unknown): string =>
  Array.isArray(venues) && venues.length > 0 ? someOf(venues, 'venue', String) : UNSAID

/** Says a day as it is written, and an instant in UTC: `2026-03-01 12:00 UTC`. */
export function instantPhrase(value: unknown): string {
  const written = String(value)
  const timeMs = Date.parse(written)
  return !written.includes('T') || Number.isNaN(timeMs) ? written : wholeTime(timeMs, 'utc')
}

/** Tells whether a formula as a whole is turned around by a minus, so that its lowest values rank highest. */
export function turnedAround(formula: unknown): string | null {
  if (typeof formula !== 'string' || !formula.trim().startsWith('-')) return null
  try {
    const node = parseFormula(formula)
    return node.kind === 'unary' && node.operator === '-' ? formula.trim().slice(1).trim() : null
  } catch {
    return null
  }
}

const valuePhrase = (value: unknown): string => {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return firstFew(value.map(valuePhrase), 6)
  if (isRecord(value))
    return firstFew(
      Object.entries(value).map(([name, one]) => `${name}: ${valuePhrase(one)}`),
      6,
    )
  return typeof value === 'number' ? numberPhrase(value) : String(value)
}

/** Says a value of a field in few words, such as `10 %`, `24 bars` or `5 bps`. */
export function phraseOf(field: Field, value: unknown, study: WrittenStudy): string {
  if (value === undefined || value === '') return UNSAID
  if (field.phrase) return field.phrase(value, study)
  const label = typeof value === 'string' ? field.type.choices?.[value] : undefined
  if (label !== undefined) return label.charAt(0).toLowerCase() + label.slice(1)
  if (typeof value === 'number' && field.unit === 'fraction') return percent(value)
  if (typeof value === 'number' && field.unit === 'bps') return `${numberPhrase(value)} bps`
  return valuePhrase(value)
}
