import { describe, expect, it } from 'vitest'
import { createOutput, tableLines, type OutputOptions } from '../../../electron/cli/print.ts'

function capture(options: Partial<Pick<OutputOptions, 'json' | 'quiet' | 'env'>> & { terminal?: boolean } = {}) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => (written[name] += text),
    isTTY: options.terminal === true,
    columns: 60,
  })
  const { json = false, quiet = false, env = {} } = options
  const out = createOutput({ json, quiet, env, stdout: sink('stdout'), stderr: sink('stderr') })
  return { out, written }
}

describe('output', () => {
  it('keeps results on stdout and everything else on stderr', () => {
    const { out, written } = capture()
    out.result({ a: 1 }, () => ['one', 'two'])
    out.note('by the way')
    out.problem('oh')
    expect(written).toEqual({ stdout: 'one\ntwo\n', stderr: 'by the way\noh\n' })
  })

  it('prints each line before the next is made, because the lines of a long table are not in memory together', () => {
    const { out, written } = capture()
    const before: string[] = []
    out.result(null, function* () {
      for (const line of ['one', 'two']) {
        before.push(written.stdout)
        yield line
      }
    })
    expect(before).toEqual(['', 'one\n'])
  })

  it('prints one JSON document, and a line of JSON for each record', () => {
    const { out, written } = capture({ json: true })
    out.result({ a: 1 }, () => ['one'])
    out.record({ b: null }, () => 'two')
    expect(written.stdout).toBe('{"a":1}\n{"b":null}\n')
  })

  it('writes a small document and its line end at once, because its reader may close the pipe after the first bytes', () => {
    const written: unknown[] = []
    const sink = { write: (data: unknown) => written.push(data) }
    const out = createOutput({ json: true, quiet: false, env: {}, stdout: sink, stderr: sink })
    out.result({ url: 'http://127.0.0.1:1' }, () => [])
    expect(written).toEqual(['{"url":"http://127.0.0.1:1"}\n'])
  })

  it('prints a large document whole', () => {
    const { out, written } = capture({ json: true })
    const rows = Array.from({ length: 9000 }, (_, at) => ({ at }))
    out.result({ rows }, () => [])
    expect(written.stdout).toBe(`${JSON.stringify({ rows })}\n`)
  })

  it('is quiet about notes and progress, never about problems', () => {
    const { out, written } = capture({ quiet: true })
    out.note('note')
    out.progress({ done: 1, total: 2, message: 'half' })
    out.problem('problem')
    expect(written.stderr).toBe('problem\n')
  })

  it('shows progress as plain lines, each tenth once, where there is no terminal', () => {
    const { out, written } = capture()
    for (let done = 0; done <= 1000; done++) out.progress({ done, total: 1000, message: 'files' })
    const lines = written.stderr.trim().split('\n')
    expect(lines).toHaveLength(11)
    expect(lines[0]).toBe('files: 0 %')
    expect(lines.at(-1)).toBe('files: 100 %')
    expect(written.stderr).not.toContain('\x1b')
  })

  it.each([null, 2])('a message of a bar cannot drive the terminal or be half a character (of %s)', (total) => {
    const { out, written } = capture({ terminal: true })
    out.progress({ done: 1, total, message: `\x1b]0;owned\x07\r\nfile \u202e${'😀'.repeat(100)}` })
    const bar = written.stderr.replace('\r\x1b[K', '')
    expect(bar).not.toMatch(/[\x1b\x07\r\n\u202e]/)
    expect(bar.isWellFormed()).toBe(true)
  })

  it('shows a bar that fits the terminal and gives way to other lines', () => {
    const { out, written } = capture({ terminal: true })
    out.progress({ done: 1, total: 2, message: 'x'.repeat(200) })
    const bar = written.stderr.replace('\r\x1b[K', '')
    expect(bar).toMatch(/^█{12}░{12} 50 % x+$/)
    expect(bar.length).toBeLessThan(60)
    out.note('done')
    expect(written.stderr.endsWith('\r\x1b[Kdone\n')).toBe(true)
  })

  it('shows no escape of a name in the bar', () => {
    const { out, written } = capture({ terminal: true })
    out.progress({ done: 1, total: 2, message: 'a\u001b[2Jb' })
    expect(written.stderr.replace('\r\x1b[K', '')).not.toContain('\u001b')
  })

  it('colours problems on a terminal only, and not where NO_COLOR is set', () => {
    const isRed = (options: Parameters<typeof capture>[0]) => {
      const { out, written } = capture(options)
      out.problem('oh')
      return written.stderr.includes('\x1b[31m')
    }
    expect(isRed({ terminal: true })).toBe(true)
    expect(isRed({ terminal: true, env: { NO_COLOR: '1' } })).toBe(false)
    expect(isRed({})).toBe(false)
  })

  it('lets no control character of a foreign name through to the terminal', () => {
    const { out, written } = capture()
    out.line('a\x1b]0;title\x07b\rc')
    expect(written.stdout).toBe('a�]0;title�b�c\n')
  })
})

