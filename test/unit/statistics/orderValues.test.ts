import fc from 'fast-check'
import { ValueSorter } from '#shared/statistics/orderValues.ts'
import { describe, expect, it } from 'vitest'

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
/**
 * Lists that exercise every kind of sort: few values, many values, ties, values clustered beside a far one, and
 * arbitrary doubles.
 */
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

  it('does not depend on the lists before, even if the extent of the values is infinite or subnormal', () => {
    const signed = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? -1 : 1) * (at + 1))
    for (const unit of [4e306, 5e-324]) {
      const list = Float64Array.from(signed, (value) => value * unit)
      const expected = [...list.keys()].sort((a, b) => signed[a] - signed[b])
      const used = new ValueSorter(64)
      used.sort(
        Float64Array.from({ length: 64 }, (_, at) => -at),
        64,
      )
      for (const sorter of [used, new ValueSorter(40)]) {
        expect([...sorter.sort(list, 40).subarray(0, 40)]).toEqual(expected)
        expect([...sorter.sorted.subarray(0, 40)]).toEqual(expected.map((at) => list[at]))
      }
    }
  })
})
