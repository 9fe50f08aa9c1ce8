import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textColumn, timeColumn } from '#shared/contract/frame.ts'
import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { copiedText } from '../../../renderer/views/sql/resultColumns.ts'
import { csvLine, spreadsheetText, tsvText } from '#shared/units/csvCell.ts'
import { cutText, fileNameWithEnding, safeFileName } from '#shared/units/fileNames.ts'
import { markdownCell } from '#shared/units/markdownCell.ts'
import { terminalCell, terminalText } from '#shared/units/terminalText.ts'

describe('text for a spreadsheet', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['\n=1', "'\n'=1"],
    ['\r\n=1', "'\r\n'=1"],
    ['\t=1', "'\t'=1"],
    [' =1', "' =1"],
    ['\u200b=1', "'\u200b=1"],
    ['\u0000=1', "'\u0000=1"],
    ['"=1"', '\'"=1"'],
    ['a;=1+1', "a;'=1+1"],
    ['a; \t=1', "a; \t'=1"],
    ['a;"=1"', 'a;"\'=1"'],
    ['a\n@SUM(A1)', "a\n'@SUM(A1)"],
    ['a;b;-1', "a;b;'-1"],
    ['＝1', "'＝1"],
    ['a;＝1', "a;'＝1"],
    ['﹦1', "'﹦1"],
    ['a=b;c', 'a=b;c'],
    ['a-b+c@d', 'a-b+c@d'],
    ['perpetual-龙-USDT:USDT', 'perpetual-龙-USDT:USDT'],
    ['half \ud800', 'half \ufffd'],
  ])('%j is %j', (text, harmless) => expect(spreadsheetText(text)).toBe(harmless))

  test('no cell begins with a formula, at whichever separator a program splits the line', () => {
    const attack = fc.array(
      fc.constantFrom('=', '+', '-', '@', '＝', ';', '\t', '\n', '\r', '"', ' ', 'a', '\u200b', "'", ','),
    )
    fc.assert(
      fc.property(attack, (pieces) => {
        const text = pieces.join('')
        for (const line of [csvLine([text]).slice(0, -2), tsvText(text)])
          for (const separator of [/\t/, /;/, /[\r\n]+/, /[;\t\r\n]/])
            for (const cell of line.split(separator)) expect(cell).not.toMatch(/^[\s"\u200b]*[=+\-@＝＋－＠]/)
      }),
    )
  })

  test('a tab-separated cell stays one cell', () => expect(tsvText('a\tb\r\nc\u2028d')).toBe('a b c d'))
})

describe('text for a table of Markdown', () => {
  test.each([
    ['a|b', 'a\\|b'],
    ['a\\', 'a\\\\'],
    ['a\r\nb\u2028c', 'a<br>b<br>c'],
    ['![x](https://evil.example/leak)', '!\\[x\\](https://evil.example/leak)'],
    ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)\\>'],
    ['`code`', '\\`code\\`'],
    ['\u001b[31m\u202e', '�\\[31m�'],
    ['half \ud800', 'half \ufffd'],
    ['funding_rate * 3', 'funding_rate * 3'],
  ])('%j is %j', (text, harmless) => expect(markdownCell(text)).toBe(harmless))
})

describe('text for a terminal', () => {
  test.each([
    ['\u001b[31mred', '�[31mred'],
    ['\u001b]0;title\u0007', '�]0;title�'],
    ['\u009b31m', '�31m'],
    ['\u0090q', '�q'],
    ['a\rb', 'a�b'],
    ['a\u0008b', 'a�b'],
    ['\u007f', '�'],
    ['evil\u202egpj.exe', 'evil�gpj.exe'],
    ['a\u2066b\u2069', 'a�b�'],
    ['a\u2028b', 'a�b'],
    ['zero\u200bwidth\ufeff', 'zero�width�'],
    ['\ud800', '�'],
    ['a\tb\nc', 'a\tb\nc'],
    ['perpetual-龙-USDT:USDT 👩‍🔬 é', 'perpetual-龙-USDT:USDT 👩‍🔬 é'],
  ])('%j is %j', (text, shown) => expect(terminalText(text)).toBe(shown))

  test('a cell stays on its line', () => expect(terminalCell('a\nerror: b\tc')).toBe('a�error: b�c'))
})

