import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { checkCalls } from '#shared/formula/evaluateFormula.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { ownDatasetId, ownNameOf, ownReadingOf } from '#shared/formula/ownData.ts'
import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import type { SeriesName } from './seriesFiles.ts'

/** Lists the columns that a formula names as `dataset.column`, and the events of own datasets that it counts. */
export const columnsInFormula = (formula: string): string[] =>
  columnsNamed([formula]).filter((name) => name.includes('.') || ownReadingOf(name) !== null)

/** Says why a formula cannot be computed beside one symbol, whatever is cached; null if it may be. */
export function formulaProblem(formula: string): string | null {
  try {
    checkCalls(parseFormula(formula))
  } catch (thrown) {
    if (thrown instanceof FormulaError) return thrown.message
    throw thrown
  }
  if (columnsInFormula(formula).length > 0) return null
  const bare = columnsNamed([formula]).find((name) => ownNameOf(name) !== null)
  return bare === undefined
    ? 'The formula must name a column, such as funding.funding_rate.'
    : `${bare} is a dataset of your own: name a column of it, as in ${bare}.value, or count its events, as in events(${bare}).`
}

/** Splits a name that a formula has for a column. */
export function datasetAndColumn(name: string): { dataset: string; column: string } {
  const own = ownReadingOf(name)
  if (own) return { dataset: ownDatasetId(own.name), column: own.column }
  const [dataset, column] = name.split('.')
  return { dataset, column }
}

/** Instrument, interval and clock of all columns of a formula. */
interface FormulaContext {
  connectionId: string
  exchange: string
  symbol: string
  interval: string
  timestamp: TimestampSource
}

/** Builds the inputs of a formula whose columns all belong to one symbol. */
export function formulaInputs(
  formula: string,
  { timestamp, ...instrument }: FormulaContext,
): Record<string, SeriesName & { column: string }> {
  return Object.fromEntries(
    columnsInFormula(formula).map((name) => {
      const { dataset, column } = datasetAndColumn(name)
      return [name, { series: { ...instrument, kind: 'metrics', dataset, timestamp }, timestamp, column }]
    }),
  )
}
