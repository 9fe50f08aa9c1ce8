import { crossSectionFormulas } from './crossSectionFormulas.ts'
import { ownEventFunctions } from './eventFunctions.ts'
import type { FormulaFunction } from './formulaFunction.ts'
import { fundingFunctions } from './fundingFunctions.ts'
import { seriesFunctions } from './seriesCatalog.ts'
import { childrenOf, type FormulaNode } from './tree.ts'
import { valueFunctions } from './valueCatalog.ts'

/** All functions of the formula language, in the order of the documentation. */
export const formulaFunctions: readonly FormulaFunction[] = [
  ...seriesFunctions,
  ...valueFunctions,
  ...fundingFunctions,
  ...ownEventFunctions,
  ...crossSectionFormulas,
]

const byName = new Map(formulaFunctions.map((one) => [one.name, one]))

export const formulaFunction = (name: string): FormulaFunction | undefined => byName.get(name)

/** Tells whether a formula needs the funding periods of its instruments. */
export const readsFunding = (node: FormulaNode): boolean =>
  (node.kind === 'call' && formulaFunction(node.name)?.readsFunding === true) || childrenOf(node).some(readsFunding)
