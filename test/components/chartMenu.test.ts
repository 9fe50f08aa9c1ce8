import { expect, it } from 'vitest'
import { addSeries } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { chartMenuActions } from '../../renderer/views/workbench/chartMenu.ts'

const place = { exchange: 'wren-futures', symbol: 'perpetual-ETH-USDT:USDT' }
const timeMs = Date.UTC(2026, 9, 3, 12, 30)

/** The items of the menu of a pane with one series of a dataset, and the addresses that they opened. */
function menuOf(dataset: string, column: string) {
  const look = { interval: '1m', timestamp: 'exchange', resampleTo: '', origin: 'service' } as const
  const source = { kind: 'column' as const, dataset, column, ...place, ...look }
  const [pane] = addSeries(emptyDocument(), null, { source, style: 'line' }).document.panes
  const opened: unknown[] = []
  const view = { pane: { id: pane.id, title: '', series: [], scale: 'linear' }, axes: {}, series: [] }
  const context = { pane, zone: 'utc', open: (address: unknown) => opened.push(address), ownWindow: { title: '' } }
  const items = chartMenuActions(
    { view, timeMs, side: 'left', value: null } as never,
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

it('offers no trades of a portfolio', () => {
  expect(menuOf('portfolio_returns', 'equity').items.map(({ id }) => id)).not.toContain('trades')
})
