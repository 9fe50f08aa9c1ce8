import { expect, it } from 'vitest'
import { addSeries } from '#shared/workspace/edit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'
import type { ColumnSource } from '#shared/workspace/workspaceSchema.ts'
import { columnsBySeries, withoutAbsent } from '../../../renderer/views/workbench/seriesData.ts'

const column = (dataset: string, name: string, exchange = 'venuea-futures'): ColumnSource => ({
  kind: 'column',
  dataset,
  column: name,
  exchange,
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
})

it('leaves out columns that no file has, unless nothing else is wanted', () => {
  const first = addSeries(emptyDocument(), null, { source: column('ohlcv', 'close'), style: 'candles' })
  const { document } = addSeries(first.document, null, { source: column('flow', 'gone') })
  const [candles, gone] = allSeries(document)
  const absent = (id: string) => (id === gone.id ? ['gone'] : ['volume'])
  const some = withoutAbsent([candles, gone], absent)
  expect(some.present.map(({ dataset, columns }) => [dataset, columns])).toEqual([
    ['ohlcv', ['open', 'high', 'low', 'close']],
  ])
  expect(some.absent).toEqual(['volume', 'gone'])
  expect(withoutAbsent([gone], absent)).toMatchObject({ present: [{ columns: ['gone'] }], absent: [] })
})

it('reads each series of a chart once, with all of its columns, and candles with theirs', () => {
  let document = emptyDocument()
  const add = (source: Parameters<typeof addSeries>[2]['source'], style: 'line' | 'candles' = 'line') =>
    (document = addSeries(document, null, { source, style }).document)
  add(column('flow', 'volume_delta'))
  add(column('flow', 'volume_delta', 'venueb-perps'))
  add({ kind: 'formula', formula: 'a - b' })
  add(column('flow', 'volume_buy'))
  add(column('flow', 'volume_delta'))
  add(column('ohlcv', 'close'), 'candles')
  expect(
    columnsBySeries(allSeries(document)).map(({ name, source, columns }) => [name, source.exchange, columns]),
  ).toEqual([
    ['a', 'venuea-futures', ['volume_delta', 'volume_buy']],
    ['b', 'venueb-perps', ['volume_delta']],
    ['f', 'venuea-futures', ['open', 'high', 'low', 'close', 'volume']],
  ])
})
