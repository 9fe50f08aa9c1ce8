import { expect, it } from 'vitest'
import { cellsOf, input } from './formulaInputs.ts'

it.each([
  ['a > 1 + 1', 0],
  ['a + 1 > 2', 1],
  ['a + 1 >= 3 == 1', null],
  ['12 / a * 3', 18],
  ['12 * a / 3', 8],
  ['7 % 4 * a', 6],
  ['a * 7 % 4', 2],
  ['12 - a - 3', 7],
  ['a - 3 + 5', 4],
  ['a + 3 * 4', 14],
  ['-a ^ 2', -4],
  ['a ^ 3 ^ 0', 2],
  ['a ^ -1', 0.5],
  ['-a * 3 + 10', 4],
  ['not a > 3', 1],
  ['not a == 2 or a == 2', 1],
  ['1 or a > 5 and 0', 1],
  ['(1 or a > 5) and 0', 0],
])('%s is %s where a is 2', (formula, value) => {
  const compute = () => cellsOf(formula, { a: input([2]) })
  if (value === null) expect(compute).toThrow(/Compar|compar|parenthes|bracket/)
  else expect(compute()).toEqual([value])
})
