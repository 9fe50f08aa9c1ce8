import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { useCoverage } from '../../renderer/stores/coverage.ts'
import PricesView from '../../renderer/views/portfolios/prices/PricesView.vue'
import { useTurnover } from '../../renderer/widgets/turnover.ts'
import { mountWithHost } from './mountWithHost.ts'

const symbols = ['0G', 'BTC', 'ETH']
const names = ['kind', 'dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const
const cached: Frame = {
  rows: 2,
  columns: names.map((name) => {
    const texts = { kind: 'metrics', dataset: 'ohlcv', exchange: 'heron', interval: '1h', timestamp: 'exchange' }
    return textColumn(name, name === 'symbol' ? ['ETH', 'BTC'] : [texts[name], texts[name]])
  }),
}
const turnovers: Frame = {
  rows: 2,
  columns: [textColumn('symbol', ['ETH', 'BTC']), numberColumn('value', [30, 400])],
}

const List = defineComponent(() => {
  const { sortByTurnover, orderByTurnover, steadyUnderPointer } = useTurnover(() => ['heron'])
  void useCoverage().series.load()
  const column = textColumn('symbol', ['0G', 'ETH', '0G', 'BTC', 'ETH'])
  return () =>
    h('div', [
      h('ul', steadyUnderPointer, sortByTurnover(symbols).join(' ')),
      h('p', [...(orderByTurnover(column) ?? ['as it is'])].join(' ')),
    ])
})

async function mountList() {
  let answer = (_frame: Frame) => {}
  const scanned = new Promise<Frame>((resolve) => (answer = resolve))
  const { wrapper } = await mountWithHost(List, {}, (host) => {
    host.answer('coverage.cachedSeries', () => cached)
    const others = { sparks: { points: 0, values: new Float64Array() }, formulas: [], unit: null, unread: [] }
    host.answer('series.scan', async () => ({ frame: await scanned, ...others }))
  })
  await flushPromises()
  const shown = () => [wrapper.get('ul').text(), wrapper.get('p').text()]
  return { wrapper, shown, answer: () => (answer(turnovers), flushPromises()) }
}

it('puts the most traded symbols first, and the rows of a table likewise', async () => {
  const { shown, answer } = await mountList()
  expect(shown()).toEqual(['0G BTC ETH', 'as it is'])
  await answer()
  expect(shown()).toEqual(['BTC ETH 0G', '3 1 4 0 2'])
})

it('moves no row of a list that the pointer is over', async () => {
  const { wrapper, shown, answer } = await mountList()
  await wrapper.get('ul').trigger('pointerenter')
  await answer()
  expect(shown()[0]).toBe('0G BTC ETH')
  await wrapper.get('ul').trigger('pointerleave')
  expect(shown()[0]).toBe('BTC ETH 0G')
})

it('suggests the most traded of the tickers that were used, and well-known ones while no turnover is known', async () => {
  const [{ id: exchange }] = venuesOfDocuments.list
  let answer = (_frame: Frame) => {}
  const scanned = new Promise<Frame>((resolve) => (answer = resolve))
  const perpetuals = ['ETH', 'AAVE'].map((asset) => `perpetual-${asset}-USDT:USDT`)
  const texts = { symbol: perpetuals, exchange: [exchange, exchange] }
  const columns = cached.columns.map((column) =>
    column.name === 'symbol' || column.name === 'exchange' ? textColumn(column.name, texts[column.name]) : column,
  )
  const { wrapper } = await mountWithHost(PricesView, {}, (host) => {
    host.answer('portfolio.usedIds', () => ['0G', 'AAVE', 'BTC', 'ETH'].map((id) => ({ id, usedAt: 1 })))
    host.answer('coverage.cachedSeries', () => ({ ...cached, columns }))
    const others = { sparks: { points: 0, values: new Float64Array() }, formulas: [], unit: null, unread: [] }
    host.answer('series.scan', async () => ({ frame: await scanned, ...others }))
  })
  const suggested = () => wrapper.findAll('.start .button').map((each) => each.text())
  await expect.poll(() => suggested().slice(0, 4)).toEqual(['BTC', 'ETH', '0G', 'AAVE'])
  answer({ rows: 2, columns: [textColumn('symbol', perpetuals), numberColumn('value', [30, 400])] })
  await expect.poll(() => suggested().slice(0, 4)).toEqual(['AAVE', 'ETH', 'BTC', '0G'])
})
