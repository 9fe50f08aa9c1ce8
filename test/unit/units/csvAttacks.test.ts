import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readInstruments } from '#shared/contract/instrumentsFile.ts'
import { readListEntries, readSymbolLists } from '#shared/contract/listsFile.ts'
import { readReturnsFile } from '#shared/portfolio/returnsFile.ts'
import { CsvStream } from '#shared/units/csvStream.ts'
import { createTextDecoder, decodeText } from '#shared/units/textEncoding.ts'
import { readCsvPanel } from '#core/lab/csvPanel.ts'
import type { PanelBatch } from '#core/lab/panelBatches.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

/** Kind of file: a head, two lines below it, and the function that reads it. */
interface Kind {
  head: string[]
  lines: string[][]
  read(bytes: Uint8Array): unknown
  /** Bad third line, and the message of its reader. */
  bad: { line: string[]; says: RegExp }
}

const throwProblems = (read: { problems: string[] } | object) => {
  if ('problems' in read) throw new Error((read.problems as string[]).join('; '))
  return read
}

async function readPanel(bytes: Uint8Array) {
  const path = join(temporaryFolder(), 'panel.csv')
  writeFileSync(path, bytes)
  const batches: PanelBatch[] = []
  const facts = await readCsvPanel(path, ['a'], { onBatch: (batch) => void batches.push(batch), batchRows: 10 })
  const [{ times, columns }] = batches
  return { names: facts.names, times: [...times], a: [...(columns.get('a') ?? [])] }
}

const NAME = 'é<b>'
const kinds: Record<string, Kind> = {
  lists: {
    head: ['list', 'exchange', 'symbol', 'group'],
    lines: [
      [NAME, 'v', '=1+1', ''],
      [NAME, 'v', '../../x', 'g'],
    ],
    read: (bytes) => throwProblems(readSymbolLists(decodeText(bytes))),
    bad: { line: [NAME, '', 'x', ''], says: /the column exchange is empty/ },
  },
  'lists in the editor': {
    head: ['exchange', 'symbol', 'group'],
    lines: [
      ['v', '=1+1', NAME],
      ['v', '../../x', ''],
    ],
    read: (bytes) => throwProblems(readListEntries(decodeText(bytes))),
    bad: { line: ['v', '', ''], says: /the column symbol is empty/ },
  },
  instruments: {
    head: ['exchange', 'symbol', 'contract_size'],
    lines: [
      ['v', NAME, '0.001'],
      ['v', '=1+1', ''],
    ],
    read: (bytes) => throwProblems(readInstruments(decodeText(bytes))),
    bad: { line: ['v', 'x', '-1'], says: /contract_size “-1” is not a number above 0/ },
  },
  returns: {
    head: ['date', 'return', 'benchmark'],
    lines: [
      ['2026-01-01', '1.2%', ''],
      ['2026-01-02', '-0.4%', '1%'],
    ],
    read: (bytes) => throwProblems(readReturnsFile(decodeText(bytes), null)),
    bad: { line: ['2026-01-03', '=1+1', ''], says: /“=1\+1” is not a number/ },
  },
  weights: {
    head: ['date', 'ticker', 'weight'],
    lines: [
      ['2026-01-01', NAME, '0.5'],
      ['2026-01-02', '=1+1', '0.5'],
    ],
    // The line numbers are left out, because they differ if lines precede the head.
    read: (bytes) =>
      JSON.parse(JSON.stringify(throwProblems(readReturnsFile(decodeText(bytes), null))).replace(/"line":\d+,/g, '')),
    bad: { line: ['2026-01-03', 'x', 'half'], says: /“half” is not a number/ },
  },
  panels: {
    head: ['time', 'symbol', 'a'],
    lines: [
      ['0', NAME, '1.5'],
      ['3600000', '=1+1', ''],
    ],
    read: readPanel,
    bad: { line: ['now', 'x', '1'], says: /“now” in the column time is not a time/ },
  },
}

