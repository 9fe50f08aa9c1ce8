import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRange } from '../../../../electron/sandbox/http/range.ts'

test.each([
  ['bytes=0-9', { start: 0, end: 10 }],
  ['bytes=5-', { start: 5, end: 100 }],
  ['bytes=-7', { start: 93, end: 100 }],
  ['bytes=90-500', { start: 90, end: 100 }],
  ['bytes=-500', { start: 0, end: 100 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-3', null],
  ['bytes=0-1,5-6', null],
  ['items=0-1', null],
  [undefined, null],
])('%s of 100 bytes', (header, expected) => {
  expect(parseRange(header, 100)).toEqual(expected)
})

test('a range never leaves the file and is never empty', () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(5000), fc.integer({ min: 1, max: 4000 }), (first, last, size) => {
      const range = parseRange(`bytes=${first}-${last}`, size)
      if (range === null) expect(last).toBeLessThan(first)
      else if (range === 'unsatisfiable') expect(first).toBeGreaterThanOrEqual(size)
      else {
        expect(range.start).toBe(first)
        expect(range.end).toBeGreaterThan(range.start)
        expect(range.end).toBeLessThanOrEqual(size)
      }
    }),
  )
})