describe('tableLines', () => {
  it('aligns columns, wide characters included', () => {
    const rows = [
      ['NAME', 'TIER'],
      ['龙', '1'],
      ['desk', ''],
    ]
    expect(tableLines(rows)).toEqual(['NAME  TIER', '龙    1', 'desk'])
  })
})

describe('a table that is wider than the terminal', () => {
  const isNumber = (column: number) => column > 1
  const rows = [
    ['SYMBOL', 'VENUE', 'LAST', 'CHANGE'],
    ['BTC', 'venuea-futures', '20 712', '1.2'],
    ['ETH', 'venuea-futures', '1 126', '0.3'],
  ]

  it('is folded into tables that fit, whose rows are named as in the first', () => {
    expect(tableLines(rows, isNumber, 24)).toEqual([
      'SYMBOL  VENUE',
      'BTC     venuea-futures',
      'ETH     venuea-futures',
      '',
      'SYMBOL    LAST  CHANGE',
      'BTC     20 712     1.2',
      'ETH      1 126     0.3',
    ])
    const empty = rows.map((row, at) => (at === 0 ? row : [...row.slice(0, 2), '–', '']))
    expect(tableLines(empty, isNumber, 24)).toHaveLength(3)
    expect(tableLines(rows, isNumber, 40)).toHaveLength(3)
    expect(tableLines(rows, isNumber, null)).toHaveLength(3)
  })

  it('continues the sentences of its last column below, where that takes few lines', () => {
    const described = [
      ['COLUMN', 'TYPE', 'DESCRIPTION'],
      ['open', 'DOUBLE', 'Price of the first trade'],
      ['clock', 'VARCHAR', 'Clock that assigns events to intervals'],
    ]
    expect(tableLines(described, undefined, 44)).toEqual([
      'COLUMN  TYPE     DESCRIPTION',
      'open    DOUBLE   Price of the first trade',
      'clock   VARCHAR  Clock that assigns events',
      '                 to intervals',
    ])
    const long = described.map((row) => [row[0], row[1], row[2].replaceAll(' ', '_').repeat(9)])
    expect(tableLines(long, undefined, 44).slice(0, 4)).toEqual([
      'COLUMN  TYPE',
      'open    DOUBLE',
      'clock   VARCHAR',
      '',
    ])
    const narrow = tableLines(described, undefined, 36)
    expect(narrow).toContain('clock   Clock that assigns events to')
    expect(narrow).toContain('        intervals')
  })

  it('numbers its rows where the first column does not name them, and cuts what fits nowhere', () => {
    const alike = rows.map((row, at) => (at === 0 ? row : ['ohlcv', ...row.slice(1)]))
    const lines = tableLines(alike, isNumber, 18)
    expect(lines.slice(0, 3)).toEqual(['ROW  SYMBOL', '1    ohlcv', '2    ohlcv'])
    expect(lines).toContain('1    venuea-future')
    expect(lines.every((line) => line.length <= 18)).toBe(true)
  })
})
