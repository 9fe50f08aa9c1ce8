import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  exactNumber,
  formatNumber,
  formatPercent,
  GROUP_SPACE,
  MINUS,
  parseDecimal,
  parseNumber,
  parseTypedDecimal,
  roundToDigits,
} from '#shared/units/numbers.ts'

const plain = (text: string) => text.replaceAll(GROUP_SPACE, '_').replaceAll(MINUS, '-')

describe('numbers for people', () => {
  it.each([
    [0, 2, '0.00'],
    [-0, 0, '0'],
    [999, 0, '999'],
    [1000, 0, '1_000'],
    [1234567.891, 2, '1_234_567.89'],
    [-1234.5, 1, '-1_234.5'],
    [0.17, 0, '0.17'],
    [-0.0025, 2, '-0.0025'],
    [0.00004, 2, '4.0×10⁻⁵'],
    [-0.00004, 2, '-4.0×10⁻⁵'],
    [1e15, 0, '1.0000×10¹⁵'],
    [1.5e300, 2, '1.5000×10³⁰⁰'],
    [NaN, 2, 'not a number'],
    [Infinity, 2, 'infinity'],
    [-Infinity, 2, '-infinity'],
  ])('%s with %i decimals reads %s', (value, decimals, text) => {
    expect(plain(formatNumber(value, decimals))).toBe(text)
  })

  it.each([
    [0.0123, 2, '1.23'],
    [-1.5e300, 2, '-1.5000×10³⁰²'],
    [1e308, 2, '1.0000×10³¹⁰'],
    [-1.7976931348623157e308, 0, '-1.7977×10³¹⁰'],
    [Infinity, 2, 'infinity'],
  ])('%s with %i decimals reads %s %%', (value, decimals, text) => {
    expect(plain(formatPercent(value, decimals))).toBe(text)
  })

  it('never shows as 0 what is not 0, and never loses the sign', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e300, max: 1e300, noNaN: true }), fc.nat(12), (value, decimals) => {
        const read = parseNumber(formatNumber(value, decimals))
        expect(read).not.toBeNull()
        expect(Math.sign(read ?? 0)).toBe(Math.sign(value) + 0)
      }),
    )
  })

  it('reads back what it wrote, to the decimals shown', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.nat(6), (value, decimals) => {
        const read = parseNumber(formatNumber(value, decimals)) ?? NaN
        expect(Math.abs(read - value)).toBeLessThanOrEqual(0.5000001 * 10 ** -decimals)
      }),
    )
  })

  it('writes for machines without any loss', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        expect(Number(exactNumber(value))).toBe(value)
      }),
    )
  })
})

describe('numbers typed by people', () => {
  it.each<[string, number | null]>([
    ['12', 12],
    [' 1 234.5 ', 1234.5],
    ['1,234,567', 1234567],
    ['1_000', 1000],
    ["1'000.25", 1000.25],
    ['−3', -3],
    ['+.5', 0.5],
    ['5.', 5],
    ['2e-5', 2e-5],
    ['−1.5×10⁻⁷', -1.5e-7],
    ['2×10¹²', 2e12],
    ['3k', 3000],
    ['1.5M', 1.5e6],
    ['2 b', 2e9],
    ['1,5', null],
    ['1234,567', null],
    [',123', null],
    ['', null],
    ['.', null],
    ['-', null],
    ['12 34', null],
    ['1e999', null],
    ['NaN', null],
    ['0x10', null],
    ['5%', null],
  ])('%j is %s', (text, value) => {
    expect(parseNumber(text)).toBe(value)
  })

  it.each([
    ['-1.5', -1.5, -1.5],
    ['2e-5', 2e-5, 2e-5],
    ['.5', 0.5, 0.5],
    ['1,5', null, 1.5],
    [' 0,125 ', null, 0.125],
    ['1,500', null, null],
    ['1,2,3', null, null],
    ...['', ' ', '0x10', '0b11', '0o7', 'Infinity', 'NaN', '1 000', '1_000', '5%'].map((text) => [text, null, null]),
  ] as [string, number | null, number | null][])('%j is %s in a file and %s in a field', (text, inFile, inField) => {
    expect([parseDecimal(text), parseTypedDecimal(text)]).toEqual([inFile, inField])
  })
})

describe('rounding to digits', () => {
  it.each([
    [1608011.18, 6, 1608011],
    [-1608011.5, 6, -1608012],
    [999999.96, 6, 1000000],
    [123456.78, 6, 123457],
    [0.123456789, 6, 0.123457],
    [12345678901.23, 10, 12345678901],
    [Infinity, 6, Infinity],
    [NaN, 6, NaN],
  ])('%s in %s digits is %s', (value, digits, rounded) => {
    expect(roundToDigits(value, digits)).toBe(rounded)
  })

  it('changes no amount by more than half a unit', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e15, noNaN: true }), fc.integer({ min: 1, max: 12 }), (value, digits) => {
        expect(Math.abs(roundToDigits(value, digits) - value)).toBeLessThanOrEqual(0.5)
      }),
    )
  })
})
