import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { SeriesName } from './seriesFiles.ts'

const columnName = /[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*/g

/** Lists the columns that a formula names as `dataset.column`. */
export const namedColumns = (formula: string): string[] => [...new Set(formula.match(columnName))]

/** Instrument, interval and clock of all columns of a formula. */
export interface FormulaContext {
  connectionId: string
  exchange: string
  symbol: string
  interval: string
  timestamp: TimestampSource
}

/** Finds the inputs of a formula whose columns are all of one symbol. */
export function formulaInputs(
  formula: string,
  { timestamp, ...place }: FormulaContext,
): Record<string, SeriesName & { column: string }> {
  return Object.fromEntries(
    namedColumns(formula).map((name) => {
      const [dataset, column] = name.split('.')
      return [name, { series: { ...place, kind: 'metrics', dataset, timestamp }, timestamp, column }]
    }),
  )
}
