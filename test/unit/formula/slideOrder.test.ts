import fc from 'fast-check'
import { expect, it } from 'vitest'
import { slideOrder } from '#shared/formula/slideOrder.ts'

const cell = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(-0, 0, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 1, 1 + Number.EPSILON),
)

it('orders every window as sorting it does, with equal, missing and extreme values', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(cell, { freq: 6 }), { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 120 }),
      (cells, width) => {
        const values = Float64Array.from(cells, (value) => value ?? 7)
        const valid = Uint8Array.from(cells, (value) => Number(value !== null))
        slideOrder(values, valid, width, (row, window) => {
          const present = cells
            .slice(Math.max(0, row - width + 1), row + 1)
            .flatMap((value) => (value === null ? [] : [value + 0]))
          const sorted = present.toSorted((a, b) => a - b)
          expect(window.count).toBe(sorted.length)
          expect(sorted.map((_, place) => window.valueAt(place))).toEqual(sorted)
          // Walkers stay where they were in the window before, near the place or far from it.
          sorted.slice(0, 2).forEach((_, at) => {
            const place = (row * 37 + at) % sorted.length
            expect(window.valueAt(place, 1)).toBe(sorted[place])
            expect(window.valueAt(sorted.length >> 1, 2)).toBe(sorted[sorted.length >> 1])
          })
          const current = cells[row]
          if (current === null) return
          expect(window.below()).toBe(sorted.filter((value) => value < current).length)
          expect(window.equal()).toBe(sorted.filter((value) => value === current).length)
        })
      },
    ),
  )
})

it('orders windows of several chunks', () => {
  const rows = 30_000
  const values = Float64Array.from({ length: rows }, (_, row) => (Math.imul(row, 2_654_435_761) % 1009) + 0)
  slideOrder(values, null, 600, (row, window) => {
    if (row % 997 !== 0) return
    const sorted = values.slice(Math.max(0, row - 599), row + 1).sort()
    for (const place of [0, sorted.length >> 1, sorted.length - 1]) expect(window.valueAt(place)).toBe(sorted[place])
  })
})
