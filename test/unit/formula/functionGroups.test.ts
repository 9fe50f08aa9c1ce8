import { expect, it } from 'vitest'
import { functionNames } from '#shared/formula/formulaNames.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'

it('lists every function once, in the group of its purpose', () => {
  expect(functionNames.toSorted()).toEqual(formulaFunctions.map(({ name }) => name).toSorted())
})
