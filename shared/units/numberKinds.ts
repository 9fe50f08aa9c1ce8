import type { ColumnKind } from '../catalog/column.ts'
import { nounOf } from './plurals.ts'
import { decimalsFor, exactNumber, formatNumber, formatPercent, formatPower } from './numbers.ts'

/**
 * Kind of quantity for formatting: the kinds of the catalog's columns, `share` for a fraction shown in per cent, and
 * four for results. A `figure` such as a Sharpe ratio has two decimals, because more are not significant; a
 * `percentFigure` such as a drawdown has two, or more if it is small; an `estimate` such as a correlation has three
 * digits, because no estimate is more precise; a `probability` such as p has three decimals, and is written as less than
 * the last of them where they would be 0.
 */
export type NumberKind = ColumnKind | 'share' | 'figure' | 'percentFigure' | 'estimate' | 'probability'

interface Precision {
  /** Significant digits of a number of typical size. */
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
  probability: { significant: 1, leastDecimals: 3, mostDecimals: 3 },
}

/** Tells whether a kind is shown in per cent, while copies and exports contain fractions. */
export const isShownAsPercent = (kind: string): boolean => kind === 'share' || kind === 'percentFigure'

/** Unit that stands beside each value of an axis of a kind, which says nothing else of its unit; empty for none. */
export function axisUnit(kind: string): string {
  if (isShownAsPercent(kind) || kind === 'percent') return '%'
  return kind === 'bps' ? 'bps' : ''
}

/** Returns the kind by which a result is shown: counts, estimates and probabilities unchanged, shares in per cent, everything else as a figure. */
export function figureKind(kind: NumberKind): NumberKind {
  if (kind === 'count' || kind === 'estimate' || kind === 'probability') return kind
  return isShownAsPercent(kind) ? 'percentFigure' : 'figure'
}

export const isNumberKind = (kind: string): kind is NumberKind => kind in precisions

/**
 * Maximum number of decimals of the kinds in `powerKinds`; a number that needs more is written as a power of ten,
 * because a table would cut it off.
 */
const MOST_WRITTEN_DECIMALS = 8
/**
 * Kinds of numbers that may be written as powers of ten, because they can have any magnitude; prices and rates are read
 * digit by digit.
 */
const powerKinds: ReadonlySet<NumberKind> = new Set<NumberKind>(['statistic', 'estimate'])

/** Returns the number of decimals for a kind at a magnitude. */
function kindDecimals(kind: NumberKind, magnitude: number): number {
  const { significant, leastDecimals, mostDecimals } = precisions[kind]
  return Math.min(mostDecimals, Math.max(leastDecimals, decimalsFor(magnitude, significant)))
}

/** Number of significant digits that a price keeps next to larger prices. */
const LEAST_PRICE_DIGITS = 3
/** Maximum number of trailing zeros added to a price to align decimal points. */
const MOST_PRICE_ZEROS = 1
/** Maximum number of decimals more than it has itself that a number of any magnitude gets to align decimal points. */
const MOST_ADDED_DECIMALS = 4

/**
 * Returns a formatter for a kind, which does not add the unit. With a `magnitude` (the typical size of a column's
 * numbers), all numbers get the same number of decimals, so that points align. A price that would lose digits or gain
 * several zeros is an exception. Without a `magnitude`, each number gets the decimals for its own size.
 */
