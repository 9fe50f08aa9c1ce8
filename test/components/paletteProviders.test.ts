import { matchesSymbol, matchesVenue, symbolSearch } from '#shared/catalog/resolveSymbol.ts'
import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import { createProviders } from '../../renderer/shell/paletteProviders.ts'
import { mountWithHost } from './mountWithHost.ts'

const symbols = [
  'perpetual-BTC-USD:BTC',
  'perpetual-BTC-USDT:USDT',
  'perpetual-BTCDOM-USDT:USDT',
  'perpetual-ETH-USDT:USDT',
]

async function paletteOf() {
  const { host, router } = await mountWithHost(
    defineComponent(() => () => h('i')),
    {},
    (host) => {
      host.answer('discovery.symbols', () => ({
        symbols,
        freshness: { fetchedAt: 0, generatedAt: null, source: 'service' },
        changed: null,
      }))
      host.answer('discovery.searchSymbols', ({ text }) =>
        symbols
          .map((symbol) => ({ exchange: 'venuea-futures', symbol }))
          .filter(({ exchange, symbol }) => {
            const search = symbolSearch(text)
            return matchesVenue(search, exchange) && matchesSymbol(search, symbol)
          }),
      )
      host.answer('portfolio.usedIds', ({ kind }) => (kind === 'portfolio' ? [{ id: 'carry_ls.30', usedAt: 0 }] : []))
    },
  )
  const providers = createProviders(router)
  const find = async (query: string) => {
    const results = await Promise.all(providers.map((each) => each.find(query, new AbortController().signal)))
    return results.flat()
  }
  const exact = async (query: string) => (await find(query)).filter(({ isExact }) => isExact)
  return { host, router, find, exact }
}

it('names a symbol by its ticker, and not those that only hold its letters', async () => {
  const { find, exact } = await paletteOf()
  expect((await exact('btc')).map(({ id }) => id)).toEqual([
    'symbol.venuea-futures.perpetual-BTC-USDT:USDT',
    'symbol.venuea-futures.perpetual-BTC-USD:BTC',
  ])
  expect((await find('btc')).map(({ title }) => title)).toContain('BTCDOM-USDT:USDT')
})

it('names columns by their id, their label and the words of the trade', async () => {
  const { exact } = await paletteOf()
  expect((await exact('cvd'))[0]).toMatchObject({ hint: 'flow.volume_delta' })
  expect((await exact('ohlcv.close'))[0]).toMatchObject({ hint: 'ohlcv.close' })
  expect((await exact('volume delta'))[0]).toMatchObject({ hint: 'flow.volume_delta' })
})

it('opens a metric of a symbol as a quick look, whichever word comes first', async () => {
  const { exact, router } = await paletteOf()
  const withVenue = ['funding btc venuea', 'btc venuea-futures funding', 'funding btc perp']
  for (const query of ['btc funding', 'FUNDING btc', 'funding × btc', 'btc x funding', ...withVenue]) {
    const [chart] = await exact(query)
    expect(chart).toMatchObject({ title: 'Funding rate of BTC', hint: 'venuea-futures · funding.funding_rate' })
    await chart.run()
    await flushPromises()
    expect(JSON.parse(String(router.currentRoute.value.query.show))).toEqual([
      expect.objectContaining({ dataset: 'funding', column: 'funding_rate', symbol: symbols[1], interval: '1m' }),
    ])
  }
})

it('finds a symbol beside the word of its venue', async () => {
  const { exact } = await paletteOf()
  expect((await exact('btc venuea')).map(({ hint }) => hint)).toEqual(['venuea-futures', 'venuea-futures'])
  expect(await exact('btc venuec')).toEqual([])
})

it('offers a day and a portfolio by its id', async () => {
  const { exact, router } = await paletteOf()
  expect((await exact('2026-10-03')).map(({ title }) => title)).toEqual(['Show 2026-10-03'])
  expect(await exact('2026-13-03')).toEqual([])
  await flushPromises()
  const [portfolio] = await exact('CARRY_ls.30')
  await portfolio.run()
  expect(router.currentRoute.value.fullPath).toBe('/portfolios/portfolio?portfolio=carry_ls.30')
})