const textOf = ({ head, lines }: Pick<Kind, 'head' | 'lines'>, separator = ',', end = '\n') =>
  [head, ...lines].map((cells) => cells.join(separator) + end).join('')
const utf16 = (text: string, isBig: boolean) => {
  const bytes = Buffer.from(text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}
const quoteCells = ({ head, lines }: Kind) => ({
  head: head.map((cell) => `"${cell}"`),
  lines: lines.map((cells) => cells.map((cell) => `"${cell}"`)),
})

/** Encodings and spellings of the same content, as tools of many kinds write it. */
const spellings: [string, (kind: Kind) => Uint8Array][] = [
  ['UTF-8 with a mark', (kind) => Buffer.from(`\uFEFF${textOf(kind)}`)],
  ['UTF-16 LE with a mark', (kind) => utf16(`\uFEFF${textOf(kind)}`, false)],
  ['UTF-16 BE with a mark', (kind) => utf16(`\uFEFF${textOf(kind)}`, true)],
  ['UTF-16 LE without a mark', (kind) => utf16(textOf(kind), false)],
  ['UTF-16 BE without a mark', (kind) => utf16(textOf(kind), true)],
  ['Latin-1', (kind) => Buffer.from(textOf(kind), 'latin1')],
  ['CR LF', (kind) => Buffer.from(textOf(kind, ',', '\r\n'))],
  ['CR only', (kind) => Buffer.from(textOf(kind, ',', '\r'))],
  ['semicolons', (kind) => Buffer.from(textOf(kind, ';'))],
  ['tabs', (kind) => Buffer.from(textOf(kind, '\t'))],
  ['bars', (kind) => Buffer.from(textOf(kind, '|'))],
  ['sep=; as Excel writes it', (kind) => Buffer.from(`sep=;\r\n${textOf(kind, ';', '\r\n')}`)],
  ['sep=; behind a mark in UTF-16', (kind) => utf16(`\uFEFFsep=;\r\n${textOf(kind, ';', '\r\n')}`, false)],
  ['"sep=|" in quotes', (kind) => Buffer.from(`"sep=|"\n${textOf(kind, '|')}`)],
  ['SEP=, saved again by a spreadsheet', (kind) => Buffer.from(`SEP=,,,\n${textOf(kind)}`)],
  ['comments above the head', (kind) => Buffer.from(`# made by x; 1,2,3;;;;;\r\n#\n\n${textOf(kind)}`)],
  ['sep=; above comments', (kind) => Buffer.from(`sep=;\n# a,b,c,d,e\n${textOf(kind, ';')}`)],
  ['quotes around every cell', (kind) => Buffer.from(textOf(quoteCells(kind)))],
  ['empty lines everywhere', (kind) => Buffer.from(`\n\n${textOf(kind, ',', '\n\n\n')}\n`)],
  ['no line end at the end', (kind) => Buffer.from(textOf(kind).trimEnd())],
]

describe.each(Object.entries(kinds))('a file of %s', (name, kind) => {
  const plain = () => kind.read(Buffer.from(textOf(kind)))

  test.each(spellings)('with %s means the same', async (_name, write) => {
    expect(await kind.read(write(kind))).toEqual(await plain())
  })

  test('names the physical line of what is wrong, below sep=, comments and empty lines', async () => {
    const text = `sep=;\n# a comment\n\n${textOf({ head: kind.head, lines: [...kind.lines, kind.bad.line] }, ';')}`
    const reading = (async () => kind.read(Buffer.from(text)))()
    await expect(reading).rejects.toThrow(kind.bad.says)
    await expect(reading).rejects.toThrow('line 7')
  })

  test('says where a quote is never closed', async () => {
    const cells = kind.lines[0].map((cell, at) => (at === 1 ? `"${cell}` : cell)).join(',')
    const reading = (async () => kind.read(Buffer.from(`${textOf(kind)}${cells}\nmore,of,it`)))()
    await expect(reading).rejects.toThrow(/line 4.*never closed/)
  })

  test('that is a spreadsheet, an image or empty is refused', async () => {
    const empty = name === 'lists in the editor' ? [] : [Buffer.alloc(0)]
    for (const bytes of [
      Buffer.from('PK\u0003\u0004\u0014\0\0\0'),
      Buffer.from([0x89, 0x50, 0, 0, 7, 0, 1, 0, 9]),
      ...empty,
    ])
      await expect((async () => kind.read(bytes))()).rejects.toThrow()
  })
})

test('cells that a spreadsheet leaves empty at the end of lines and below them are no cells', () => {
  const read = readSymbolLists('list;exchange;symbol;;\na;v;x;;\na;v;y;;;;\n;;;;\n;;\n')
  expect(read).toEqual({
    symbols: ['x', 'y'].map((symbol) => ({ list: 'a', exchange: 'v', symbol, group: null })),
  })
  expect(readSymbolLists('list,exchange,symbol\na,v,x,more\n')).toEqual({
    problems: ['line 2: has 4 cells, but the header has 3'],
  })
})

test('what a spreadsheet copies, cells with tabs between, is a list without a head', () => {
  const entries = [
    { exchange: 'v', symbol: 'x', group: null },
    { exchange: 'v', symbol: 'y', group: 'g' },
    { exchange: 'w', symbol: 'z', group: null },
  ]
  expect(readListEntries('v\tx\nv\ty\tg\r\nw;z\n')).toEqual({ entries })
  expect(readListEntries('# mine\nsep=;\nv,x\nv,y,g\nw,z')).toEqual({ entries })
  expect(readListEntries('v,x\ny\n')).toEqual({
    problems: ['line 2: has 1 cell, but a symbol needs exchange,symbol and, optionally, a group'],
  })
})

describe('a CSV that comes in parts', () => {
  const text = '\uFEFFsep=;\r\n# c\r\n"a ""1""";"b\r\n2"\r\nx;"é\n"\r\r\ny;"";\n'
  const read = (parts: string[]) => {
    const rows: [string[], number][] = []
    const stream = new CsvStream((cells, line) => void rows.push([cells, line]))
    for (const part of parts) stream.push(part)
    expect(stream.end()).toBeNull()
    return rows
  }
  const whole: [string[], number][] = [
    [['a "1"', 'b\r\n2'], 3],
    [['x', 'é\n'], 5],
    [['y', '', ''], 8],
  ]

  test('is the same wherever it is cut', () => {
    expect(read([text])).toEqual(whole)
    expect(read([...text])).toEqual(whole)
    for (let at = 1; at < text.length; at++) expect(read([text.slice(0, at), text.slice(at)])).toEqual(whole)
  })

  test.each([
    ['UTF-8', Buffer.from('añ龙🚀b'.repeat(3))],
    ['UTF-16 LE', utf16('\uFEFFañ龙🚀b'.repeat(3), false)],
    ['UTF-16 BE', utf16('\uFEFFañ龙🚀b'.repeat(3), true)],
    ['Latin-1', Buffer.from('abc é ü ÿ abc', 'latin1')],
  ])('in %s is decoded the same wherever it is cut', (_, bytes) => {
    // The first part is as long as a single read, so that it reveals its encoding.
    for (let at = 8; at < bytes.length; at++) {
      const decode = createTextDecoder()
      expect(decode(bytes.subarray(0, at)) + decode(bytes.subarray(at)) + decode()).toBe(decodeText(bytes))
    }
  })

  test('that goes on in another encoding is refused', () => {
    const decode = createTextDecoder()
    decode(Buffer.from('龙 in UTF-8 '))
    expect(() => decode(Buffer.from('é in Latin-1', 'latin1'))).toThrow()
  })
})
