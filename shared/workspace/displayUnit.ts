import { kindOfUnit, type NumberKind, SHOWN_RATE } from '../units/numberKinds.ts'
import { shownUnits, type ShownUnit, showsPayments } from './chartStyle.ts'
import type { SeriesEntry } from './workspaceSchema.ts'

/** A unit in which a chart shows values; `factor` converts values from their own unit to it. */
export interface DisplayUnit {
  factor: number
  unit: string
  kind: NumberKind
}

const HOURS_A_YEAR = 365 * 24
const assumedHours: Partial<Record<ShownUnit, number>> = { annual8h: 8, annual4h: 4, annual1h: 1 }
/** Unit of a rate that was annualised before it came to the chart. */
const PER_YEAR = '1/year'
const factors = { percent: 100, bps: 10_000 } as const
const unitNames = { percent: '%', bps: 'bps' } as const

/** Kinds of numbers that may be shown in per cent: 0.01 as 1 %. */
const fractionKinds: ReadonlySet<NumberKind> = new Set(['fraction', 'return', 'ratio'])

/** Returns the funding period in hours that a unit assumes; null for a unit that assumes none. */
export const assumedFundingHours = (choice: ShownUnit): number | null => assumedHours[choice] ?? null

/**
 * Computes how a quantity is shown in another unit; null if the unit does not fit. Rates in the unit `annual` were
 * annualised where they were read, by the funding period at each time; the label of an assumed period repeats it.
 */
export function displayUnit(choice: ShownUnit, kind: NumberKind, unit: string): DisplayUnit | null {
  const isRate = kind === 'rate' && (unit === 'none' || unit === PER_YEAR)
  if (choice === 'annual')
    return isRate || unit === PER_YEAR ? { factor: 100, unit: '% a year (simple)', kind: 'percent' } : null
  const hours = assumedHours[choice]
  if (hours !== undefined) {
    if (!isRate) return null
    return { factor: (100 * HOURS_A_YEAR) / hours, unit: `% a year (${hours} h periods, simple)`, kind: 'percent' }
  }
  if (choice !== 'percent' && choice !== 'bps') return null
  if (isRate && choice === 'bps') return SHOWN_RATE
  const [factor, name] = [factors[choice], unitNames[choice]]
  if (isRate) return { factor, unit: `${name} per funding period`, kind: choice }
  if (fractionKinds.has(kind) && unit === 'none') return { factor, unit: name, kind: choice }
  if (kind === 'return' && (unit === 'return' || unit === 'log return'))
    return { factor, unit: unit === 'return' ? name : `${name} of log return`, kind: choice }
  if (kind === 'bps' && unit === 'bps' && choice === 'percent') return { factor: 0.01, unit: '%', kind: 'percent' }
  if (kind === 'percent' && unit === '%' && choice === 'bps') return { factor: 100, unit: 'bps', kind: 'bps' }
  return null
}

/** Returns the kind of the values that a series shows: a sum of payments is no rate per funding period. */
export const shownKind = ({ transform }: Pick<SeriesEntry, 'transform'>, kind: NumberKind): NumberKind =>
  transform === 'settledSum' && kind === 'rate' ? 'fraction' : kind

/** Returns the unit that the user chose; payments of funding are no rates a year. */
export const chosenUnit = ({ unit, transform }: Pick<SeriesEntry, 'unit' | 'transform'>): ShownUnit | undefined =>
  showsPayments({ transform }) && unit?.startsWith('annual') ? undefined : unit

/** Returns the kind of a formula's values; those without a unit may be fractions. */
export const formulaKind = (unit: string | null): NumberKind => kindOfUnit(unit) ?? 'ratio'

/** Lists the units in which a quantity can be shown besides its own. */
export const displayChoices = (kind: NumberKind, unit: string): ShownUnit[] =>
  shownUnits.filter((choice) => displayUnit(choice, kind, unit) !== null)
