import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { readyStudiesOn } from '#shared/lab/readyStudies.ts'
import { notebookText } from '#shared/report/notebook.ts'
import type { PartQuery } from '#shared/report/reportContent.ts'
import { workspaceDocument } from '#shared/workspace/workspaceSchema.ts'

const { studies } = readyStudiesOn({ venue: 'venuea-futures', nowMs: Date.UTC(2026, 7, 15) })
const column = {
  kind: 'column',
  dataset: 'ohlcv',
  column: 'close',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
}
const workspace = workspaceDocument.parse({
  version: 1,
  panes: [
    {
      id: 'p',
      title: 'Price "spot"',
      series: [
        { id: 'a', name: 'a', source: column },
        { id: 'b', name: 'b', source: { kind: 'formula', formula: 'sma(a, 24) / a' } },
      ],
    },
  ],
})
const parts: PartQuery[] = [
  { kind: 'study', document: studies[0].document, panel: null, against: null },
  { kind: 'study', document: studies[1].document, panel: "my 'panel'.csv", against: null },
  {
    kind: 'sql',
    name: 'Closes',
    sql: 'SELECT close\nFROM metrics.ohlcv\nWHERE symbol = $s -- """',
    parameters: { s: 'x' },
  },
  { kind: 'workbench', name: 'Desk', document: workspace, startMs: 0, endMs: 86_400_000 },
  {
    kind: 'tearsheet',
    ...{ portfolio: 'momentum_ls.20', smoothing: null, exchange: null, benchmark: 'BTC', riskFree: 0, rolling: null },
    ...{ start: '2026-01-01', end: null, returns: null },
  },
]

interface Notebook {
  nbformat: number
  cells: { cell_type: string; id: string; source: string[]; outputs?: unknown[] }[]
}
const read = (query: Parameters<typeof notebookText>[0]) =>
  JSON.parse(notebookText(query, { version: '1.2.3', note: 'My *note*' })) as Notebook
const codeOf = ({ cells }: Notebook) =>
  cells.filter(({ cell_type }) => cell_type === 'code').map(({ source }) => source.join(''))

it('writes the parts of a board as cells on the Python module, with nothing computed', () => {
  const notebook = read({ kind: 'board', name: 'Morning', parts: [{ kind: 'text', markdown: '# Hello' }, ...parts] })
  expect(notebook).toMatchObject({ nbformat: 4, nbformat_minor: 5 })
  expect(new Set(notebook.cells.map(({ id }) => id)).size).toBe(notebook.cells.length)
  const texts = notebook.cells.map(({ source }) => source.join(''))
  expect(texts[0]).toMatch(/^# Morning\n/)
  expect(texts).toEqual(expect.arrayContaining(['My *note*', '# Hello', '## Closes', '## Desk', '## momentum_ls.20']))
  expect(texts.join('\n')).toContain('Rank **42 symbols** of **venuea-futures** by **-sma(funding.funding_rate, 24)**')
  const code = codeOf(notebook).join('\n')
  expect(code).toContain('perpscope.study(document)')
  expect(code).toContain('a = perpscope.scan("ohlcv", **{')
  expect(code).toContain('b = perpscope.formula("sma(ohlcv.close, 24) / ohlcv.close", **{')
  expect(code).toContain('perpscope.history("returns", **{"portfolio": "momentum_ls.20", "start": "2026-01-01"})')
})

it.skipIf(spawnSync('python3', ['--version']).status !== 0)('writes Python that Python can read', () => {
  const code = parts.flatMap((part) => codeOf(read(part))).map((text) => text.replaceAll(/^!.*$/gm, 'pass'))
  const check = 'import ast, json, sys\nfor cell in json.load(sys.stdin): ast.parse(cell)'
  const { status, stderr } = spawnSync('python3', ['-c', check], { input: JSON.stringify(code), encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})
