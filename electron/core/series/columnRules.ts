import type { Store } from '#core/store/store.ts'
import { declaredColumn } from '#shared/catalog/testedDatasets.ts'
import { columnsNeeded, splitNeeded } from '#shared/formula/resample.ts'
import { columnUnit } from '#shared/units/measureUnits.ts'
import type { FormulaInput } from './readerTask.ts'
import type { SeriesName } from './seriesFiles.ts'

/** Lists the columns that a column's resampling rule needs, and those that the rules of these columns need. */
export function allColumnsNeeded(dataset: string, column: string): string[] {
  const directColumns = columnsNeeded(declaredColumn(dataset, column)?.resample ?? { how: 'last' })
  const indirectColumns = directColumns
    .filter((name) => splitNeeded(name).dataset === null && name !== column)
    .flatMap((name) => allColumnsNeeded(dataset, name))
  return [...new Set([...directColumns, ...indirectColumns])]
}

/**
 * Returns the resampling rule and the unit of a column, and the resampling rules of the columns of the same dataset
 * that this rule needs.
 */
export function rulesOf(
  { series, column }: SeriesName & { column: string },
  store: Pick<Store, 'venues'>,
): Pick<FormulaInput, 'columns' | 'unit' | 'resample' | 'companions'> {
  const definition = declaredColumn(series.dataset, column)
  const unit = columnUnit(series.dataset, column, series.exchange, store.venues.of(series.connectionId))
  if (!definition) return { columns: [column], companions: {}, ...(unit !== null && { unit }) }
  const neededColumns = allColumnsNeeded(series.dataset, column)
    .filter((name) => splitNeeded(name).dataset === null)
    .map((name) => declaredColumn(series.dataset, name)!)
  return {
    columns: [column, ...neededColumns.map(({ name }) => name)],
    unit: unit!,
    resample: definition.resample,
    companions: Object.fromEntries(neededColumns.map(({ name, resample }) => [name, resample])),
  }
}
