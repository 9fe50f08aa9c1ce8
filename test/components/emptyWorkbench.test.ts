import { expect, it } from 'vitest'
import { type Frame, numberColumn, textColumn } from '#shared/contract/frame.ts'
import EmptyWorkbench from '../../renderer/views/workbench/EmptyWorkbench.vue'
import { button, mountWithHost } from './mountWithHost.ts'

/** Cached series, as `symbol interval`; none of their candles are read before they are charted. */
function cachedOf(...series: string[]): Frame {
  const words = series.map((each) => each.split(' '))
  const same = { kind: 'metrics', dataset: 'ohlcv', exchange: 'heron-perps', timestamp: 'exchange' }
  const columns = [
    ...Object.entries(same).map(([name, value]) =>
      textColumn(
        name,
        words.map(() => value),
      ),
    ),
    textColumn(
      'symbol',
      words.map(([base]) => `perpetual-${base}-USDT:USDT`),
    ),
    textColumn(
      'interval',
      words.map(([, interval]) => interval),
    ),
  ]
  return { rows: series.length, columns }
}
const scanned = (values: Record<string, number>) => ({
  frame: {
    rows: Object.keys(values).length,
    columns: [
      textColumn(
        'symbol',
        Object.keys(values).map((base) => `perpetual-${base}-USDT:USDT`),
      ),
      numberColumn('value', Object.values(values)),
    ],
  },
  ...{ sparks: { points: 0, values: new Float64Array() }, formulas: [], unit: null, unread: [] },
})

it('charts the most traded candles that are here in one click', async () => {
  const { wrapper } = await mountWithHost(EmptyWorkbench, {}, (host) => {
    host.answer('coverage.cachedSeries', () => cachedOf('ADA 1h', 'BTC 1d', 'BTC 5m'))
    host.answer('series.scan', ({ column }) => scanned(column === 'volume' ? { ADA: 9, BTC: 5 } : { ADA: 1, BTC: 90 }))
  })
  await expect.poll(() => wrapper.text()).toContain('Chart BTC · heron · 5m')
  await button(wrapper, 'Chart BTC · heron · 5m').trigger('click')
  expect(wrapper.emitted('chart')).toMatchObject([
    [{ dataset: 'ohlcv', exchange: 'heron-perps', symbol: 'perpetual-BTC-USDT:USDT', interval: '5m' }],
  ])
})

it('leads to the first series where no candles are here', async () => {
  const { wrapper } = await mountWithHost(EmptyWorkbench, {}, (host) =>
    host.answer('coverage.cachedSeries', () => ({ rows: 0, columns: [] })),
  )
  expect(wrapper.find('.button.main').text()).toBe('Add series')
})
