import { expect, it } from 'vitest'
import { documentOf, shownSeries } from '#shared/workspace/shownSeries.ts'
import { workspaceDocument } from '#shared/workspace/workspaceSchema.ts'

const linkOf = (count: number) =>
  JSON.stringify(
    Array.from({ length: count }, (_, at) => ({
      dataset: 'flow',
      column: `c${at}`,
      exchange: 'venuea-futures',
      symbol: 'perpetual-BTC-USDT:USDT',
      interval: '1m',
      timestamp: 'exchange',
    })),
  )

it('a link of 60 columns opens a valid workspace with all of them, those beyond 24 panes in the last', () => {
  const document = documentOf(shownSeries(linkOf(60))!)
  expect(workspaceDocument.parse(document)).toEqual(document)
  expect(document.panes.map(({ series }) => series.length)).toEqual([...Array<number>(23).fill(1), 37])
})

it('a link of few columns opens a pane for each', () => {
  expect(documentOf(shownSeries(linkOf(3))!).panes.map(({ series }) => series.length)).toEqual([1, 1, 1])
})

it('shows the column that is known otherwise where a link to an undocumented dataset names none', () => {
  const link = JSON.stringify([
    {
      dataset: 'derivative_price',
      exchange: 'alpha-futures',
      symbol: 'ETH-USDT',
      interval: '1h',
      timestamp: 'exchange',
    },
  ])
  expect(shownSeries(link)).toBeNull()
  expect(shownSeries(link, () => 'last_price')).toMatchObject([{ dataset: 'derivative_price', column: 'last_price' }])
})

it('a link of the prices of several symbols indexes them, and those of one symbol stay prices', () => {
  const transformsOf = (column: string, ...places: [exchange: string, base: string][]) => {
    const rows = { dataset: column === 'close' ? 'ohlcv' : 'funding', column, interval: '1h', timestamp: 'exchange' }
    const series = places.map(([exchange, base]) => ({ ...rows, exchange, symbol: `perpetual-${base}-USDT:USDT` }))
    const { panes } = documentOf(shownSeries(JSON.stringify(series))!)
    return panes.map((pane) => pane.series.map(({ transform }) => transform))
  }
  expect(transformsOf('close', ['heron', 'BTC'], ['heron', 'SOL'])).toEqual([['indexed', 'indexed']])
  expect(transformsOf('close', ['heron', 'BTC'], ['ibis', 'BTC'])).toEqual([['none', 'none']])
  expect(transformsOf('close', ['heron', 'BTC'])).toEqual([['none']])
  expect(transformsOf('funding_rate', ['heron', 'BTC'], ['heron', 'SOL'])).toEqual([['none', 'none']])
})
