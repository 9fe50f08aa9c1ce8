import { expect, it } from 'vitest'
import { createSymbolResolver } from '#shared/catalog/resolveSymbol.ts'
import { moveLines, readListEntries, resolveLines, writeListEntries } from '#shared/contract/listsFile.ts'

const BTC = 'perpetual-BTC-USDT:USDT'

it('reads lines with and without a head or a group, and says the line of a mistake', () => {
  const entries = [
    { exchange: 'v1', symbol: BTC, group: 'majors' },
    { exchange: 'v2', symbol: '=HYPERLINK("x")', group: null },
  ]
  expect(readListEntries(writeListEntries(entries))).toEqual({ entries })
  expect(readListEntries(`v1,${BTC},majors\nv1,${BTC}\n`)).toEqual({ entries: [{ ...entries[0], group: null }] })
  expect(readListEntries('v1,a\nv1\n')).toEqual({
    problems: ['line 2: has 1 cell, but a symbol needs exchange,symbol and, optionally, a group'],
  })
  expect(readListEntries('exchange,symbol\nv1,\n')).toEqual({ problems: ['line 2: the column symbol is empty'] })
})

const knownVenues = [
  { exchange: 'v1', symbols: ['BTC', 'ETH', 'SOL'].map((base) => `perpetual-${base}-USDT:USDT`) },
  { exchange: 'v2', symbols: ['perpetual-BTC-USD:BTC', 'perpetual-ETH-USDT:USDT', 'perpetual-ETH-USDC:USDC'] },
]
const resolve = createSymbolResolver(knownVenues)
const resolved = (text: string) =>
  resolveLines(
    text,
    (name) => resolve(name, 'v1'),
    (name) => ['v1', 'v2'].includes(name),
  )
const line = (base: string) => `v1,perpetual-${base}-USDT:USDT,`

it.each([
  ['BTC', [line('BTC')]],
  ['BTC, ETH, SOL', [line('BTC'), line('ETH'), line('SOL')]],
  ['btc perp eth-perp', [line('BTC'), line('ETH')]],
  ['BTC\teth/usdt\n\n# mine\nSOL-USDT:USDT', [line('BTC'), line('ETH'), '', '# mine', line('SOL')]],
  ['BTC @ v2; sol', ['v2,perpetual-BTC-USD:BTC,', line('SOL')]],
  [`v2,${BTC}\nv1,BTC\n"v1","a b"`, [`v2,${BTC}`, 'v1,BTC', '"v1","a b"']],
  ['exchange,symbol\nv1,BTC', ['exchange,symbol', 'v1,BTC']],
])('reads %j as people write it', (text, lines) => {
  expect(resolved(text)).toMatchObject({ text: lines.join('\n'), open: [] })
})

it('keeps the names that are unclear, with their lines, and the nearest symbols', () => {
  expect(resolved('SOL, BTX\nETH@v2')).toMatchObject({
    text: `${line('SOL')}\nBTX\nETH@v2`,
    found: 1,
    open: [
      { line: 1, name: 'BTX', resolved: { kind: 'unknown', nearest: [{ exchange: 'v1', symbol: BTC }] } },
      { line: 2, name: 'ETH@v2', resolved: { kind: 'ambiguous', choices: [{}, {}] } },
    ],
  })
})

it('reads a column of five thousand names within a blink', () => {
  const names = Array.from({ length: 5000 }, (_, at) => `A${at}`)
  const resolveMany = createSymbolResolver([
    { exchange: 'v1', symbols: names.map((name) => `perpetual-${name}-USDT:USDT`) },
  ])
  const { text } = resolveLines(
    names.join('\n'),
    (name) => resolveMany(name, 'v1'),
    () => false,
  )
  const read = readListEntries(text)
  expect('entries' in read && read.entries.length).toBe(5000)
})

it('moves the lines of a selection and keeps it', () => {
  const text = 'a\nbb\nccc'
  expect(moveLines({ text, start: 3, end: 3 }, -1)).toEqual({ text: 'bb\na\nccc', start: 1, end: 1 })
  expect(moveLines({ text, start: 0, end: 4 }, 1)).toEqual({ text: 'ccc\na\nbb', start: 4, end: 8 })
  expect(moveLines({ text, start: 0, end: 0 }, -1)).toBeNull()
})
