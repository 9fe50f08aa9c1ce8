import fc from 'fast-check'
import { ValueSorter } from '#shared/statistics/orderValues.ts'
import { describe, expect, it } from 'vitest'

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
/** Lists that exercise every sort: few, many, tied, clustered beside one far value, and any doubles at all. */
const values = fc.oneof(
  fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 400 }),
  fc.array(fc.double({ min: -0.05, max: 0.05, noNaN: true }), { minLength: 33, maxLength: 400 }),
  fc
    .tuple(fc.array(fc.double({ min: 0, max: 1e-9, noNaN: true }), { minLength: 100, maxLength: 400 }), finite)
    .map(([near, far]) => [...near, far]),
  fc.array(finite, { maxLength: 400 }),
)

describe('the order of values', () => {
  it('is ascending and stable, whatever the values are', () => {
    const sorter = new ValueSorter(401)
    fc.assert(
      fc.property(values, (list) => {
        const expected = list
          .map((_, at) => at)
          .sort((a, b) => (list[a] < list[b] ? -1 : list[a] > list[b] ? 1 : a - b))
        const order = sorter.sort(Float64Array.from(list), list.length)
        expect([...order.subarray(0, list.length)]).toEqual(expected)
        expect([...sorter.sorted.subarray(0, list.length)]).toEqual(expected.map((at) => list[at]))
      }),
      { numRuns: 500 },
    )
  })
})
