import { expect, it } from 'vitest'
import { moveLines, pastedLines, readListEntries, writeListEntries } from '#shared/contract/listsFile.ts'

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

it('gives pasted symbols the chosen venue, five thousand within a blink, and leaves lines with a venue alone', () => {
  expect(pastedLines('BTC-USDT:USDT\nnonsense, perpetual-ETH-USDT:USDT', 'v1')).toEqual({
    lines: `v1,${BTC},\nv1,perpetual-ETH-USDT:USDT,\n`,
    symbols: 2,
    others: 1,
  })
  expect(pastedLines(`venue,${BTC}`, 'v1')).toBeNull()
  const many = Array.from({ length: 5000 }, (_, at) => `A${at}-USDT:USDT`).join('\n')
  const { lines } = pastedLines(many, 'v1')!
  const read = readListEntries(lines)
  expect('entries' in read && read.entries.length).toBe(5000)
})

it('moves the lines of a selection and keeps it', () => {
  const text = 'a\nbb\nccc'
  expect(moveLines({ text, start: 3, end: 3 }, -1)).toEqual({ text: 'bb\na\nccc', start: 1, end: 1 })
  expect(moveLines({ text, start: 0, end: 4 }, 1)).toEqual({ text: 'ccc\na\nbb', start: 4, end: 8 })
  expect(moveLines({ text, start: 0, end: 0 }, -1)).toBeNull()
})
