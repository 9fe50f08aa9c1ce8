import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  columnUnit,
  commonUnit,
  divideUnits,
  inBaseAsset,
  multiplyUnits,
  parseUnit,
  raiseUnit,
  unitAt,
  unitOnVenues,
  unitText,
  unitWarning,
} from '#shared/units/measureUnits.ts'

const text = (unit: string) => unitText(parseUnit(unit))

describe('a unit', () => {
  it('is written as it is read', () => {
    for (const unit of ['none', 'price', 'quote', 'price × contracts', 'return per quote', '1/s', 'base asset²'])
      expect(text(unit)).toBe(unit)
    for (const unit of ['log return²', 'quote per contracts', 'bps', '%', 'ln(price·contracts)', 'price^0.5'])
      expect(text(unit)).toBe(unit)
    expect(text('price × base asset')).toBe('quote')
    expect(text('quote per base asset')).toBe('price')
  })

  it('follows products and quotients, and comes back from any of them', () => {
    const names = ['price', 'base asset', 'contracts', 'trades', 's', 'log return', '%']
    const unit = fc
      .array(fc.tuple(fc.constantFrom(...names), fc.integer({ min: -3, max: 3 })), { maxLength: 4 })
      .map((all) =>
        all.reduce((made, [name, power]) => multiplyUnits(made, raiseUnit(parseUnit(name), power)), parseUnit('none')),
      )
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        expect(parseUnit(unitText(a))).toEqual(a)
        expect(unitText(divideUnits(multiplyUnits(a, b), b))).toBe(unitText(a))
      }),
    )
  })

  it('that differs where it must agree is mixed, and stays so', () => {
    const mixed = commonUnit([parseUnit('contracts'), parseUnit('base asset')])
    expect(unitText(mixed)).toBe('mixed units: base asset and contracts')
    expect(parseUnit(unitText(mixed))).toEqual(mixed)
    expect(unitText(multiplyUnits(mixed, parseUnit('price')))).toBe('mixed units: base asset and contracts')
    expect(unitText(commonUnit([mixed, parseUnit('quote')]))).toBe('mixed units: base asset, contracts and quote')
    expect(unitText(commonUnit([parseUnit('none'), parseUnit('quote')]))).toBe('mixed units: no unit and quote')
  })

  it('that is unknown is mixed with any known one, but not with a known unit of a product', () => {
    const unknown = parseUnit(null)
    expect(unitText(commonUnit([parseUnit('price'), unknown]))).toBe('mixed units: price and unit unknown')
    expect(unitText(commonUnit([unknown, parseUnit('none')]))).toBe('mixed units: no unit and unit unknown')
    expect(commonUnit([unknown, unknown])).toEqual(unknown)
    expect(multiplyUnits(unknown, parseUnit('price'))).toEqual(unknown)
  })

  it('of a quotient of base assets and contracts lacks the contract size', () => {
    const quotient = divideUnits(parseUnit('base asset'), parseUnit('contracts'))
    expect(unitText(quotient)).toBe('base asset per contracts')
    expect(unitWarning(quotient)).toBe('mixed units: base asset and contracts')
    expect(unitWarning(parseUnit('price × contracts'))).toBeNull()
    expect(unitText(inBaseAsset(parseUnit('price × contracts')))).toBe('quote')
  })

  it('belongs to the venue', () => {
    expect(unitAt('amount²', 'venueb-perps', venuesOfDocuments)).toBe('contracts²')
    expect(unitAt('quote', 'venuec-perps', venuesOfDocuments)).toBe('quote')
    expect(unitAt('quote', 'somewhere-else', venuesOfDocuments)).toBe(
      'price × amount on somewhere-else (unit not known)',
    )
    expect(columnUnit('trades', 'amount', 'venueb-perps', venuesOfDocuments)).toBe('contracts')
    expect(columnUnit('ohlcv', 'something_new', 'venueb-perps', venuesOfDocuments)).toBeNull()
    expect(unitOnVenues('quote', venuesOfDocuments)).toBe('quote (price × contracts on venueb-perps)')
  })
})
