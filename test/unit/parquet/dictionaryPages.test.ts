import { expect, test } from 'vitest'
import { decodeNumbers, isWithinBounds } from '#core/parquet/decodeNumbers.ts'

const random = (() => {
  let state = 7
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
})()

/** Writes indexes as one bit-packed run, whose last group of eight is padded with zeros. */
function packedRun(indexes: readonly number[], bitWidth: number): number[] {
  const groups = Math.ceil(indexes.length / 8)
  const bytes = new Array<number>(groups * bitWidth).fill(0)
  for (const [at, index] of indexes.entries()) {
    for (let bit = 0; bit < bitWidth; bit++) {
      const position = at * bitWidth + bit
      if (Math.floor(index / 2 ** bit) % 2 === 1) bytes[position >> 3] |= 1 << (position & 7)
    }
  }
  const header = groups * 2 + 1
  return [...(header < 128 ? [header] : [(header & 127) | 128, header >> 7]), ...bytes]
}

function pageOf(bitWidth: number, runs: readonly (readonly number[])[], present: number) {
  return {
    kind: 'values' as const,
    encoding: 'RLE_DICTIONARY',
    valueCount: present,
    bytes: Uint8Array.from([bitWidth, ...runs.flat()]),
    start: 0,
  }
}

function valuesOf(page: ReturnType<typeof pageOf>, dictionary: Float64Array): number[] {
  const target = new Float64Array(page.valueCount + 2).fill(-1)
  decodeNumbers(page, 'double', dictionary, target, 1)
  expect([target[0], target.at(-1)]).toEqual([-1, -1])
  return [...target.subarray(1, -1)]
}

test.each(Array.from({ length: 32 }, (_, at) => at + 1))('indexes of %i bits name their entries', (bitWidth) => {
  const size = Math.min(2 ** bitWidth, 3000)
  const dictionary = Float64Array.from({ length: size }, (_, index) => index / 8)
  for (const count of [1, 7, 8, 9, 100, 503]) {
    const indexes = Array.from({ length: count }, () => Math.floor(random() * size))
    const page = pageOf(bitWidth, [packedRun(indexes, bitWidth)], count)
    expect(valuesOf(page, dictionary)).toEqual(indexes.map((index) => dictionary[index]))
  }
})

test('packed and repeated runs follow each other, and no bits are one entry', () => {
  const dictionary = Float64Array.of(10, 20, 30, 40)
  const first = [0, 1, 2, 3, 3, 2, 1, 0]
  const runs = [packedRun(first, 2), [5 << 1, 2], packedRun([3, 1], 2)]
  expect(valuesOf(pageOf(2, runs, 15), dictionary)).toEqual(
    [...first, 2, 2, 2, 2, 2, 3, 1].map((index) => dictionary[index]),
  )
  expect(valuesOf(pageOf(0, [], 3), dictionary)).toEqual([10, 10, 10])
})

test.each([
  ['packed', 3, [packedRun([0, 1, 2, 5, 0, 0, 0, 0], 3)], 8],
  ['packed in a long run', 3, [packedRun([7, ...Array<number>(63).fill(0)], 3)], 64],
  ['packed at the end', 3, [packedRun([0, 1, 2, 0, 0, 0, 0, 5], 3)], 8],
  ['packed with all bits', 32, [packedRun([0, 2 ** 32 - 1], 32)], 2],
  ['repeated', 3, [[4 << 1, 7]], 4],
  ['repeated with all bits', 32, [[4 << 1, 255, 255, 255, 255]], 4],
])('an index out of range is refused: %s', (_, bitWidth, runs, present) => {
  expect(() => valuesOf(pageOf(bitWidth, runs, present), Float64Array.of(1, 2, 3))).toThrow('out of range')
})

test('bounds hold for every finite value', () => {
  const bounds = { low: -1, high: 2 }
  const within = Float64Array.of(NaN, -1, Infinity, 2, -Infinity, 0)
  expect(isWithinBounds(bounds, within, 0, within.length)).toBe(true)
  for (const outside of [-1.5, 2.5]) {
    const values = Float64Array.of(Infinity, ...within, outside)
    expect(isWithinBounds(bounds, values, 0, values.length)).toBe(false)
    expect(isWithinBounds(bounds, values, 0, values.length - 1)).toBe(true)
  }
})
