import type { Resample } from '../catalog/column.ts'
import { declaredColumn } from '../catalog/testedDatasets.ts'
import { type CheckedFormula, checkFormula } from '../formula/evaluateFormula.ts'
import { FormulaError } from '../formula/formulaError.ts'
import { parseFormula } from '../formula/parseFormula.ts'
import type { SeriesInput } from '../formula/series.ts'
import { seriesNamesOf } from '../formula/tree.ts'
import type { DatedSizes } from '../units/contractSizes.ts'
import { columnUnit, type UnitFacts } from '../units/measureUnits.ts'
import { parseInterval } from '../time.ts'
import { expandEntry, type FormulaProblem, namedSeries } from './expandFormula.ts'
import type { ColumnSource, FormulaInstrument, SeriesEntry } from './workspaceSchema.ts'

const noRows = { times: new Float64Array(0), values: new Float64Array(0), valid: null }

/** Returns the contract sizes that the user gave for an instrument, by date; empty if there are none. */
export type ContractSizes = (instrument: Pick<ColumnSource, 'exchange' | 'symbol'>) => DatedSizes

/** What is known of the instruments and venues of the series of a formula. */
export interface InstrumentFacts {
  contractSizes: ContractSizes
  venues: UnitFacts
}

/**
 * Checks a formula over the series of a workspace without reading their data; returns the interval, unit and notes of
 * its result, or a problem with its position.
 */
export function checkEntryFormula(
  formula: string,
  name: string,
  all: readonly SeriesEntry[],
  facts: InstrumentFacts,
  on?: FormulaInstrument,
): CheckedFormula | { problem: FormulaProblem } {
  return check({ formula, name, on }, all, facts, new Map())
}

/** A formula with its name, and the instrument whose columns it may name. */
interface NamedFormula {
  formula: string
  name: string
  on: FormulaInstrument | undefined
}

/** Results of formulas checked so far, by name, so that each is checked once. */
type CheckedByName = Map<string, ReturnType<typeof checkEntryFormula>>

function check(
  { formula, name, on }: NamedFormula,
  all: readonly SeriesEntry[],
  facts: InstrumentFacts,
  checkedByName: CheckedByName,
): ReturnType<typeof checkEntryFormula> {
  const entry = { name, source: { kind: 'formula' as const, formula, ...(on && { on }) }, transform: 'none' as const }
  const expanded = expandEntry(entry, all)
  if ('problem' in expanded) return expanded
  try {
    return checkFormula(formula, inputsFor({ formula, on }, all, facts, checkedByName))
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { problem: { message: error.message, start: error.start, end: error.end } }
  }
}

/** Builds the inputs of a formula, with intervals, units and rules but without rows. */
function inputsFor(
  { formula, on }: Pick<NamedFormula, 'formula' | 'on'>,
  all: readonly SeriesEntry[],
  facts: InstrumentFacts,
  checkedByName: CheckedByName,
): Map<string, SeriesInput> {
  const inputs = new Map<string, SeriesInput>()
  for (const seriesName of new Set(seriesNamesOf(parseFormula(formula)))) {
    const other = namedSeries(seriesName, all, on)
    if (!other) continue
    if (other.source.kind === 'column') {
      inputs.set(other.name, columnInput(other.source, facts))
      continue
    }
    const named = { name: other.name, formula: other.source.formula, on: other.source.on }
    const checked = checkedByName.get(other.name) ?? check(named, all, facts, checkedByName)
    checkedByName.set(other.name, checked)
    if (!('problem' in checked))
      inputs.set(other.name, {
        ...noRows,
        intervalMs: checked.intervalMs,
        ...(checked.unit !== null && { unit: checked.unit }),
      })
  }
  return inputs
}

function columnInput(
  { dataset, column, exchange, symbol, interval, resampleTo }: ColumnSource,
  facts: InstrumentFacts,
): SeriesInput {
  const contractSizes = facts.contractSizes({ exchange, symbol })
  const unit = columnUnit(dataset, column, exchange, facts.venues)
  const resample: Resample | undefined = resampleTo ? undefined : declaredColumn(dataset, column)?.resample
  return {
    ...noRows,
    intervalMs: (parseInterval(resampleTo || interval) ?? 60) * 1000,
    ...(contractSizes.length > 0 && { contractSizes }),
    ...(unit !== null && { unit }),
    ...(resample && { resample }),
  }
}