describe('the name of a file', () => {
  test.each([
    ['../../etc/passwd', '_.._etc_passwd'],
    ['..', 'file'],
    ['', 'file'],
    ['a\u0000b.csv', 'a_b.csv'],
    ['C:\\x\\y.csv', 'C__x_y.csv'],
    ['con', '_con'],
    ['NUL.csv', '_NUL.csv'],
    ['com1.perpscope', '_com1.perpscope'],
    ['evil\u202egpj.exe', 'evilgpj.exe'],
    ['trailing. . ', 'trailing'],
    ['.hidden', 'hidden'],
    ['a:b*c?d"e<f>g|h', 'a_b_c_d_e_f_g_h'],
    ['half\ud83d', 'half_'],
    ['龙 study.perpscope', '龙 study.perpscope'],
  ])('%j becomes %j', (name, safe) => expect(safeFileName(name)).toBe(safe))

  test('is never too long, half a character or another folder, and keeps its ending', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.constantFrom('.csv', '.parquet', ''),
        (name, ending) => {
          const safe = safeFileName(name + ending)
          expect(safe.isWellFormed()).toBe(true)
          expect(() => encodeURIComponent(safe)).not.toThrow()
          expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(250)
          expect(safe).toMatch(/^[^/\\\0]+$/)
          expect(['.', '..']).not.toContain(safe)
        },
      ),
    )
    expect(safeFileName(`${'x'.repeat(300)}.parquet`)).toMatch(/^x+\.parquet$/)
  })

  test.each(['-flow.csv', '.study.json', '-0123456789ab.parquet'])('keeps the whole ending %s', (ending) => {
    expect(fileNameWithEnding('a/b', ending)).toBe(`a_b${ending}`)
    for (const text of ['x'.repeat(300), '😀'.repeat(90), `nul.${'x'.repeat(90)}`]) {
      const name = fileNameWithEnding(text, ending)
      expect(name.endsWith(ending)).toBe(true)
      expect(safeFileName(name)).toBe(name)
    }
  })

  test('a cut never leaves half a character', () => {
    expect(cutText('a😀', 2)).toBe('a')
    expect(cutText('a😀', 3)).toBe('a😀')
    expect(cutText('abc', 2)).toBe('ab')
  })
})

test('what is copied from the result of a query is harmless to a spreadsheet, its head too', () => {
  const facts = { type: 'VARCHAR', kind: 'text', unit: null, isMixed: false } as const
  const attacks = ['=1+1', 'a;=1+1', '\n=1', '＝1', '＋1', '－1', '＠SUM(A1)', '\t=1', '\r=1', 'half \ud800']
  const frame = { rows: attacks.length, columns: [textColumn('c0', attacks)] }
  const copied = copiedText('tsv', frame, [{ ...facts, name: '=2+2' } as unknown as SqlColumnFacts])
  expect(copied.split('\n').slice(0, -1)).toEqual([
    "'=2+2",
    "'=1+1",
    "a;'=1+1",
    "' =1",
    "'＝1",
    "'＋1",
    "'－1",
    "'＠SUM(A1)",
    "' =1",
    "' =1",
    'half \ufffd',
  ])
})

test('what is copied from the result of a query keeps negative decimals numbers, days days, and microseconds', () => {
  const frame = {
    rows: 1,
    columns: [textColumn('a', ['-0.5']), timeColumn('b', [Date.UTC(2026, 7, 1)]), timeColumn('c', [0.001])],
  }
  const types = ['DECIMAL(2,1)', 'DATE', 'TIMESTAMP']
  const facts = frame.columns.map(({ name, kind }, at): SqlColumnFacts => ({
    name,
    type: types[at],
    kind,
    unit: null,
    quantity: null,
    warning: null,
  }))
  expect(copiedText('tsv', frame, facts)).toBe('a\tb\tc\n-0.5\t2026-08-01\t1970-01-01T00:00:00.000001Z\n')
})
