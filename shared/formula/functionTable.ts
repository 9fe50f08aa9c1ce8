import { crossSectionFormulas } from './crossSectionFormulas.ts'
import type { FormulaFunction } from './formulaFunction.ts'
import { seriesFunctions } from './seriesCatalog.ts'
import { valueFunctions } from './valueCatalog.ts'

/** All functions of the formula language, in the order of the documentation. */
export const formulaFunctions: readonly FormulaFunction[] = [
  ...seriesFunctions,
  ...valueFunctions,
  ...crossSectionFormulas,
]

const byName = new Map(formulaFunctions.map((one) => [one.name, one]))

export const formulaFunction = (name: string): FormulaFunction | undefined => byName.get(name)
