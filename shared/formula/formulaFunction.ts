import type { DatedSizes } from '#shared/units/contractSizes.ts'
import { parseUnit, type Unit } from '#shared/units/measureUnits.ts'
import type { Operand } from './operand.ts'
import type { ResampleMethod } from './formulaNames.ts'
import type { FundedInstrument, Series, SeriesFunding, SeriesInput } from './series.ts'

export type ParameterKind =
  /** A series or a number. */
  | 'value'
  | 'series'
  /** Accepts an integer from 1 to `MAX_COUNT`, the same for all rows. */
  | 'count'
  /** Accepts a number of rows, or a quoted duration that equals the number of rows beginning within it: 20 or '1d'. */
  | 'span'
  /** A number that is the same for all rows. */
  | 'number'
  /** Accepts a quoted interval such as '1h'. */
  | 'interval'
  /** Accepts a quoted resampling method. */
  | 'method'

export const MAX_COUNT = 1_000_000

export interface FormulaParameter {
  name: string
  kind: ParameterKind
  optional?: true
  /** True if the parameter may be repeated any number of times. */
  repeats?: true
}

/** Arguments of a call. All series have the same rows; omitted arguments are absent. */
export interface CallArguments {
  /** Arguments of kind value or series. */
  operands: Operand[]
  /** Operands that are series, not numbers. */
  series: Series[]
  /** Arguments of kinds count, span and number. */
  numbers: number[]
  intervalMs: number
  method: ResampleMethod | null
  /** Column that the first argument names, if it is a plain name. */
  column: SeriesInput | null
  /** Units of all arguments; null for one without a series. */
  units: readonly (Unit | null)[]
  /** Contract sizes, by date, of each column in the first argument that counts contracts; empty where unknown. */
  contractSizes: readonly DatedSizes[]
  /** Funding periods of the instrument whose series are the arguments, if the function reads them. */
  funding: SeriesFunding | null
  /** Aborts the evaluation with a message about this call. */
  refuse(message: string): never
  /** Adds a note that the window, the command line and reports show beside the result. */
  note(message: string): void
  /** Reports an instrument whose funding period is not known at some of the rows. */
  unknownFunding(instrument: FundedInstrument): void
}

/** Units of a call's arguments; null for one without a series, which is compatible with any unit. */
export interface UnitCall {
  units: readonly (Unit | null)[]
  /** Returns the unit that all the given units equal; if they differ, the result is mixed and a warning is added. */
  common(units: readonly (Unit | null)[]): Unit
}

/** Definition of a function of the formula language, for evaluation, documentation and completion. */
export interface FormulaFunction {
  name: string
  parameters: FormulaParameter[]
  description: string
  example: string
  /**
   * Number of earlier rows that a value depends on, given the counts and numbers of the call; `start` if it depends on
   * all rows from the first; omitted if it depends on no earlier row.
   */
  looksBack?: 'start' | ((numbers: readonly number[]) => number)
  /**
   * Number of non-missing values after which earlier ones no longer matter, given the numbers of the call. Because rows
   * may be missing, it does not correspond to a fixed number of rows.
   */
  settlesAfter?: (numbers: readonly number[]) => number
  /**
   * Number of earlier rows that a tested portfolio purges from training; `start` for all rows from the first. Omitted
   * where it equals `looksBack`. It must not depend on which values are missing.
   * @param fundingRows largest number of rows from one funding time to the next; null if no funding period is known
   */
  purges?: (numbers: readonly number[], fundingRows: number | null) => number | 'start'
  /**
   * True if the function pairs rows of two series; a note then says if one row of a longer interval is paired with
   * several rows.
   */
  pairsRows?: true
  /** True if the function needs units and contract sizes of its arguments. */
  readsUnits?: true
  /** Time that a row takes on an ordinary machine; omitted where it is about that of an operator. */
  nsPerRow?: number
  /**
   * True if the function needs the funding periods of the instrument of its first argument; without one, of the series
   * of the formula.
   */
  readsFunding?: true
  /** Time before a row, in milliseconds, on whose rows its value depends. */
  looksBackMs?: number
  /** Computes the unit of the result. */
  unit(call: UnitCall): Unit
  apply(call: CallArguments): Operand
}

export const firstUnit = ({ units, common }: UnitCall): Unit => common(units.slice(0, 1))
export const sharedUnit = ({ units, common }: UnitCall): Unit => common(units)
export const fixedUnit = (text: string) => (): Unit => parseUnit(text)

export const value = (name: string): FormulaParameter => ({ name, kind: 'value' })
export const series = (name: string): FormulaParameter => ({ name, kind: 'series' })
export const count = (name: string): FormulaParameter => ({ name, kind: 'count' })
export const span = (name: string): FormulaParameter => ({ name, kind: 'span' })
export const number = (name: string): FormulaParameter => ({ name, kind: 'number' })
export const optional = (parameter: FormulaParameter): FormulaParameter => ({ ...parameter, optional: true })
export const repeated = (parameter: FormulaParameter): FormulaParameter => ({ ...parameter, repeats: true })

/** Builds the signature of a function: `sma(x, n, [least])`. */
export function signatureOf({ name, parameters }: Pick<FormulaFunction, 'name' | 'parameters'>): string {
  const parameterTexts = parameters.map((parameter) => {
    const text = parameter.repeats ? `${parameter.name}, …` : parameter.name
    return parameter.optional ? `[${text}]` : text
  })
  return `${name}(${parameterTexts.join(', ')})`
}
