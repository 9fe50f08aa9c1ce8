import { expect, test } from 'vitest'
import { followRenames, readSymbolLists, writeSymbolLists } from '#shared/contract/listsFile.ts'
import { csvRows } from '#shared/units/csvRows.ts'
import { decodeText } from '#shared/units/textEncoding.ts'

const text = 'list,exchange,symbol\nmein,v,perpetual-龙-USDT\nü,v,é\n'
const utf16 = (value: string, isBig: boolean, mark: boolean) => {
  const bytes = Buffer.from((mark ? '\uFEFF' : '') + value, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

test.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a mark', Buffer.from('\uFEFF' + text)],
  ['UTF-16 LE with a mark', utf16(text, false, true)],
  ['UTF-16 BE with a mark', utf16(text, true, true)],
  ['UTF-16 LE without a mark', utf16(text, false, false)],
  ['UTF-16 BE without a mark', utf16(text, true, false)],
])('%s is read as it was written', (_, bytes) => {
  expect(csvRows(decodeText(bytes)).map(({ cells }) => cells)).toEqual(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(',')),
  )
})

test('what is neither UTF-8 nor UTF-16 is Latin-1', () => {
  expect(decodeText(Buffer.from('Zürich;1,5 €', 'latin1').map((byte) => (byte === 0xac ? 0x80 : byte)))).toContain(
    'Zürich',
  )
})

test.each([',', ';', '\t', '|'])('the separator %j is recognised, also with LF, CR LF and CR', (separator) => {
  for (const end of ['\n', '\r\n', '\r']) {
    const lines = [`a${separator}"b${separator},;"`, `1,5${separator}"x ""y""${end}z"`].join(end)
    const isComma = separator === ','
    expect(csvRows(lines)[0].cells).toEqual(['a', `b${separator},;`])
    expect(csvRows(lines).map(({ line }) => line)).toEqual([1, 2])
    if (!isComma) expect(csvRows(lines)[1].cells).toEqual(['1,5', `x "y"${end}z`])
  }
})

test('a quote that is never closed is reported with its line', () => {
  expect(readSymbolLists('list,exchange,symbol\na,v,s\nb,v,"s\nc,v,s\n')).toEqual({
    problems: ['line 3: a quote is never closed'],
  })
})

test('names that are paths, HTML or formulas come back as they were', () => {
  const names = ['=cmd|calc', '../../etc/passwd', '<img src=x onerror=alert(1)>', 'a,b', 'say "x"', "'", 'two\nlines']
  const symbols = names.map((name) => ({ list: name, exchange: 'v', symbol: name, group: null }))
  expect(readSymbolLists(writeSymbolLists(symbols))).toEqual({ symbols })
})

test('renames are followed forward, in a chain and in a circle', () => {
  const renamed = (symbol: string, before: string | null) => ({ exchange: 'v', symbol, renamed_from: before })
  const pair = (symbol: string) => ({ exchange: 'v', symbol })
  expect(followRenames([pair('a'), pair('x')], [renamed('b', 'a'), renamed('c', 'b'), renamed('y', null)])).toEqual(
    ['a', 'b', 'c', 'x'].map(pair),
  )
  expect(followRenames([pair('a'), pair('b')], [renamed('b', 'a'), renamed('a', 'b')])).toEqual(['a', 'b'].map(pair))
  // A pair may have several rows, each from a date on.
  const dated = [renamed('b', null), renamed('b', 'a'), renamed('b', 'a'), renamed('b', null)]
  expect(followRenames([pair('a')], dated)).toEqual(['a', 'b'].map(pair))
})

test('a pasted list of 5,000 symbols is read as it was written', () => {
  const symbols = Array.from({ length: 5000 }, (_, at) => ({
    list: 'pasted',
    exchange: 'venuea-futures',
    symbol: `perpetual-S${at}-USDT:USDT`,
    group: at % 2 ? 'odd' : null,
  }))
  expect(readSymbolLists(writeSymbolLists(symbols))).toEqual({ symbols })
})

test('a head of hundreds of thousands of names is refused in time proportional to its length, with a few of them', () => {
  const many = Array.from({ length: 300_000 }, (_, at) => `name${at}`)
  const wrong = readSymbolLists([...many, 'list', 'exchange', 'symbol'].join(','))
  expect(wrong).toEqual({ problems: ['line 1: unknown columns “name0”, “name1”, “name2”, “name3”, “name4” …'] })
  expect(readSymbolLists(many.join(','))).toEqual({
    problems: ['line 1: needs the columns list, exchange and symbol'],
  })
})
