import type { ColumnKind } from '../catalog/column.ts'
import { decimalsFor, exactNumber, formatNumber, formatPercent, MINUS, formatPower } from './numbers.ts'

/**
 * Kind of quantity that a number measures: the kinds of the catalog's metric columns, `share` for a fraction shown in per cent,
 * and three for results. A `figure` such as a Sharpe has two decimals, because
 * no more are known; a `percentFigure` such as a drawdown has two, more only where it is small; an `estimate` such as a correlation has three digits, because no estimate is surer than that.
 */
export type NumberKind = ColumnKind | 'share' | 'figure' | 'percentFigure' | 'estimate'

interface Precision {
  /** Digits worth showing of a number of usual size. */
  significant: number
  leastDecimals: number
  mostDecimals: number
}

const precisions: Record<NumberKind, Precision> = {
  count: { significant: 1, leastDecimals: 0, mostDecimals: 0 },
  volume: { significant: 5, leastDecimals: 0, mostDecimals: 8 },
  notional: { significant: 5, leastDecimals: 0, mostDecimals: 4 },
  // Ticks are rarely finer than seven digits of the price.
  price: { significant: 7, leastDecimals: 2, mostDecimals: 12 },
  ratio: { significant: 5, leastDecimals: 2, mostDecimals: 8 },
  fraction: { significant: 4, leastDecimals: 4, mostDecimals: 6 },
  share: { significant: 4, leastDecimals: 2, mostDecimals: 4 },
  bps: { significant: 4, leastDecimals: 2, mostDecimals: 6 },
  percent: { significant: 4, leastDecimals: 2, mostDecimals: 6 },
  length: { significant: 4, leastDecimals: 1, mostDecimals: 4 },
  duration: { significant: 4, leastDecimals: 0, mostDecimals: 6 },
  rate: { significant: 4, leastDecimals: 2, mostDecimals: 8 },
  return: { significant: 4, leastDecimals: 4, mostDecimals: 10 },
  statistic: { significant: 5, leastDecimals: 0, mostDecimals: 12 },
  score: { significant: 4, leastDecimals: 2, mostDecimals: 6 },
  figure: { significant: 2, leastDecimals: 2, mostDecimals: 2 },
  percentFigure: { significant: 2, leastDecimals: 2, mostDecimals: 4 },
  estimate: { significant: 3, leastDecimals: 0, mostDecimals: 12 },
}

/** Fractions that are shown as per cent, and whose copies and exports are fractions. */
export const isShownAsPercent = (kind: string): boolean => kind === 'share' || kind === 'percentFigure'

/** Picks the kind by which a result is shown: a ratio becomes a figure, a share one in per cent, and a count stays one. */
export function figureKind(kind: NumberKind): NumberKind {
  if (kind === 'count') return kind
  return isShownAsPercent(kind) ? 'percentFigure' : 'figure'
}

export const isNumberKind = (kind: string): kind is NumberKind => kind in precisions

/** Digits after the point beyond which a figure is written as a power of ten: its zeros would be cut off in a table. */
const MOST_WRITTEN_DECIMALS = 8
/** Kinds of results, which may have any size; prices and rates are read digit by digit. */
const resultKinds: ReadonlySet<NumberKind> = new Set<NumberKind>(['statistic', 'estimate'])

/** Picks the digits after the point for numbers of a kind about as large as `magnitude`. */
function kindDecimals(kind: NumberKind, magnitude: number): number {
  const { significant, leastDecimals, mostDecimals } = precisions[kind]
  return Math.min(mostDecimals, Math.max(leastDecimals, decimalsFor(magnitude, significant)))
}

/** Digits that a price keeps beside larger ones. */
const LEAST_PRICE_DIGITS = 3
/** Digits beyond its own that a price gets so that points line up. */
const MOST_PRICE_ZEROS = 1

/**
 * Picks the format of a kind. With a `magnitude` (the usual size of a column's numbers) all get the same decimals, so
 * that points line up; without, each number gets the decimals of its own size. Neither writes the unit.
 */
