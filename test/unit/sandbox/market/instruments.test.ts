import { expect, test } from 'vitest'
import { parseDay } from '#shared/time.ts'
import { assetsOf } from '../../../../electron/sandbox/market/assets.ts'
import { marketDay } from '../../../../electron/sandbox/market/days.ts'
import { documentedVenue, documentedVenues as venues } from '../../../../electron/sandbox/market/venues.ts'
import { findInstrument, instrumentsOf } from '../../../../electron/sandbox/market/instruments.ts'

const seed = 1
const everything = venues.flatMap((venue) => instrumentsOf(seed, venue))

test.each(venues)('$id lists several hundred symbols, each once', (venue) => {
  const symbols = instrumentsOf(seed, venue).map((instrument) => instrument.symbol)
  expect(symbols.length).toBeGreaterThan(250)
  expect(new Set(symbols).size).toBe(symbols.length)
})

test('a symbol is made of base, quote and settle', () => {
  for (const { symbol, kind, base, quote, settle } of everything) {
    const symbols = { perpetual: `perpetual-${base}-${quote}:${settle}`, spot: `${base}-${quote}` }
    if (kind === 'future') expect(symbol).toMatch(new RegExp(`^future-${base}-${quote}:${settle}-\\d{8}$`))
    else expect(symbol).toBe(symbols[kind])
  }
})

test('the majors trade on every venue', () => {
  for (const base of ['BTC', 'ETH', 'XRP', 'SOL']) {
    expect(new Set(everything.filter((i) => i.base === base).map((i) => i.venue)).size).toBe(3)
  }
})

test('each venue has symbols of its own', () => {
  for (const venue of venues) {
    const elsewhere = new Set(everything.filter((i) => i.venue !== venue).map((i) => i.base))
    expect(instrumentsOf(seed, venue).some((i) => !elsewhere.has(i.base))).toBe(true)
  }
})

test('bases have digits, hyphens and other scripts, and some settle in another currency than the quote', () => {
  const bases = new Set(everything.map((i) => i.base))
  for (const base of ['0G', '1MBABYDOGE', '1000PEPE', 'BTC-DOM', '龙', '币安人生']) expect(bases).toContain(base)
  expect(everything.some((i) => i.settle !== i.quote)).toBe(true)
})

test('amounts count contracts on venueb-perps and the base asset elsewhere', () => {
  for (const { venue, unit, contractSize } of everything) {
    expect(unit).toBe(venue.id === 'venueb-perps' ? 'contracts' : 'base')
    if (unit === 'base') expect(contractSize).toBe(1)
    expect(contractSize).toBeGreaterThan(0)
  }
})

test('days are real, in order, and inside the life of the asset', () => {
  const assets = new Map(assetsOf(seed).map((asset) => [asset.base, asset]))
  for (const { base, firstDay, lastDay, holes } of everything) {
    const asset = assets.get(base)
    expect(parseDay(firstDay)).not.toBeNull()
    expect(marketDay(firstDay)).toBeGreaterThanOrEqual(asset?.firstDay ?? Infinity)
    if (lastDay !== null) expect(firstDay < lastDay).toBe(true)
    expect([...new Set(holes)].sort()).toEqual(holes)
    for (const hole of holes) expect(hole > firstDay && (lastDay === null || hole < lastDay)).toBe(true)
  }
})

test('listings, delistings and coverage holes exist', () => {
  expect(everything.some((i) => i.lastDay !== null)).toBe(true)
  expect(everything.some((i) => i.holes.length > 0)).toBe(true)
  expect(new Set(everything.map((i) => i.firstDay.slice(0, 4))).size).toBeGreaterThanOrEqual(6)
})

test('steps are round numbers far below the price', () => {
  const prices = new Map(assetsOf(seed).map((asset) => [asset.base, asset.startPrice]))
  for (const { base, tickSize } of everything) {
    expect(String(tickSize)).toMatch(/^(0\.0*[125]|[125]0*|[125]e-\d+)$/)
    expect(tickSize).toBeLessThan((prices.get(base) ?? 0) / 1000)
  }
})

test('a symbol is found by its exact text only', () => {
  expect(findInstrument(seed, documentedVenue('venuea-futures'), 'perpetual-BTC-USDT:USDT')?.base).toBe('BTC')
  expect(findInstrument(seed, documentedVenue('venuea-futures'), 'perpetual-btc-usdt:usdt')).toBeNull()
})

test('the same seed lists the same instruments, another seed others', () => {
  expect(instrumentsOf(seed, documentedVenue('venueb-perps'))).toEqual(
    instrumentsOf(1, documentedVenue('venueb-perps')),
  )
  expect(instrumentsOf(2, documentedVenue('venueb-perps'))).not.toEqual(
    instrumentsOf(1, documentedVenue('venueb-perps')),
  )
})
