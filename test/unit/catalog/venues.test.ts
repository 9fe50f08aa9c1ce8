import { describe, expect, it } from 'vitest'
import { combineVenues, type Venue, venueClashes, venuesFrom } from '#shared/catalog/venues.ts'
import { columnUnit, commonUnit, multiplyUnits, parseUnit, unitText, unitWarning } from '#shared/units/measureUnits.ts'
import { hasModelledTime } from '#shared/catalog/rawDatasets.ts'

const named = (id: string, more: Partial<Venue> = {}): Venue => ({
  id,
  short: null,
  sizes: null,
  exchangeTimes: null,
  ...more,
})
const nothing = { typed: [], catalog: [], seen: [] }

describe('the venues of a connection', () => {
  it('are those of the documents where nobody else names any', () => {
    const { list } = combineVenues(nothing)
    expect(list.map(({ id, short, sizes, exchangeTimes }) => [id, short, sizes, exchangeTimes])).toEqual([
      ['venuea-futures', 'venuea', 'base', 'measured'],
      ['venueb-perps', 'venueb', 'contracts', 'measured'],
      ['venuec-perps', 'venuec', 'base', 'modelled'],
    ])
    expect(list[0].basis).toEqual({
      id: 'documents',
      short: 'documents',
      sizes: 'documents',
      exchangeTimes: 'documents',
    })
    expect(combineVenues({ ...nothing, seen: ['heron'] }).list.map(({ id }) => id)).toEqual([
      'venuea-futures',
      'venueb-perps',
      'venuec-perps',
      'heron',
    ])
  })

  it('come in the order typed, catalog, seen, each field from the first that has it', () => {
    const { list, find } = combineVenues({
      typed: [named('wren', { sizes: 'base' })],
      catalog: [named('heron', { exchangeTimes: 'modelled' }), named('wren', { exchangeTimes: 'modelled' })],
      seen: ['crane', 'heron'],
    })
    expect(list.map(({ id }) => id)).toEqual(['wren', 'heron', 'crane'])
    expect(find('wren')).toMatchObject({
      sizes: 'base',
      exchangeTimes: 'modelled',
      basis: { id: 'typed', short: null, sizes: 'typed', exchangeTimes: 'catalog' },
    })
    expect(find('crane').sizes).toBeNull()
    expect(find('elsewhere')).toMatchObject({ id: 'elsewhere', sizes: null, basis: { id: null } })
  })

  it('keep what was typed where the catalog contradicts it, and have what the documents say of their names', () => {
    const { find } = combineVenues({
      typed: [named('venueb-perps', { exchangeTimes: 'measured' })],
      catalog: [named('venueb-perps', { exchangeTimes: 'modelled' })],
      seen: [],
    })
    expect(find('venueb-perps')).toMatchObject({ exchangeTimes: 'measured', sizes: 'contracts', short: 'venueb' })
  })

  it('are the same after they crossed a process', () => {
    const servedUnits = [{ dataset: 'fills', column: 'delay', unit: 'milliseconds' }]
    const venues = combineVenues({ ...nothing, typed: [named('wren', { sizes: 'contracts' })], servedUnits })
    const crossed = venuesFrom(structuredClone([...venues.list]), structuredClone([...venues.servedUnits]))
    expect(columnUnit('fills', 'delay', 'wren', crossed)).toBe('ms')
    for (const id of ['wren', 'venueb-perps', 'elsewhere']) expect(crossed.find(id)).toEqual(venues.find(id))
  })

  it('clash where one is named twice or two have one short name', () => {
    expect(venueClashes([named('a', { short: 'x' }), named('b', { short: 'x' })])).toEqual([
      'two venues have the short name x',
    ])
    expect(venueClashes([named('a'), named('a')])).toEqual(['the venue a is named twice'])
    expect(venueClashes([named('a'), named('b')])).toEqual([])
  })
})

describe('units by venue', () => {
  const venues = combineVenues({
    ...nothing,
    typed: [named('wren', { sizes: 'base' }), named('ostrich', { sizes: 'contracts' }), named('heron'), named('crane')],
  })
  const unitOf = (exchange: string, column = 'volume') => columnUnit('ohlcv', column, exchange, venues)

  it('follow the sizes, whatever the names', () => {
    expect(unitOf('wren')).toBe('base asset')
    expect(unitOf('ostrich')).toBe('contracts')
    expect(unitOf('ostrich', 'volume_notional')).toBe('price × contracts')
  })

  it('are units of their own where sizes are not known: equal on one venue only', () => {
    expect(unitOf('heron')).toBe('amount on heron (unit not known)')
    const common = (a: string, b: string) => unitText(commonUnit([parseUnit(unitOf(a)), parseUnit(unitOf(b))]))
    expect(common('heron', 'heron')).toBe('amount on heron (unit not known)')
    for (const other of ['wren', 'ostrich', 'crane'])
      expect(common('heron', other)).toMatch(/^mixed units: .*unit not known/)
  })

  it('count an amount of the service’s own columns, while its other words hold on every venue', () => {
    const servedUnits = ['amount', 'quote', 'amount of gas'].map((unit) => ({ dataset: 'fills', column: unit, unit }))
    const facts = combineVenues({ ...nothing, typed: [named('wren', { sizes: 'contracts' })], servedUnits })
    expect(columnUnit('fills', 'amount', 'wren', facts)).toBe('contracts')
    expect(columnUnit('fills', 'amount', 'heron', facts)).toBe('amount on heron (unit not known)')
    expect(columnUnit('fills', 'quote', 'wren', facts)).toBe('quote')
    expect(columnUnit('fills', 'amount of gas', 'wren', facts)).toBe('amount of gas')
    expect(columnUnit('fills', 'other', 'wren', facts)).toBeNull()
  })

  it('are mixed in a product of amounts of two kinds', () => {
    const product = multiplyUnits(parseUnit(unitOf('heron')), parseUnit(unitOf('wren')))
    expect(unitWarning(product)).toBe('mixed units: amount on heron (unit not known) and base asset')
    expect(unitWarning(parseUnit(unitOf('heron', 'volume_notional')))).toBeNull()
  })

  it('go with times that are modelled where the venue’s are', () => {
    const modelled = combineVenues({ ...nothing, typed: [named('heron', { exchangeTimes: 'modelled' })] })
    expect(hasModelledTime('mark_price', 'heron', modelled)).toBe(true)
    expect(hasModelledTime('trades', 'heron', modelled)).toBe(false)
    expect(hasModelledTime('mark_price', 'wren', modelled)).toBe(false)
  })
})
