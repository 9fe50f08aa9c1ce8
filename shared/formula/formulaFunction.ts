import { parseUnit, type Unit } from '#shared/units/measureUnits.ts'
import type { Operand } from './operand.ts'
import type { ResampleWay } from './resampleSeries.ts'
import type { Series, SeriesInput } from './series.ts'

export type ParameterKind =
  /** A series or a number. */
  | 'value'
  | 'series'
  /** Declares a whole number from 1 to `MAX_COUNT`, the same for all rows. */
  | 'count'
  /** Declares a count of rows, or a duration in quotes that is as many rows as begin within it: 20 or '1d'. */
  | 'span'
  /** A number that is the same for all rows. */
  | 'number'
  /** Interval in quotes, such as '1h'. */
  | 'interval'
  /** One of the ways to resample, in quotes. */
  | 'way'

export const MAX_COUNT = 1_000_000

export interface FormulaParameter {
  name: string
  kind: ParameterKind
  optional?: true
  /** Any number of these may follow. */
  repeats?: true
}

/** The arguments of a call. Series are on the same rows; what was left out is not there. */
export interface CallArguments {
  /** Units of the parameters that are values or series. */
  operands: Operand[]
  /** Units of the parameters that are series only. */
  series: Series[]
  /** Counts, spans in rows, and numbers. */
  numbers: number[]
  intervalMs: number
  way: ResampleWay | null
  /** The column that the first argument names, where it is nothing but a name. */
  column: SeriesInput | null
  /** Units of the operands; null for a constant. */
  units: readonly (Unit | null)[]
  /** Contract sizes of the columns behind the first operand that count contracts; undefined where one is not known. */
  contractSizes: readonly (number | undefined)[]
  /** Ends the evaluation with a sentence about this call. */
  refuse(message: string): never
  /** Adds a note on the values of this call, which the window, the command line and reports show beside the result. */
  note(message: string): void
}

/** Units of a call's arguments that are values or series; null for a constant, which fits any unit. */
export interface UnitCall {
  units: readonly (Unit | null)[]
  /** The unit that these share; where they differ it is mixed, and a warning says so. */
  common(units: readonly (Unit | null)[]): Unit
}

/** A function of the language: all that the parser, the documentation and completion know of it. */
export interface FormulaFunction {
  name: string
  parameters: FormulaParameter[]
  description: string
  example: string
  /**
   * Number of earlier rows that a value depends on, given the counts and numbers of the call; `start` if it depends on
   * all rows from the first on. Left out: on none.
   */
  looksBack?: 'start' | ((numbers: readonly number[]) => number)
  /**
   * Number of present values after which earlier ones no longer matter, given the numbers of the call: rows alone do not say
   * how far back these are where values are missing.
   */
  settlesAfter?: (numbers: readonly number[]) => number
  /**
   * Number of earlier rows that training is kept away from by the rules of tested portfolios, where that is not `looksBack`:
   * there it has to be one number, whatever values are missing.
   */
  purges?: (numbers: readonly number[]) => number | 'start'
  /** Pairs the rows of two series: a longer interval is beside several rows of a shorter one, which a note says. */
  pairsRows?: true
  /** Reads units and contract sizes of its arguments. */
  readsUnits?: true
  /** Computes the unit of the result. */
  unit(call: UnitCall): Unit
  apply(call: CallArguments): Operand
}

export const keepsUnit = ({ units, common }: UnitCall): Unit => common(units.slice(0, 1))
export const sharesUnit = ({ units, common }: UnitCall): Unit => common(units)
export const hasUnit = (text: string) => (): Unit => parseUnit(text)

export const value = (name: string): FormulaParameter => ({ name, kind: 'value' })
export const series = (name: string): FormulaParameter => ({ name, kind: 'series' })
export const count = (name: string): FormulaParameter => ({ name, kind: 'count' })
export const span = (name: string): FormulaParameter => ({ name, kind: 'span' })
export const number = (name: string): FormulaParameter => ({ name, kind: 'number' })
export const optional = (parameter: FormulaParameter): FormulaParameter => ({ ...parameter, optional: true })
export const repeated = (parameter: FormulaParameter): FormulaParameter => ({ ...parameter, repeats: true })

/** Builds the signature of a function: `sma(x, n, [least])`. */
export function signatureOf({ name, parameters }: Pick<FormulaFunction, 'name' | 'parameters'>): string {
  const written = parameters.map((parameter) => {
    const text = parameter.repeats ? `${parameter.name}, …` : parameter.name
    return parameter.optional ? `[${text}]` : text
  })
  return `${name}(${written.join(', ')})`
}
