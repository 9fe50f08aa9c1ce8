import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONGEST_NUMBER, writeNumber } from '#core/export/numberBytes.ts'

const buffer = new Uint8Array(LONGEST_NUMBER + 16)
const bits = new BigUint64Array(1)
const doubles = new Float64Array(bits.buffer)

function textOf(value: number): string {
  const end = writeNumber(Float64Array.of(0, value), 1, buffer, 5)
  expect(end - 5).toBeLessThanOrEqual(LONGEST_NUMBER)
  return Buffer.from(buffer.subarray(5, end)).toString('latin1')
}

/** Returns the doubles at these numbers of steps from a value. */
const around = (value: number, steps: number[]) =>
  steps.map((step) => {
    doubles[0] = value
    bits[0] += BigInt(step)
    return doubles[0]
  })

const expectRight = (value: number) => {
  expect(textOf(value)).toBe(Object.is(value, -0) ? '-0' : String(value))
  expect(textOf(-value)).toBe(Object.is(-value, -0) ? '-0' : String(-value))
}

describe('a number in bytes', () => {
  it.each([
    [0, '0'],
    [-0, '-0'],
    [0.1, '0.1'],
    [0.1 + 0.2, '0.30000000000000004'],
    [1 / 3, '0.3333333333333333'],
    [60123.4, '60123.4'],
    [0.000001234, '0.000001234'],
    [4503599627370495.5, '4503599627370495.5'],
    [9007199254740991, '9007199254740991'],
    [1e21, '1e+21'],
    [5e-324, '5e-324'],
    [-1234.5678, '-1234.5678'],
    [-1.7976931348623157e308, '-1.7976931348623157e+308'],
  ])('%d is %s', (value, text) => expect(textOf(value)).toBe(text))

  it('has the shortest digits at and beside every power of ten and of two', () => {
    for (let power = -10; power <= 22; power++) around(Number(`1e${power}`), [-2, -1, 0, 1, 2]).forEach(expectRight)
    for (let power = -30; power <= 70; power++) around(2 ** power, [-2, -1, 0, 1, 2]).forEach(expectRight)
  })

  it('has the shortest digits of any number', () => {
    fc.assert(fc.property(fc.double(), expectRight), { numRuns: 20_000 })
    fc.assert(fc.property(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), expectRight), { numRuns: 20_000 })
  })

  it('has the digits of decimals as they were written', () => {
    const decimals = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 12 }))
    fc.assert(
      fc.property(decimals, ([digits, places]) => expectRight(Number(`${digits}e-${places}`))),
      { numRuns: 20_000 },
    )
  })
})
