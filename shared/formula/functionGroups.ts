import type { FormulaFunction } from './formulaFunction.ts'
import { functionsByPurpose } from './formulaNames.ts'
import { formulaFunction } from './functionTable.ts'

interface FunctionGroup {
  title: string
  functions: readonly FormulaFunction[]
}

/** Functions by purpose, as help lists them. */
export const functionGroups: readonly FunctionGroup[] = functionsByPurpose.map(([title, names]) => ({
  title,
  functions: names.flatMap((name) => formulaFunction(name) ?? []),
}))
