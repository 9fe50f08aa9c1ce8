import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseForSearch } from '#shared/catalog/normaliseForSearch.ts'
import { fuzzyScore } from '../../renderer/components/fuzzyMatch.ts'
import { paletteEntries } from '../../renderer/shell/palette.ts'
import type { Command } from '../../renderer/stores/commands.ts'

const score = (query: string, text: string) => fuzzyScore(normaliseForSearch(query), normaliseForSearch(text))
const command = (id: string, title: string, keywords = ''): Command => ({
  id,
  title,
  keywords,
  group: 'View',
  run: () => {},
})
const found = (commands: Command[], query: string, recent: string[] = []) =>
  paletteEntries(commands, query, recent).map(({ entry }) => entry.id)

describe('the search form', () => {
  it.each([
    ['ＢＴＣ', 'btc'],
    ['Café', 'cafe'],
    ['ﬁle', 'file'],
    ['龙', '龙'],
    ['が', 'か'],
  ])('makes %s equal to %s', (text, form) => expect(normaliseForSearch(text)).toBe(form))

  it('is the same applied twice', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        (text) => normaliseForSearch(normaliseForSearch(text)) === normaliseForSearch(text),
      ),
    )
  })
})

describe('the score', () => {
  it('finds every text by itself and by any of its letters in order', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcde ') })
    fc.assert(
      fc.property(word, fc.array(fc.boolean(), { maxLength: 40 }), (text, keep) => {
        const some = [...text].filter((_letter, at) => keep[at]).join('')
        return fuzzyScore(some.replaceAll(' ', ''), text) !== null
      }),
    )
  })

  it('finds nothing if the query has a letter that the text lacks', () => {
    expect(score('xyz', 'Catalog')).toBeNull()
    expect(score('gc', 'c g')).toBeNull()
  })

  it('prefers starts of words and unbroken stretches', () => {
    expect(score('db', 'Downloads by day')).toBeGreaterThan(score('db', 'Oddball') ?? Infinity)
    expect(score('cat', 'Catalog')).toBeGreaterThan(score('cat', 'Clear all toasts') ?? Infinity)
    expect(score('BTC', 'perpetual-BTC-USDT')).toBeGreaterThan(score('BTC', 'Abate crash') ?? -Infinity)
  })
})

describe('a command that changes something', () => {
  const zone: Command = { ...command('zone', 'Switch the time zone', 'utc'), changesState: true }
  const entryOf = (query: string) => paletteEntries([zone], query, [])[0]?.entry

  it('is not found by letters scattered over its words', () => {
    expect(found([zone, command('go', 'Show the catalog')], 'htcat')).toEqual(['go'])
    expect(found([zone], 'eth')).toEqual([])
    expect(found([zone], 'time zo')).toEqual(['zone'])
    expect(found([zone], 'utc')).toEqual(['zone'])
  })

  it('is run at once only by its whole name', () => {
    expect(entryOf('switch the time')).toMatchObject({ needsMark: true, isExact: false })
    expect(entryOf('Switch the TIME zone')).toMatchObject({ needsMark: false, isExact: true })
  })
})

describe('what the palette lists', () => {
  const commands = [
    command('catalog', 'Catalog'),
    command('theme', 'Light theme', 'colours night'),
    command('zoom', 'Zoom in'),
    command('palette.open', 'Search'),
  ]

  it('is all in order without a query, the recent ones first, never itself', () => {
    expect(found(commands, '')).toEqual(['catalog', 'theme', 'zoom'])
    expect(found(commands, '  ', ['zoom', 'gone'])).toEqual(['zoom', 'catalog', 'theme'])
  })

  it('finds by keyword what no title has, and titles first', () => {
    expect(found(commands, 'night')).toEqual(['theme'])
    expect(found([command('a', 'About', 'theme'), ...commands], 'theme')).toEqual(['theme', 'a'])
  })
})
