import { expect, it } from 'vitest'
import { parseVenue } from '#shared/catalog/writtenVenue.ts'

it('reads a venue with what is said of it, in any order', () => {
  expect(parseVenue(' alpha-futures , times=modelled,short=alpha, sizes=contracts')).toEqual({
    id: 'alpha-futures',
    short: 'alpha',
    sizes: 'contracts',
    exchangeTimes: 'modelled',
  })
  expect(parseVenue('beta-perps')).toEqual({ id: 'beta-perps', short: null, sizes: null, exchangeTimes: null })
})

it.each([
  ['', 'id must not be empty'],
  ['a b', 'id must have no spaces, commas, slashes or ='],
  ['a,sizes=coins', 'sizes must be base or contracts, not “coins”'],
  ['a,times', '“times” is not understood'],
  ['a,colour=red', '“colour=red” is not understood'],
  ['a,short=x,short=y', 'short is said twice'],
  ['a,short=', 'short must not be empty'],
])('says what is wrong with %j', (written, problem) => {
  expect(parseVenue(written)).toBe(problem)
})
