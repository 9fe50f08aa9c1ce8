import fc from 'fast-check'
import { expect, it } from 'vitest'
import { windowMedianAbsoluteDeviation } from '#shared/formula/windowFunctions.ts'

const LEAST = 2

/** The median of a sorted list, computed with the same operations, so that results are equal to the last bit. */
function medianOf(sorted: readonly number[]): number {
  const position = (sorted.length - 1) / 2
  const below = Math.floor(position)
  return position === below ? sorted[below] : sorted[below] + (sorted[below + 1] - sorted[below]) * 0.5
}

/** The plain definition: all distances from the median, sorted anew for each row. */
function plainDefinition(cells: readonly (number | null)[], width: number): (number | null)[] {
  return cells.map((_, row) => {
    const present = cells
      .slice(Math.max(0, row - width + 1), row + 1)
      .flatMap((value) => (value === null ? [] : [value + 0]))
      .sort((a, b) => a - b)
    if (present.length < LEAST) return null
    const median = medianOf(present)
    const distances = present.map((value) => Math.abs(value - median)).sort((a, b) => a - b)
    const { length } = distances
    const distance = (distances[(length - 1) >> 1] + distances[length >> 1]) / 2
    return Number.isFinite(median) && Number.isFinite(distance) ? distance : null
  })
}

function computed(cells: readonly (number | null)[], width: number): (number | null)[] {
  const values = Float64Array.from(cells, (value) => value ?? NaN)
  const valid = Uint8Array.from(cells, (value) => Number(value !== null))
  const result = windowMedianAbsoluteDeviation(
    { intervalMs: 60_000, firstSlot: 0, values, valid },
    { rows: width, least: LEAST },
  )
  return [...result.values].map((value, row) => (result.valid?.[row] === 0 ? null : value))
}

const usual = fc.double({ min: -1e6, max: 1e6, noNaN: true })
const tie = fc.integer({ min: -2, max: 2 })
const extreme = fc.constantFrom(-0, 0, Infinity, -Infinity, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324)

it('is the plain definition to the last bit, with ties, gaps, infinities and missing values', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        ...[usual, tie, fc.oneof(usual, tie, extreme)].map((cell) =>
          fc.array(fc.option(cell, { freq: 8 }), { minLength: 1, maxLength: 250 }),
        ),
      ),
      fc.integer({ min: 1, max: 130 }),
      (cells, width) => {
        expect(computed(cells, width)).toEqual(plainDefinition(cells, width))
      },
    ),
    { numRuns: 150 },
  )
})

it('finds a median that jumps from row to row, in windows of several chunks', () => {
  // Two far levels in turn, whose shares change slowly: the median jumps between them, and most values lie far from it.
  const cells = Array.from({ length: 9000 }, (_, row) => ((row * 7919) % 1000 < row / 9 ? 1e6 : 0) + ((row * 31) % 997))
  const found = computed(cells, 901)
  const expected = plainDefinition(cells.slice(0, 2000), 901)
  expect(found.slice(0, 2000)).toEqual(expected)
  for (const end of [4097, 5002, 7400, 9000])
    expect(found[end - 1]).toBe(plainDefinition(cells.slice(end - 901, end), 901).at(-1))
})