export function numberFormat(kind: NumberKind, magnitude?: number): (value: number) => string {
  const isPercent = isShownAsPercent(kind)
  const decimalsOf = (size: number) => kindDecimals(kind, isPercent ? size * 100 : size)
  const fixedDecimals = magnitude === undefined ? null : decimalsOf(magnitude)
  return (value) => {
    // A mean of counts with decimals must not look like an integer.
    if (kind === 'count' && !Number.isInteger(value)) return formatNumber(value, 2)
    const size = Math.abs(value)
    // One column may have prices of different instruments, and a small one would lose its digits next to a large one.
    const isCut = decimalsFor(size, LEAST_PRICE_DIGITS) > (fixedDecimals ?? 0)
    // Zeros after a large price would suggest digits it does not have: 19 682.80 next to 0.01714, not 19 682.80000.
    const added = (fixedDecimals ?? 0) - decimalsOf(size)
    const needsOwnDecimals =
      value !== 0 &&
      (kind === 'price' ? isCut || added > MOST_PRICE_ZEROS : powerKinds.has(kind) && added > MOST_ADDED_DECIMALS)
    const decimals = fixedDecimals === null || needsOwnDecimals ? decimalsOf(size) : fixedDecimals
    // A Sharpe ratio of −0.0041 is not precise enough for more decimals or for a sign; the tooltip has all digits.
    if (kind === 'figure' && Number(size.toFixed(2)) === 0) return '0.00'
    const leastProbability = 10 ** -decimals
    if (kind === 'probability' && value < leastProbability) return `< ${formatNumber(leastProbability, decimals)}`
    // Zero and large numbers in a column of powers need none; the decimals of the others would only pad them.
    if (powerKinds.has(kind) && decimals > MOST_WRITTEN_DECIMALS && Number.isFinite(value)) {
      const own = value === 0 ? 0 : decimalsOf(size)
      return own > MOST_WRITTEN_DECIMALS ? formatPower(value, precisions[kind].significant) : formatNumber(value, own)
    }
    return (isPercent ? formatPercent : formatNumber)(value, decimals)
  }
}

/** Formats one number by its kind; null if it is missing or not finite. */
export const numberText = (kind: NumberKind, value: number | null): string | null =>
  value === null || !Number.isFinite(value) ? null : numberFormat(kind)(value)

/** Returns the typical size of numbers: the median of those that are finite and not 0; undefined if there are none. */
export function magnitudeOf(values: Iterable<number | null | undefined>): number | undefined {
  const sizes: number[] = []
  for (const value of values) if (value && Number.isFinite(value)) sizes.push(Math.abs(value))
  return sizes.sort((a, b) => a - b)[sizes.length >> 1]
}

/** Labels for unitless numbers that could be misread as percentages. */
const pureNumberLabels: Partial<Record<NumberKind, string>> = {
  rate: 'fraction per funding period',
  fraction: 'fraction',
}

/** How rates of funding are shown; copies and exports have the fraction. */
export const SHOWN_RATE = { factor: 10_000, unit: 'bps per funding period', kind: 'bps' } as const

/** Returns the unit label for legends, tooltips and headers; empty if none is needed. */
export function unitLabel(kind: NumberKind, unit?: string): string {
  if (isShownAsPercent(kind)) return '%'
  return unit === 'none' ? (pureNumberLabels[kind] ?? '') : (unit ?? '')
}

/** A result as a card shows it: text and unit, with all digits for the tooltip. */
interface ShownFigure {
  /** Formatted number; null if the result is undefined. */
  text: string | null
  unit: string
  /** All digits, with percentages as fractions; empty if the text shows them. */
  exact: string
}

/**
 * Formats a result.
 * @param unit unit after the number if its kind has none of its own; the plural of what a count counts
 */
export function shownFigure(kind: NumberKind, value: number | null, unit?: string): ShownFigure {
  const text = numberText(kind, value)
  const exact = value === null || text === null ? '' : exactNumber(value)
  const label = unitLabel(kind, unit)
  return {
    text,
    unit: kind === 'count' && value !== null ? nounOf(value, label) : label,
    exact: exact === text ? '' : exact,
  }
}

const kindByUnit: Partial<Record<string, NumberKind>> = {
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

/**
 * Returns the kind of numbers with a unit such as `base asset or contracts`; null if the units are unknown or of
 * different kinds.
 */
export function kindOfUnit(unit: string | null): NumberKind | null {
  const kinds = new Set(unit?.split(' or ').map((each) => kindByUnit[each] ?? null))
  const [kind = null] = kinds
  return kinds.size === 1 ? kind : null
}
