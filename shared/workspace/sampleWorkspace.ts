import { addSeries, changePane, changeSeries } from './edit.ts'
import type { SeriesStyle } from './chartStyle.ts'
import { allSeries, emptyDocument } from './workspace.ts'
import type { ColumnSource, WorkspaceDocument } from './workspaceSchema.ts'

export const SAMPLE_NAME = 'Sample'
/** Label of the downloads of the sample's files. */
export const SAMPLE_LABEL = 'Sample data'
/** Number of days in the sample, which ends yesterday; few enough to download within seconds. */
export const SAMPLE_DAYS = 10

const instrument = {
  kind: 'column',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '5m',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
} as const

const panes: readonly { title: string; series: readonly { dataset: string; column: string; style: SeriesStyle }[] }[] =
  [
    { title: 'Price', series: [{ dataset: 'ohlcv', column: 'close', style: 'candles' }] },
    { title: 'Order flow', series: [{ dataset: 'flow', column: 'volume_delta', style: 'bar' }] },
    { title: 'Funding', series: [{ dataset: 'funding', column: 'funding_rate', style: 'step' }] },
  ]

/** Lists the series of the sample on a venue, which must be downloaded. */
export const sampleSources = (exchange: string): ColumnSource[] =>
  panes.flatMap(({ series }) => series.map(({ dataset, column }) => ({ ...instrument, exchange, dataset, column })))

/** Builds a first chart for new users: price, order flow and funding of one perpetual swap on a venue. */
export function sampleDocument(exchange: string): WorkspaceDocument {
  let document = emptyDocument()
  for (const { title, series } of panes) {
    let paneId: string | null = null
    for (const { dataset, column, style } of series) {
      const added = addSeries(document, paneId, { source: { ...instrument, exchange, dataset, column }, style })
      document = changeSeries(added.document, added.entry.id, { colour: document.panes.length })
      paneId = added.paneId
    }
    if (paneId !== null) document = changePane(document, paneId, { title })
  }
  return document
}

/** Tells whether a workspace contains exactly the series of the sample and no notes. */
export function isUntouchedSample(document: WorkspaceDocument): boolean {
  const actual = allSeries(document).map(({ source }) =>
    source.kind === 'column' ? `${source.dataset}.${source.column} ${source.symbol} ${source.interval}` : '',
  )
  const expected = sampleSources('').map(
    ({ dataset, column, symbol, interval }) => `${dataset}.${column} ${symbol} ${interval}`,
  )
  return document.notes.length === 0 && actual.join('\n') === expected.join('\n')
}
