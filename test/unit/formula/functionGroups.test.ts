import { expect, it } from 'vitest'
import { functionGroups } from '#shared/formula/functionGroups.ts'
import { functionNames } from '#shared/formula/formulaNames.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'

it('names every function, in the order of the table', () => {
  expect(functionNames).toEqual(formulaFunctions.map(({ name }) => name))
})

it('has every function in one group', () => {
  const grouped = functionGroups.flatMap(({ functions }) => functions.map(({ name }) => name))
  expect(grouped.toSorted()).toEqual(formulaFunctions.map(({ name }) => name).toSorted())
})
