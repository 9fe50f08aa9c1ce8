import { ValueSorter } from '#shared/statistics/orderValues.ts'
import { NO_UNIT } from '#shared/units/measureUnits.ts'
import { type CrossSection, type CrossSectionFunction, crossSectionFunctions } from './crossSectionFunctions.ts'
import {
  type CallArguments,
  type FormulaFunction,
  type FormulaParameter,
  optional,
  repeated,
  series,
  type UnitCall,
} from './formulaFunction.ts'
import type { Operand } from './operand.ts'
import { withRows } from './series.ts'

/** Example calls for the documentation, with the series of every symbol. */
const examples: Readonly<Record<string, string>> = {
  cs_rank: 'cs_rank(a, b)',
  cs_zscore: 'cs_zscore(a, b)',
  cs_demean: 'cs_demean(a, b)',
  cs_winsor: 'cs_winsor(a, 0.05, b)',
  cs_neutral: 'cs_neutral(a, b, lag(a), b, lag(a, 2), b)',
}

/** Counts the series that a function takes per symbol. */
const seriesCount = ({ parameters }: CrossSectionFunction) => parameters.filter(({ kind }) => kind === 'series').length

/** Functions across symbols for formulas that name the series of every symbol explicitly, as in the workbench. */
export const crossSectionFormulas: readonly FormulaFunction[] = crossSectionFunctions.map((called) => ({
  name: called.name,
  parameters: [...called.parameters, ...otherSymbolParameters(called)],
  description: `${called.description}. The series of the other symbols follow as arguments, except in a study, which compares all its symbols`,
  example: examples[called.name],
  unit: (call) => unitAmongSymbols(called, call),
  apply: (call) => amongSymbols(called, call),
}))

/** Declares the parameters for the other symbols: one series each, or two if the function compares two series. */
function otherSymbolParameters(called: CrossSectionFunction): FormulaParameter[] {
  const names = seriesCount(called) === 2 ? ['x2', 'y2'] : ['x2']
  return names.map((name, at) => optional(at === names.length - 1 ? repeated(series(name)) : series(name)))
}

/** Computes the value of the first symbol among all symbols of the call, row by row. */
function amongSymbols(called: CrossSectionFunction, { series: all, numbers, refuse }: CallArguments): Operand {
  const seriesPerSymbol = seriesCount(called)
  const symbolCount = all.length / seriesPerSymbol
  if (!Number.isInteger(symbolCount)) return refuse(`${called.name} takes two series for every symbol.`)
  if (symbolCount < 2) {
    return refuse(
      `${called.name} compares symbols: add the series of the others, for example ${examples[called.name]}.`,
    )
  }
  const parameter = numbers.at(0) ?? NaN
  const problem = called.parameterProblem?.(parameter) ?? null
  if (problem !== null) return refuse(problem)
  const [first] = all
  const rows = first.values.length
  const result = { values: new Float64Array(rows), valid: new Uint8Array(rows) }
  const section = emptySection(symbolCount, parameter)
  const isPresent = (at: number, row: number) => all[at].valid === null || all[at].valid[row] === 1
  for (let row = 0; row < rows; row++) {
    section.count = 0
    for (let at = 0; at < all.length; at += seriesPerSymbol) {
      const secondAt = at + seriesPerSymbol - 1
      if (!isPresent(at, row) || !isPresent(secondAt, row)) {
        if (at === 0) break
        continue
      }
      section.x[section.count] = all[at].values[row]
      section.y[section.count++] = all[secondAt].values[row]
    }
    if (section.count === 0) continue
    called.apply(section)
    const [value] = section.result
    if (!Number.isFinite(value)) continue
    result.values[row] = value
    result.valid[row] = 1
  }
  return withRows(first, result)
}

function emptySection(symbolCount: number, parameter: number): CrossSection {
  const sorter = new ValueSorter(symbolCount)
  const section: CrossSection = {
    count: 0,
    x: new Float64Array(symbolCount),
    y: new Float64Array(symbolCount),
    parameter,
    result: new Float64Array(symbolCount),
    orderOfX: () => sorter.sort(section.x, section.count),
  }
  return section
}

/** Computes the unit of the result, and warns if the symbols have different units; ranks and scores have no unit. */
function unitAmongSymbols(called: CrossSectionFunction, call: UnitCall) {
  const seriesPerSymbol = seriesCount(called)
  const units = call.units.filter((_, at) => at % seriesPerSymbol === 0)
  const commonUnit = call.common(units)
  if (seriesPerSymbol === 2) call.common(call.units.filter((_, at) => at % seriesPerSymbol === 1))
  const hasNoUnit = called.name === 'cs_rank' || called.name === 'cs_zscore'
  return hasNoUnit && commonUnit.kind === 'known' ? NO_UNIT : commonUnit
}
