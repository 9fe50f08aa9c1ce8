import { declaredColumn } from '../catalog/testedDatasets.ts'
import { formulaUnit } from '../formula/formulaUnit.ts'
import { parseFormula } from '../formula/parseFormula.ts'
import { childrenOf, type FormulaNode, seriesNamesOf } from '../formula/tree.ts'
import { parseUnit } from '../units/measureUnits.ts'
import type { ShownUnit } from './chartStyle.ts'
import { expandEntry } from './expandFormula.ts'
import type { SeriesEntry } from './workspaceSchema.ts'

/** Stands for the unit of funding rates, which have none: a formula that keeps it still is a rate. */
const RATE = 'rate'
const unitByResult: Partial<Record<string, ShownUnit>> = { [RATE]: 'bps', [`${RATE} per year`]: 'annual' }

/**
 * Returns the unit in which a formula over funding rates is shown at first, because published fractions are too small to
 * read; undefined for any other formula.
 */
export function formulaRateUnit(
  { name, source }: Pick<SeriesEntry, 'name' | 'source'>,
  all: readonly SeriesEntry[],
): ShownUnit | undefined {
  const expanded = expandEntry({ name, source, transform: 'none' }, all)
  if ('problem' in expanded) return undefined
  const node = parseFormula(expanded.formula)
  if (scales(node)) return undefined
  const isRate = (column: string) => {
    const known = expanded.columns[column]
    const declared = known && declaredColumn(known.dataset, known.column)
    return declared?.kind === 'rate' && declared.unit === 'none'
  }
  const unitOf = (column: string) => parseUnit(isRate(column) ? RATE : 'other')
  return unitByResult[formulaUnit(node, { unitOf, constantOf: () => null }).unit ?? '']
}

/** Tells whether a formula multiplies by a number, and so may convert to a unit of its own. */
function scales(node: FormulaNode): boolean {
  const isProduct = node.kind === 'binary' && (node.operator === '*' || node.operator === '/')
  if (isProduct && [node.left, node.right].some((side) => seriesNamesOf(side).length === 0)) return true
  return childrenOf(node).some(scales)
}
