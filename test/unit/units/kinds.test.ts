import { describe, expect, it } from 'vitest'
import {
  figureKind,
  magnitudeOf,
  numberFormat,
  shownFigure,
  unitLabel,
  type NumberKind,
} from '#shared/units/numberKinds.ts'
import { GROUP_SPACE, MINUS } from '#shared/units/numbers.ts'

const plain = (text: string) => text.replaceAll(GROUP_SPACE, '_').replaceAll(MINUS, '-')

describe('number kinds', () => {
  it.each<[NumberKind, number, string]>([
    ['count', 12345, '12_345'],
    ['count', 2.5, '2.50'],
    ['volume', 0.00123456, '0.0012346'],
    ['volume', 1234567.8, '1_234_568'],
    ['notional', 98765432.1, '98_765_432'],
    ['notional', 1.23456, '1.2346'],
    ['price', 62345.678, '62_345.68'],
    ['price', 1.2345678, '1.234568'],
    ['price', 0.0000123456789, '0.00001234568'],
    ['ratio', 1.5, '1.5000'],
    ['fraction', 0.53217, '0.5322'],
    ['share', 0.053217, '5.322'],
    ['bps', -0.1234, '-0.1234'],
    ['bps', 123.456, '123.46'],
    ['percent', 12.345, '12.35'],
    ['duration', 0.01234, '0.01234'],
    ['duration', 59999, '59_999'],
    ['return', -0.0012345, '-0.001234'],
    ['statistic', 3.2e-4, '0.00032000'],
    ['statistic', 3.2e-5, '3.2000×10⁻⁵'],
    ['statistic', 3e-7, '3.0000×10⁻⁷'],
    ['statistic', 1e-9, '1.0000×10⁻⁹'],
    ['statistic', 1e-14, '1.0000×10⁻¹⁴'],
    ['score', -2.3456, '-2.346'],
    ['figure', 0.9234, '0.92'],
    ['figure', -12.3456, '-12.35'],
    ['figure', -0.00997, '-0.01'],
    ['figure', -0.0041, '0.00'],
    ['figure', -0, '0.00'],
    ['figure', 0.0041, '0.00'],
    ['figure', 0, '0.00'],
    ['percentFigure', -0.0312345, '-3.12'],
    ['percentFigure', 0.0000346, '0.0035'],
    ['estimate', 0.0123456, '0.0123'],
    ['estimate', 12.3456, '12.3'],
    ['probability', 0.48973, '0.490'],
    ['probability', 0.001, '0.001'],
    ['probability', 4.7e-304, '< 0.001'],
    ['probability', 0, '< 0.001'],
  ])('%s of %s reads %s', (kind, value, text) => {
    expect(plain(numberFormat(kind)(value))).toBe(text)
  })

  it('writes only those numbers of a column as powers of ten that need it', () => {
    const values = [3e-10, 0, 3013.12, -26.269, 4e-11, -5e-10]
    const format = numberFormat('statistic', magnitudeOf(values))
    expect(values.map((value) => plain(format(value)))).toEqual([
      '3.0000×10⁻¹⁰',
      '0',
      '3_013.1',
      '-26.269',
      '4.0000×10⁻¹¹',
      '-5.0000×10⁻¹⁰',
    ])
  })

  it('writes a number of a column in full where decimals of much smaller ones would not fit beside it', () => {
    const values = [0.0095189, -630493784.123, 4084.26141, -0.00279318, 0.0111729, 0]
    const format = numberFormat('statistic', magnitudeOf(values))
    expect(values.map((value) => plain(format(value)))).toEqual([
      '0.009519',
      '-630_493_784',
      '4_084.3',
      '-0.002793',
      '0.011173',
      '0.000000',
    ])
  })

  it('lines up a column by the usual size of its numbers', () => {
    const prices = [61234.5, null, 62000, NaN, 0, 60999.25]
    const format = numberFormat('price', magnitudeOf(prices))
    expect([61234.5, 9.5].map((price) => plain(format(price)))).toEqual(['61_234.50', '9.50'])
  })

  it('gives a large price no zeros because of small ones', () => {
    const format = numberFormat('price', 0.5)
    expect([19682.8, 42.5, 0.5].map((price) => plain(format(price)))).toEqual(['19_682.80', '42.50000', '0.5000000'])
  })

  it('keeps the digits of a small price beside large ones', () => {
    const format = numberFormat('price', 1044.5)
    expect([1044.5, 2.5, 0.0229191, 0].map((price) => plain(format(price)))).toEqual([
      '1_044.500',
      '2.500',
      '0.02291910',
      '0.000',
    ])
  })

  it('has no usual size without numbers, and then takes each by itself', () => {
    expect(magnitudeOf([null, undefined, 0, NaN, Infinity])).toBeUndefined()
    expect(numberFormat('ratio', undefined)(0.5)).toBe('0.50000')
  })

  it('names units, and none as nothing', () => {
    expect([unitLabel('bps', 'bps'), unitLabel('ratio', 'none'), unitLabel('share', undefined)]).toEqual([
      'bps',
      '',
      '%',
    ])
  })

  it('says what a pure number is where it would be misread', () => {
    expect([unitLabel('rate', 'none'), unitLabel('fraction', 'none'), unitLabel('rate', '1/s')]).toEqual([
      'fraction per funding period',
      'fraction',
      '1/s',
    ])
  })

  it('shows a result by the precision of its kind, and keeps all its digits', () => {
    expect(shownFigure(figureKind('ratio'), 0.9234567)).toEqual({ text: '0.92', unit: '', exact: '0.9234567' })
    expect(shownFigure(figureKind('share'), 0.1234567)).toEqual({ text: '12.35', unit: '%', exact: '0.1234567' })
    expect([0.0017, 0.29].map((p) => shownFigure(figureKind('probability'), p).text)).toEqual(['0.002', '0.290'])
    expect(shownFigure(figureKind('count'), 365, 'days')).toEqual({ text: '365', unit: 'days', exact: '' })
    expect([1, 0, 2].map((days) => shownFigure('count', days, 'days').unit)).toEqual(['day', 'days', 'days'])
    expect(shownFigure('count', 1, 'none').unit).toBe('')
    expect(shownFigure('figure', null)).toEqual({ text: null, unit: '', exact: '' })
  })
})
