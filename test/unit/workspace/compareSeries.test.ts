import { describe, expect, it } from 'vitest'
import { symbolsNamed } from '#shared/catalog/symbolNames.ts'
import {
  addComparison,
  columnsFor,
  comparedTransform,
  roomFor,
  sortSeries,
  withColumns,
} from '#shared/workspace/compareSeries.ts'
import { addSeries } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { readDocument, type ColumnSource, type WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'

const source = (asset: string): ColumnSource => ({
  kind: 'column',
  dataset: 'ohlcv',
  column: 'close',
  exchange: 'venuea-futures',
  symbol: `perpetual-${asset}-USDT:USDT`,
  interval: '1h',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
})
const series = (...assets: string[]) => assets.map((label) => ({ source: source(label), label }))
const labels = ({ panes }: WorkspaceDocument) => panes.map((pane) => pane.series.map(({ label }) => label).join(' '))
const reread = (document: unknown) => {
  const read = readDocument(JSON.parse(JSON.stringify(document)))
  if ('problem' in read) throw new Error(read.problem)
  return read.document
}

describe('a comparison', () => {
  const withChart = addSeries(emptyDocument(), null, { source: source('BTC') }).document

  it('adds all series to one titled pane, in order, below what is there', () => {
    const together = { arrangement: 'together', transform: 'indexed', title: 'Close · 1h' } as const
    const document = reread(addComparison(withChart, { series: series('ETH', 'SOL', 'XRP'), ...together }))
    expect(labels(document)).toEqual(['', 'ETH SOL XRP'])
    expect(document.panes[1].title).toBe('Close · 1h')
    expect(document.panes[1].series.map(({ transform }) => transform)).toEqual(['indexed', 'indexed', 'indexed'])
    expect(document.panes[0].series[0].transform).toBe('none')
    expect(document).not.toHaveProperty('columns')
  })

  it('gives each series a pane of its own in a grid, up to the panes of a document', () => {
    const apart = { arrangement: 'apart', transform: 'none', title: '' } as const
    const assets = Array.from({ length: 40 }, (_, at) => `A${at}`)
    const document = reread(addComparison(withChart, { series: series(...assets), ...apart }))
    expect(document.panes).toHaveLength(24)
    expect(document.columns).toBe(4)
    expect(roomFor(document, 'apart')).toBe(0)
    expect(roomFor(document, 'together')).toBe(0)
    expect(addComparison(document, { series: series('ETH'), ...apart })).toEqual(document)
  })

  it('indexes prices, and levels that lie far apart, but nothing that can be zero or negative', () => {
    expect(comparedTransform('price', [])).toBe('indexed')
    expect(comparedTransform('volume', [10, 900])).toBe('indexed')
    expect(comparedTransform('volume', [10, 30])).toBe('none')
    expect(comparedTransform('rate', [0.0001, -0.0004])).toBe('none')
    expect(comparedTransform('ratio', [0, 100])).toBe('none')
    expect(comparedTransform('ratio', [NaN, 100])).toBe('none')
  })

  it('chooses more columns for more panes', () => {
    expect([1, 3, 4, 8, 9, 15, 16, 24].map(columnsFor)).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
  })
})

describe('columns of panes', () => {
  it('are an addition that documents of before lack', () => {
    const { columns, ...before } = withColumns(emptyDocument(), 3)
    expect(columns).toBe(3)
    expect(reread(before)).toEqual(emptyDocument())
    expect(withColumns({ ...before, columns: 3 }, 1)).not.toHaveProperty('columns')
  })

  it.each([0, 5, 1.5, -1, 1e9, '2', null])('are refused where they are %s', (columns) => {
    expect(readDocument({ ...emptyDocument(), columns })).toHaveProperty('problem')
  })
})

describe('sorting series', () => {
  const add = (document: WorkspaceDocument, pane: string | null, label: string) =>
    addSeries(document, pane, { source: source(label), label })

  it('sorts within panes, the largest first and those without a figure last', () => {
    const first = add(emptyDocument(), null, 'a')
    const document = add(add(first.document, first.paneId, 'b').document, first.paneId, 'c').document
    const [a, b, c] = document.panes[0].series.map(({ id }) => id)
    expect(labels(sortSeries(document, new Map([[b, 1], [c, 5]])))).toEqual(['c b a']) // prettier-ignore
    expect(labels(sortSeries(document, new Map([[a, -1], [b, -3]])))).toEqual(['a b c']) // prettier-ignore
  })

  it('sorts panes only where each has one series', () => {
    const one = add(add(emptyDocument(), null, 'a').document, null, 'b')
    const [a, b] = one.document.panes.map((pane) => pane.series[0].id)
    const figures = new Map([
      [a, 1],
      [b, 2],
    ])
    expect(labels(sortSeries(one.document, figures))).toEqual(['b', 'a'])
    const two = add(one.document, one.paneId, 'c').document
    expect(labels(sortSeries(two, figures))).toEqual(['a', 'b c'])
  })
})

describe('symbols in a text', () => {
  const symbols = [
    'perpetual-BTC-USD:USDC',
    'perpetual-BTC-USDT:USDT',
    'perpetual-ETH-USDT:USDT',
    'perpetual-ETH-USDC:USDC',
    'perpetual-龙-USDT:USDT',
    'perpetual-A-B-USDT:USDT',
  ]
  const on = [symbols, 'venuea-futures'] as const
  it('are found by ticker, by pair and by whole name, each once', () => {
    const { symbols: found, others } = symbolsNamed('btc, BTC; eth/usdc\n龙\tperpetual-ETH-USDT:USDT  A-B', ...on)
    expect(found).toEqual([symbols[1], symbols[3], symbols[4], symbols[2], symbols[5]])
    expect(others).toEqual([])
  })
  it('leave words that name none', () => {
    expect(symbolsNamed('BTC,DOGE,,constructor', ...on)).toEqual({
      symbols: [symbols[1]],
      others: ['DOGE', 'constructor'],
    })
    expect(symbolsNamed('  ,; ', ...on)).toEqual({ symbols: [], others: [] })
    const bitcoin = symbolsNamed('btc', ...on).symbols
    expect(symbolsNamed('BTC perp, btc-perp, btc@venuea', ...on)).toEqual({ symbols: bitcoin, others: [] })
    expect(symbolsNamed('btc@elsewhere', ...on)).toEqual({ symbols: [], others: ['btc@elsewhere'] })
    expect(symbolsNamed('perp', ['perpetual-PERP-USDT:USDT'], 'venuea-futures').symbols).toHaveLength(1)
  })
})
