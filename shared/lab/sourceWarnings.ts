import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { isMetricDatasetId, metricDataset } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, rawDataset } from '#shared/catalog/rawDatasets.ts'
import { crossSectionFunction } from '#shared/formula/crossSectionFunctions.ts'
import { constantIn } from '#shared/formula/evaluateFormula.ts'
import { formulaUnit } from '#shared/formula/formulaUnit.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { childrenOf, type FormulaNode, isComparison, seriesNamesOf } from '#shared/formula/tree.ts'
import { type Venues, venuesOfDocuments } from '#shared/catalog/venues.ts'
import { parseUnit, unitAt } from '#shared/units/measureUnits.ts'
import { documentedColumn, splitColumn } from './cacheColumns.ts'
import type { StudyFormula } from './kinds.ts'
import { templateFiller } from './kinds/screen/templates.ts'
import { type StudyWarning, warning } from './studyWarnings.ts'

/** What a study reads: its formulas, or datasets in place of those that they name. */
interface NamedRows {
  formulas: readonly StudyFormula[]
  datasets?: readonly { dataset: string }[]
}

/** Lists the warnings about a source that are known before its rows: different units, and modelled times. */
export function sourceWarnings(
  { formulas, datasets = datasetsNamedIn(formulas) }: NamedRows,
  exchanges: readonly string[],
  timestamps: readonly TimestampSource[],
  venues: KnownVenues,
): StudyWarning[] {
  const mixed = mixedColumns(formulas, exchanges, venues)
  const modelledVenues = exchanges.filter((exchange) => venues.find(exchange).exchangeTimes === 'modelled')
  const modelled = timestamps.includes('exchange') && modelledVenues.length > 0 ? modelledDatasets(datasets) : []
  return [
    ...(mixed.length > 0
      ? [warning('mixed-units', mixed.map((name) => unitsOf(name, exchanges, venues)).join(' '))]
      : []),
    ...(modelled.length > 0
      ? [
          warning(
            'modelled-time',
            `On ${modelledVenues.join(', ')} the exchange times of ${modelled.join(', ')} are modelled.`,
          ),
        ]
      : []),
  ]
}

/** Finds the unit of a formula on a venue; null if unknown. */
export const unitOfFormula = (formula: string, exchange: string, venues: KnownVenues): string | null =>
  unitOfPart(parseFormula(formula), exchange, venues)

/**
 * Returns the unit of a formula as it stands behind a number, such as `bps`; empty for a pure number, a function’s
 * result that has no plain unit, and amounts, whose unit belongs to a venue.
 */
export function unitBehind(formula: string): string {
  const text = unitOfFormula(formula, '', venuesOfDocuments)
  const isPlain = text !== null && text !== 'none' && !/[(:]/.test(text)
  return isPlain ? text : ''
}

type KnownVenues = Pick<Venues, 'find'>

/**
 * Tells whether a formula returns per cent, for example because it calls `pct`; false if it is scaled, because it may
 * then return a fraction.
 */
export const isPerCent = (formula: string): boolean =>
  unitOfFormula(formula, '', venuesOfDocuments) === '%' && !isScaled(parseFormula(formula))

const isScaled = (node: FormulaNode): boolean =>
  (node.kind === 'binary' &&
    ['*', '/'].includes(node.operator) &&
    childrenOf(node).some((child) => constantIn(child) !== null)) ||
  childrenOf(node).some(isScaled)

const unitsOf = (name: string, exchanges: readonly string[], venues: KnownVenues): string =>
  `${name} is in ${exchanges.map((exchange) => `${unitOn(name, exchange, venues)} on ${exchange}`).join(', ')}.`

function unitOn(name: string, exchange: string, venues: KnownVenues): string | null {
  const column = documentedColumn(name)
  return column && unitAt(column.unit, exchange, venues)
}

const unitsDiffer = (exchanges: readonly string[], unitAtVenue: (exchange: string) => string | null): boolean =>
  new Set(exchanges.map(unitAtVenue).filter((unit) => unit !== null)).size > 1

/** Finds columns with different units that a formula adds, compares or ranks across symbols. */
function mixedColumns(formulas: readonly StudyFormula[], exchanges: readonly string[], venues: KnownVenues): string[] {
  const columns = new Set<string>()
  if (exchanges.length < 2) return []
  for (const { formula, isCompared } of filledFormulas(formulas)) {
    const root = parseFormula(formula)
    const parts = [...(isCompared ? [root] : []), ...comparedNodes(root)]
    for (const part of parts) {
      if (!unitsDiffer(exchanges, (exchange) => unitOfPart(part, exchange, venues))) continue
      for (const name of seriesNamesOf(part)) {
        if (unitsDiffer(exchanges, (exchange) => unitOn(name, exchange, venues))) columns.add(name)
      }
    }
  }
  return [...columns]
}

/** Puts the columns of a screen into those of its templates that compare symbols; the others have no unit to differ. */
function filledFormulas(formulas: readonly StudyFormula[]): Omit<StudyFormula, 'field'>[] {
  const columns = formulas.filter(({ field }) => /^columns\b/.test(field))
  return formulas.flatMap((each) => {
    if (!each.isTemplate) return [each]
    if (comparedNodes(parseFormula(each.formula)).length === 0) return []
    const fill = templateFiller(each.formula)
    return columns.map(({ formula }) => ({ formula: fill(formula) }))
  })
}

const unitOfPart = (part: FormulaNode, exchange: string, venues: KnownVenues): string | null =>
  formulaUnit(part, { unitOf: (name) => parseUnit(unitOn(name, exchange, venues)), constantOf: constantIn }).unit

/**
 * Lists the parts that are compared across symbols: arguments of cross-sectional functions, and parts that are compared
 * with a number other than 0.
 */
function comparedNodes(node: FormulaNode): FormulaNode[] {
  const inner = childrenOf(node).flatMap(comparedNodes)
  const series = childrenOf(node).filter((child) => seriesNamesOf(child).length > 0)
  if (node.kind === 'call' && crossSectionFunction(node.name)) return [...inner, ...series]
  const isComparedWithNumber = node.kind === 'binary' && isComparison(node.operator) && series.length === 1
  // 0 is the same in every unit.
  const isZero = childrenOf(node).some((child) => child.kind === 'number' && child.value === 0)
  return isComparedWithNumber && !isZero ? [...inner, ...series] : inner
}

function datasetsNamedIn(formulas: readonly StudyFormula[]): { dataset: string }[] {
  const names = formulas.flatMap(({ formula }) => seriesNamesOf(parseFormula(formula)))
  return [...new Set(names.flatMap((name) => splitColumn(name)?.dataset ?? []))].map((dataset) => ({ dataset }))
}

/** Keeps the datasets that are computed from events whose exchange times are modelled on some venues. */
const modelledDatasets = (datasets: readonly { dataset: string }[]): string[] =>
  datasets
    .map(({ dataset }) => dataset)
    .filter((id) => {
      if (!isMetricDatasetId(id)) return false
      const { drivingSource, asOf } = metricDataset(id)
      return [drivingSource, ...asOf].some(
        (source) => isRawDatasetId(source) && rawDataset(source).exchangeTimeModelled,
      )
    })
