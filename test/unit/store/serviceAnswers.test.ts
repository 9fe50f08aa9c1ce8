import { expect, test } from 'vitest'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const old = {
  name: 'Desk',
  metricsUrl: 'https://a.example',
  portfolioUrl: 'https://p.example',
  catalogLocation: '',
  tier: null,
}
const key = { connectionId: 'desk', endpoint: 'tickers', query: 'x' }
const fetched = { fetchedAtMs: 1, source: 'https://p.example/api/v1/tickers', problems: [] }
const document = (name: string) => ({
  connectionId: 'desk',
  name,
  body: '[]',
  fetchedAtMs: 1,
  generatedAtMs: null,
  source: 'https://a.example',
})

function openFilledStore() {
  const store = openTestStore()
  store.coverage.replaceSymbols(document('symbols/v'), 'v', ['BTC'])
  store.coverage.saveDocument(document('raw-catalog'))
  const series = flowSeries({ connectionId: 'desk' })
  store.unavailable.recordAbsent(series, ['2026-08-01'], 1)
  store.unavailable.recordRefusal({
    connectionId: 'desk',
    kind: 'metrics',
    dataset: 'flow',
    interval: '',
    message: null,
    atMs: 1,
  })
  store.portfolio.saveTickers(key, ['BTC'], fetched)
  const known = () => ({
    symbols: store.coverage.symbols('desk', 'v').length,
    catalog: store.coverage.document('desk', 'raw-catalog') ? 1 : 0,
    absent: store.unavailable.absentPeriods(series, 0, 100_000).length,
    refusals: store.unavailable.refusals('desk').length,
    portfolio: store.portfolio.find(key) ? 1 : 0,
  })
  return { store, known }
}

test('another metrics service says what is there by itself', () => {
  const { store, known } = openFilledStore()
  store.serviceAnswers.handleAddressChange('desk', old, { ...old, metricsUrl: 'https://b.example' })
  expect(known()).toEqual({ symbols: 0, catalog: 0, absent: 0, refusals: 0, portfolio: 1 })
})

test('a catalog of its own address stays when the metrics service moves', () => {
  const { store, known } = openFilledStore()
  const typed = { ...old, catalogLocation: 'https://c.example/catalog.json' }
  store.serviceAnswers.handleAddressChange('desk', typed, { ...typed, metricsUrl: 'https://b.example' })
  expect(known()).toMatchObject({ symbols: 0, catalog: 1 })
})

test('portfolio answers of another address are set aside, and come back with it', () => {
  const { store, known } = openFilledStore()
  const moved = { ...old, portfolioUrl: 'https://q.example' }
  store.serviceAnswers.handleAddressChange('desk', old, moved)
  expect(known()).toMatchObject({ symbols: 1, portfolio: 0 })
  store.portfolio.saveTickers(key, ['ETH'], { ...fetched, source: 'https://q.example/api/v1/tickers' })
  const without = { ...old, portfolioUrl: '' }
  store.serviceAnswers.handleAddressChange('desk', moved, without)
  expect(known()).toMatchObject({ portfolio: 1 })
  store.serviceAnswers.handleAddressChange('desk', without, old)
  expect(store.portfolio.tickerLists(store.portfolio.find(key)?.id ?? 0, 5).map(({ tickers }) => tickers)).toEqual([
    ['BTC'],
  ])
})

test('nothing is left of a connection that is forgotten, set aside or not', () => {
  const { store, known } = openFilledStore()
  store.serviceAnswers.handleAddressChange('desk', old, { ...old, portfolioUrl: 'https://q.example' })
  store.portfolio.saveTickers({ ...key, connectionId: 'desk2' }, ['BTC'], fetched)
  store.serviceAnswers.forget('desk')
  expect(known()).toEqual({ symbols: 0, catalog: 0, absent: 0, refusals: 0, portfolio: 0 })
  expect(store.database.reads.all('SELECT connection_id FROM portfolio_requests')).toEqual([{ connection_id: 'desk2' }])
})
