import { isMetricDatasetId, metricDataset, metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import type { MetricColumn } from '#shared/catalog/column.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { type OwnReading, ownReadingOf } from '#shared/formula/ownData.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { columnsNeeded } from '#shared/formula/resample.ts'
import { didYouMean } from '#shared/formula/suggestName.ts'
import { childrenOf, type FormulaNode, seriesNamesOf } from '#shared/formula/tree.ts'
import { formulaRefusal } from './formulaRefusal.ts'
import type { StudyFormula } from './kinds.ts'
import { StudyError } from './studyError.ts'

/** A dataset that the formulas of a study name, with the columns to read. */
export interface NamedDataset {
  dataset: string
  columns: string[]
  /** Name of the dataset in formulas, if it differs from the id. */
  alias?: string
  /**
   * Allowed intervals; per symbol, the shortest cached one is read. If absent, the study's own interval is read, or
   * else the shortest longer one.
   */
  intervals?: readonly string[]
  /** True if the study runs without warning when the dataset is not cached. */
  isOptional?: boolean
}

/** Splits `ohlcv.close` at its first dot; null for a name without a dataset. */
export function splitColumn(name: string): { dataset: string; column: string } | null {
  const dot = name.indexOf('.')
  return dot > 0 ? { dataset: name.slice(0, dot), column: name.slice(dot + 1) } : null
}

/** Finds the catalog's entry for `dataset.column`; null if it has none. */
export function documentedColumn(name: string): MetricColumn | null {
  const split = splitColumn(name)
  if (!split || !isMetricDatasetId(split.dataset)) return null
  return metricDataset(split.dataset).columns.find((column) => column.name === split.column) ?? null
}

/**
 * Lists the datasets and columns in a study's formulas. Throws a `StudyError` if a formula is invalid or names an
 * unknown dataset, or if no formula names a column. Empty if all columns are those of own datasets.
 */
export function namedDatasets(formulas: readonly StudyFormula[]): NamedDataset[] {
  const columnsByDataset = new Map<string, Set<string>>()
  for (const { field, formula, provided = [] } of formulas) {
    const node = parseFieldFormula(field, formula)
    for (const name of seriesNamesOf(node)) {
      if (provided.includes(name) || ownReadingOf(name)) continue
      const split = splitColumn(name)
      if (!split || !isMetricDatasetId(split.dataset)) throw unknownNameError(field, name, split?.dataset)
      const needed = callsResample(node) ? columnsNeeded(documentedColumn(name)?.resample ?? { how: 'last' }) : []
      const namesOfDataset = columnsByDataset.get(split.dataset) ?? new Set()
      columnsByDataset.set(split.dataset, namesOfDataset)
      for (const column of [split.column, ...needed]) namesOfDataset.add(column)
    }
  }
  if (columnsByDataset.size === 0 && namedOwnColumns(formulas).length === 0)
    throw new StudyError(formulas[0].field, 'must name at least one column.')
  return [...columnsByDataset].map(([dataset, names]) => ({ dataset, columns: [...names] }))
}

/** A column of an own dataset, with the field of the formula that names it first. */
interface NamedOwnColumn extends OwnReading {
  field: string
  seriesName: string
}

/** Lists the columns of own datasets in a study's formulas, each once. */
export function namedOwnColumns(formulas: readonly StudyFormula[]): NamedOwnColumn[] {
  const byName = new Map<string, NamedOwnColumn>()
  for (const { field, formula } of formulas)
    for (const seriesName of seriesNamesOf(parseFieldFormula(field, formula))) {
      const reading = ownReadingOf(seriesName)
      if (reading && !byName.has(seriesName)) byName.set(seriesName, { ...reading, field, seriesName })
    }
  return [...byName.values()]
}

function parseFieldFormula(field: string, formula: string): FormulaNode {
  try {
    return parseFormula(formula)
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    throw formulaRefusal(field, formula, error)
  }
}

function unknownNameError(field: string, name: string, dataset: string | undefined): StudyError {
  const hint =
    dataset === undefined ? didYouMean(`ohlcv.${name}`, documentedColumns()) : didYouMean(dataset, metricDatasetIds)
  const problem = dataset === undefined ? `${name} names no dataset` : `${name}: there is no dataset ${dataset}`
  return new StudyError(field, `${problem}; columns in the cache are named dataset.column, such as ohlcv.close.${hint}`)
}

/** Lists every documented column by its name in formulas. */
export const documentedColumns = (): string[] =>
  metricDatasetIds.flatMap((id) => metricDataset(id).columns.map(({ name }) => `${id}.${name}`))

function callsResample(node: FormulaNode): boolean {
  return (node.kind === 'call' && node.name === 'resample') || childrenOf(node).some(callsResample)
}
