import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { ownDatasetId, ownReadingOf } from '#shared/formula/ownData.ts'
import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import type { SeriesName } from './seriesFiles.ts'

const columnPattern = /[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*/g

/** Lists the columns that a formula names as `dataset.column`, and the events of own datasets that it counts. */
export function columnsInFormula(formula: string): string[] {
  const own = columnsNamed([formula]).filter((name) => ownReadingOf(name) !== null)
  const others = [...new Set(formula.match(columnPattern))].filter((name) => ownReadingOf(name) === null)
  return [...others, ...own]
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
