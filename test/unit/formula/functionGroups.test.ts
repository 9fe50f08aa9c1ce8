import { expect, it } from 'vitest'
import { functionGroups } from '#shared/formula/functionGroups.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'

it('has every function in one group', () => {
  const grouped = functionGroups.flatMap(({ functions }) => functions.map(({ name }) => name))
  expect(grouped.toSorted()).toEqual(formulaFunctions.map(({ name }) => name).toSorted())
})
