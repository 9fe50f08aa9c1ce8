import { expect, it } from 'vitest'
import { withShortSymbols } from '#shared/lab/shortSections.ts'
import { baseShortener, nameShortener, symbolWidthPx } from '#shared/lab/symbolNames.ts'
import { column, table } from '#shared/sheet/sheet.ts'

const perpetual = (venue: string, base: string) => `${venue}/perpetual-${base}-USDT:USDT`

it('names symbols of one venue without it, and those of several with it', () => {
  const one = [perpetual('venuea-futures', 'BTC'), perpetual('venuea-futures', 'ETH')]
  expect(one.map(nameShortener(one))).toEqual(['BTC-USDT:USDT', 'ETH-USDT:USDT'])
  const two = [...one, perpetual('venueb-perps', 'BTC')]
  expect(two.map(nameShortener(two))).toEqual([
    'venuea-futures/BTC-USDT:USDT',
    'venuea-futures/ETH-USDT:USDT',
    'venueb-perps/BTC-USDT:USDT',
  ])
  expect(['A', 'B'].map(nameShortener(['A', 'B']))).toEqual(['A', 'B'])
})

it('names symbols by their base where there is little room, with what tells them apart', () => {
  const one = [perpetual('wren-futures', 'BTC'), perpetual('heron-perps', 'ETH')]
  expect(one.map(baseShortener(one))).toEqual(['BTC', 'ETH'])
  const two = [...one, perpetual('heron-perps', 'BTC')]
  expect(two.map(baseShortener(two))).toEqual(['wren-futures/BTC', 'heron-perps/ETH', 'heron-perps/BTC'])
  const quotes = ['wren-futures/perpetual-BTC-USDT:USDT', 'wren-futures/perpetual-BTC-USD:BTC']
  expect(quotes.map(baseShortener(quotes))).toEqual(['BTC-USDT:USDT', 'BTC-USD:BTC'])
  expect(['A', 'B'].map(baseShortener(['A', 'B']))).toEqual(['A', 'B'])
})

it('keeps names that would read alike', () => {
  const alike = ['x/perpetual-BTC-USDT:USDT', 'x/BTC-USDT:USDT']
  expect(alike.map(nameShortener(alike))).toEqual(alike)
})

it('gives a column of symbols the width of its longest name', () => {
  expect(symbolWidthPx([perpetual('venuea-futures', 'BTC'), 'A'])).toBe(38 * 8 + 24)
  expect(symbolWidthPx([])).toBe(90)
  expect(symbolWidthPx(['x'.repeat(200)])).toBe(330)
})

it('shortens the symbols of a table, of pairs too, to names that stay apart, and keeps its cells', () => {
  const pairs = [
    { a: perpetual('wren-futures', 'BTC'), b: perpetual('heron-perps', 'BTC') },
    { a: perpetual('wren-futures', 'BTC'), b: perpetual('wren-futures', 'ETH') },
  ]
  const shownOf = (rows: typeof pairs) => {
    const cell = column<(typeof rows)[number]>
    const made = table(
      { id: 'pairs', title: 'Pairs' },
      [cell('a', 'a', 'text', ({ a }) => a), cell('b', 'b', 'text', ({ b }) => b)],
      rows,
    )
    const { columns, frame } = withShortSymbols(made)
    expect(frame).toBe(made.frame)
    return rows.map(({ a, b }) => [columns[0].format?.(a), columns[1].format?.(b)])
  }
  expect(shownOf(pairs)).toEqual([
    ['wren-futures/BTC-USDT:USDT', 'heron-perps/BTC-USDT:USDT'],
    ['wren-futures/BTC-USDT:USDT', 'wren-futures/ETH-USDT:USDT'],
  ])
  expect(shownOf(pairs.slice(1))).toEqual([['BTC-USDT:USDT', 'ETH-USDT:USDT']])
})
