import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { SeriesName } from './seriesFiles.ts'

const columnPattern = /[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*/g

/** Lists the columns that a formula names as `dataset.column`. */
export const namedColumns = (formula: string): string[] => [...new Set(formula.match(columnPattern))]

/** Instrument, interval and clock of all columns of a formula. */
export interface FormulaContext {
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
    namedColumns(formula).map((name) => {
      const [dataset, column] = name.split('.')
      return [name, { series: { ...instrument, kind: 'metrics', dataset, timestamp }, timestamp, column }]
    }),
  )
}
