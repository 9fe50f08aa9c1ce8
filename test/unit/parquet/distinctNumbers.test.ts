import { expect, test } from 'vitest'
import { areMostlyDistinct } from '#core/parquet/distinctNumbers.ts'

const areMostlyDistinctInSet = (values: Float64Array) => {
  const present = values.filter((value) => !Number.isNaN(value))
  return new Set(present).size * 2 > present.length
}

test.each<[string, (row: number) => number]>([
  ['whole numbers that are all distinct', (row) => row],
  ['pairs', (row) => row >> 1],
  ['the same value', () => 7],
  ['quarters, whose last bits are all 0', (row) => row / 4],
  ['gaps everywhere', () => NaN],
  ['gaps around pairs', (row) => (row % 3 === 0 ? NaN : Math.floor(row / 3))],
  ['more gaps than values', (row) => (row % 5 === 0 ? row : NaN)],
  ['values that differ in their highest bits only', (row) => 2 ** ((row % 2000) - 1000)],
])('%s', (_, valueOf) => {
  for (const rows of [0, 1, 2, 3, 64, 1000, 1440, 5760]) {
    const values = Float64Array.from({ length: rows }, (__, row) => valueOf(row))
    expect(areMostlyDistinct(values), `${rows} rows`).toBe(areMostlyDistinctInSet(values))
  }
})

test('a part of a larger array counts by itself', () => {
  const all = Float64Array.of(1, 1, 1, 1, 2, 3, 4, 4)
  expect(areMostlyDistinct(all.subarray(0, 4))).toBe(false)
  expect(areMostlyDistinct(all.subarray(3, 7))).toBe(true)
})
