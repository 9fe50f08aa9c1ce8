import { expect, it } from 'vitest'
import { addSeries } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { chartMenuActions } from '../../renderer/views/workbench/chartMenu.ts'

const place = { exchange: 'wren-futures', symbol: 'perpetual-ETH-USDT:USDT' }
const timeMs = Date.UTC(2026, 9, 3, 12, 30)

/** The items of the menu of a pane with one series of a dataset, and the addresses that they opened. */
function menuOf(dataset: string, column: string, shown: { value: number; factor: number } | null = null) {
  const look = { interval: '1m', timestamp: 'exchange', resampleTo: '', origin: 'service' } as const
  const source = { kind: 'column' as const, dataset, column, ...place, ...look }
  const [pane] = addSeries(emptyDocument(), null, { source, style: 'line' }).document.panes
  const opened: unknown[] = []
  const drawn = {
    ...{ side: 'left', showsOwnQuantity: true, kind: 'bps', unit: 'bps', style: 'step' },
    ...{ series: { id: 's1', label: 'a  Funding rate' }, bounds: [0, 10] },
    affine: { factor: shown?.factor ?? 1, offset: 0 },
  }
  const axes = { left: { units: ['bps'], ticks: [] } }
  const view = {
    ...{ pane: { id: pane.id, title: '', series: [], scale: 'linear' }, axes: shown ? axes : {} },
    series: shown ? [drawn] : [],
  }
  const context = {
    ...{ pane, zone: 'utc', ownWindow: { title: '' } },
    open: (address: unknown) => opened.push(address),
    studyEvents: (...study: unknown[]) => opened.push(study),
  }
  const items = chartMenuActions(
    { view, timeMs, side: 'left', value: shown?.value ?? null } as never,
    { actions: {}, ...context } as never,
  )
  return { items, opened }
}

it('leads from a time of a chart to the trades of its symbol around it', () => {
  const { items, opened } = menuOf('ohlcv', 'close')
  void items.find(({ title }) => title === 'Trades here')?.run()
  expect(opened).toEqual([
    {
      path: '/raw/tape',
      query: { ...place, dataset: 'trades', period: '2026-10-03', at: '2026-10-03T12:28:00.000Z', minutes: '15' },
    },
  ])
})

it('leads to the same metrics at another interval', () => {
  const { items, opened } = menuOf('flow', 'volume_delta')
  void items.find(({ title }) => title === 'Compute at another interval …')?.run()
  expect(opened).toEqual([{ path: '/raw/compute', query: { ...place, metric: 'flow', timestamp: 'exchange' } }])
})

it.each([
  [8.12345, 'Event study of a ≥ 8.123 bps', { side: '>=', value: 0.000812345 }],
  [1.5, 'Event study of a ≤ 1.500 bps', { side: '<=', value: 0.00015 }],
])('leads from the value at the pointer, %d bps, to a study of such times', (value, title, threshold) => {
  const { items, opened } = menuOf('funding', 'funding_rate', { value, factor: 10_000 })
  const item = items.find(({ id }) => id === 'events')
  expect(item?.title).toBe(title)
  void item?.run()
  expect(opened).toEqual([['s1', threshold]])
})

it('offers no trades of a portfolio', () => {
  expect(menuOf('portfolio_returns', 'equity').items.map(({ id }) => id)).not.toContain('trades')
})
