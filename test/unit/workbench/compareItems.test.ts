import { describe, expect, it } from 'vitest'
import { numberColumn, textColumn } from '#shared/contract/frame.ts'
import { addSeries } from '#shared/workspace/edit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'
import type { ColumnSource } from '#shared/workspace/workspaceSchema.ts'
import { figuresInView } from '../../../renderer/views/workbench/arrangeSeries.ts'
import { itemsOfVenue, itemTitle, matchingItems } from '../../../renderer/views/workbench/compareItems.ts'

const symbolOf = (asset: string) => `perpetual-${asset}-USDT:USDT`
const scanned = {
  rows: 3,
  columns: [
    textColumn('symbol', [symbolOf('BTC'), symbolOf('ETH'), symbolOf('SOL')]),
    numberColumn('value', [20_000, 1000, null]),
    numberColumn('first', [10_000, 2000, 0]),
    numberColumn('change', [10_000, -1000, 5]),
  ],
}
const listed = [symbolOf('ADA'), symbolOf('BTC'), symbolOf('SOL')]

describe('series to compare', () => {
  const here = new Set([symbolOf('BTC'), symbolOf('ETH'), symbolOf('SOL')])
  const items = itemsOfVenue('venuea', listed, here, scanned, true)

  it('have their last value and their change as a share, where there is one', () => {
    const figures = Object.fromEntries(items.map(({ symbol, last, change }) => [symbol, [last, change]]))
    expect(figures).toEqual({
      [symbolOf('BTC')]: [20_000, 1],
      [symbolOf('ETH')]: [1000, -0.5],
      [symbolOf('SOL')]: [null, null],
      [symbolOf('ADA')]: [null, null],
    })
    const absolute = itemsOfVenue('venuea', listed, here, scanned, false)
    expect(absolute.map(({ change }) => change)).toEqual([10_000, -1000, 5, null])
    expect(itemsOfVenue('venuea', listed, here, null, true).every(({ last }) => last === null)).toBe(true)
  })

  it('come cached first, by name, by last value or by change', () => {
    const order = (by: 'name' | 'last' | 'change', text = '') =>
      matchingItems(items, text, by).map((item) => itemTitle(item, false))
    expect(order('name')).toEqual(['BTC', 'ETH', 'SOL', 'ADA'])
    expect(order('last')).toEqual(['BTC', 'ETH', 'SOL', 'ADA'])
    expect(order('change', '')).toEqual(['BTC', 'ETH', 'SOL', 'ADA'])
    expect(order('name', 'ada')).toEqual(['ADA'])
    for (const text of ['ada perp', 'adausdt', 'ADA@venue']) expect(order('name', text), text).toEqual(['ADA'])
    expect(order('name', 'ada@elsewhere')).toEqual([])
    const majors = matchingItems(items, '', 'name', (symbol) => (symbol === symbolOf('ETH') ? 2 : 1))
    expect(majors.map((item) => itemTitle(item, false))).toEqual(['ETH', 'BTC', 'SOL', 'ADA'])
    expect(itemTitle(items[0], true)).toBe('BTC · venuea')
  })
})

describe('figures by which series are sorted', () => {
  const source: ColumnSource = {
    kind: 'column',
    dataset: 'ohlcv',
    column: 'close',
    exchange: 'venuea',
    symbol: symbolOf('BTC'),
    interval: '1h',
    timestamp: 'exchange',
    resampleTo: '',
    origin: 'service',
  }
  const document = [1, 2, 3].reduce((before) => addSeries(before, null, { source }).document, emptyDocument())
  const entries = allSeries(document)
  const values: Record<string, [number | null, number | null]> = {
    [entries[0].id]: [100, 110],
    [entries[1].id]: [-2, -1],
    [entries[2].id]: [0, 5],
  }
  const valueAt = async ({ id }: { id: string }, timeMs: number) => values[id][timeMs === 0 ? 0 : 1]

  it('are the last values, or the changes as a share of the size of the first', async () => {
    const figures = (by: 'last' | 'change') => figuresInView(entries, { startMs: 0, endMs: 9 }, by, valueAt)
    expect([...(await figures('last')).values()]).toEqual([110, -1, 5])
    expect([...(await figures('change')).values()]).toEqual([0.1, 0.5])
  })
})
