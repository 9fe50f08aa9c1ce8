import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDistance } from '#shared/catalog/editDistance.ts'
import { nearest } from '../../../electron/cli/suggest.ts'

describe('nearest', () => {
  it.each([
    ['serv', 'serve'],
    ['conection', 'connection'],
    ['wehre', 'where'],
    ['KEY', 'key'],
    ['comp', 'completion'],
    ['zebra', null],
    ['', null],
    ['7', null],
  ])('for “%s” means %s', (typed, meant) => {
    expect(nearest(typed, ['serve', 'connection', 'key', 'where', 'completion', '0'])).toBe(meant)
  })
})

describe('editDistance', () => {
  it('is zero for the same word only, alike both ways, and at most the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b)
        expect(distance === 0).toBe(a === b)
        expect(editDistance(b, a)).toBe(distance)
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
      }),
    )
  })
})

it('a word is never suggested in place of itself', () => {
  expect(nearest('future-BTC', ['future-BTC', 'future-ETH'])).toBe('future-ETH')
  expect(nearest('future-BTC', ['future-BTC'])).toBeNull()
})