export function numberFormat(kind: NumberKind, magnitude?: number): (value: number) => string {
  const isPercent = isShownAsPercent(kind)
  const decimalsOf = (size: number) => kindDecimals(kind, isPercent ? size * 100 : size)
  const fixed = magnitude === undefined ? null : decimalsOf(magnitude)
  return (value) => {
    // A mean of counts is not a whole number, and must not look like one.
    if (kind === 'count' && !Number.isInteger(value)) return formatNumber(value, 2)
    const size = Math.abs(value)
    // Prices of different instruments may be in one column, and a small one would lose its digits beside a large one.
    const isCut = decimalsFor(size, LEAST_PRICE_DIGITS) > (fixed ?? 0)
    // Zeros after a large price would claim digits that it never has: 19 682.80 beside 0.01714, not 19 682.80000.
    const isPadded = (fixed ?? 0) - decimalsOf(size) > MOST_PRICE_ZEROS
    const isApart = kind === 'price' && value !== 0 && (isCut || isPadded)
    const decimals = fixed === null || isApart ? decimalsOf(size) : fixed
    // A Sharpe of −0.0041 is not known to four digits; its sign is, and the tooltip has the rest.
    if (kind === 'figure' && size > 0 && Number(size.toFixed(2)) === 0) return `${value < 0 ? MINUS : ''}0.00`
    if (resultKinds.has(kind) && decimals > MOST_WRITTEN_DECIMALS && value !== 0 && Number.isFinite(value))
      return formatPower(value, precisions[kind].significant)
    return (isPercent ? formatPercent : formatNumber)(value, decimals)
  }
}

/** Writes one number in the format of its kind; null where there is no finite number. */
export const numberText = (kind: NumberKind, value: number | null): string | null =>
  value === null || !Number.isFinite(value) ? null : numberFormat(kind)(value)

/** The usual size of some numbers: the median of what is neither 0 nor missing nor infinite; undefined without any. */
export function magnitudeOf(values: Iterable<number | null | undefined>): number | undefined {
  const sizes: number[] = []
  for (const value of values) if (value && Number.isFinite(value)) sizes.push(Math.abs(value))
  return sizes.sort((a, b) => a - b)[sizes.length >> 1]
}

/** Words for numbers without a unit that would be misread without one: 0.0001 is not a percentage. */
const pureNumbers: Partial<Record<NumberKind, string>> = { rate: 'fraction per funding period', fraction: 'fraction' }

/** Writes the unit that is beside a number, in legends, tooltips and headers; empty if it needs none. */
export function unitLabel(kind: NumberKind, unit?: string): string {
  if (isShownAsPercent(kind)) return '%'
  return unit === 'none' ? (pureNumbers[kind] ?? '') : (unit ?? '')
}

/** A result as a card shows it: its text and unit, and all its digits for the tooltip. */
export interface ShownFigure {
  /** Formatted number; null if the result is not defined. */
  text: string | null
  unit: string
  /** All digits, percentages as fractions; empty if the text shows them. */
  exact: string
}

/** Writes a result. @param unit the unit that follows the number if its kind has none of its own */
export function shownFigure(kind: NumberKind, value: number | null, unit?: string): ShownFigure {
  const text = numberText(kind, value)
  const exact = value === null || text === null ? '' : exactNumber(value)
  return { text, unit: unitLabel(kind, unit), exact: exact === text ? '' : exact }
}

const kindsOfUnits: Partial<Record<string, NumberKind>> = {
  price: 'price',
  amount: 'volume',
  'base asset': 'volume',
  contracts: 'volume',
  quote: 'notional',
  'price × contracts': 'notional',
  '%': 'percent',
  bps: 'bps',
  trades: 'count',
  events: 'count',
}

/** Returns the kind of numbers of a unit, such as `base asset or contracts`; null where units are of different or unknown kinds. */
export function kindOfUnit(unit: string | null): NumberKind | null {
  const kinds = new Set(unit?.split(' or ').map((each) => kindsOfUnits[each] ?? null))
  const [kind = null] = kinds
  return kinds.size === 1 ? kind : null
}
