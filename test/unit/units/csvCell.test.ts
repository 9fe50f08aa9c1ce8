import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvCell, csvLine, exactCsvCell } from '#shared/units/csvCell.ts'

test.each([
  [null, ''],
  ['', ''],
  [-1.5, '-1.5'],
  [1e21, '1e+21'],
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  [' space', '" space"'],
  ['a-b=c', 'a-b=c'],
  ['-9007199254740993', '-9007199254740993'],
  ['龙', '龙'],
])('%j is %s', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

describe('what a spreadsheet would run', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '=HYPERLINK("http://x","y")'])('%j', (text) => {
    expect(csvCell(text)).toBe(`"'${text.replaceAll('"', '""')}"`)
  })
})

test('a line has one end and as many cells as went in, whatever they hold', () => {
  expect(csvLine(['a', 1, null])).toBe('a,1,\n')
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (cells) => {
      const back = readLine(csvLine(cells))
      const bare = (cell: string) => cell.toWellFormed().replaceAll("'", '')
      expect(back.map(bare)).toEqual(cells.map(bare))
    }),
  )
})

/** Reads a line with an independent reader, exactly by RFC 4180. */
function readLine(line: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  const body = line.slice(0, -1)
  for (let at = 0; at < body.length; at++) {
    const character = body[at]
    if (isQuoted && character === '"' && body[at + 1] === '"') cell += body[++at]
    else if (character === '"') isQuoted = !isQuoted
    else if (character === ',' && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell]
}

describe('exact text', () => {
  test.each(['=1+1', '-1', "'", ' =1', 'a;=1', '', 'a\r\n=b', 'say "x"', '\ttab'])(
    '%j comes back as it was',
    (text) => {
      const cell = exactCsvCell(text)
      expect(readLine(`${cell}\n`)).toEqual([text])
      expect(cell === '' ? 'missing' : 'text').toBe('text')
    },
  )

  test('keeps the sign of a negative zero', () => {
    expect([exactCsvCell(-0), csvCell(-0), csvCell(0), exactCsvCell(null)]).toEqual(['-0', '-0', '0', ''])
  })
})
