import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import FoundSymbols from '../../renderer/views/catalog/FoundSymbols.vue'
import SaveListDialog from '../../renderer/widgets/SaveListDialog.vue'
import UndoImport from '../../renderer/views/raw/UndoImport.vue'
import CacheRemove from '../../renderer/views/settings/CacheRemove.vue'
import RemoveConnection from '../../renderer/views/settings/RemoveConnection.vue'
import { fakeConnection } from '../fakes/fakeWindowHost.ts'
import { button, mountWithHost } from './mountWithHost.ts'

it('a connection is removed without its files unless the person says so', async () => {
  const connection = fakeConnection({ id: 'c1', name: 'Desk' })
  const open = () =>
    mountWithHost(RemoveConnection, { connection }, (host) => {
      host.answer('cache.removePreview', () => ({ files: 3, sizeBytes: 2_000_000 }))
      host.answer('connections.remove', () => null)
      host.answer('cache.removeConnectionData', () => ({ files: 3, sizeBytes: 2_000_000 }))
    })
  const page = () => document.body.textContent ?? ''
  const press = (text: string) =>
    [...document.querySelectorAll('button')].findLast((each) => each.textContent?.trim() === text)?.click()
  const kept = await open()
  await flushPromises()
  expect(page()).toContain('Remove its 3 files too')
  expect(page()).toContain('Its files stay on disk.')
  press('Remove connection')
  await flushPromises()
  expect(kept.host.calls.map(([name]) => name)).not.toContain('cache.removeConnectionData')
  kept.wrapper.unmount()
  const gone = await open()
  await flushPromises()
  ;[...document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')].at(-1)?.click()
  await flushPromises()
  press('Remove connection')
  await flushPromises()
  expect(gone.host.calls.slice(-2)).toEqual([
    ['connections.remove', { id: 'c1' }],
    ['cache.removeConnectionData', { connectionId: 'c1' }],
  ])
})

it('a wrong import is removed again, and nothing but what it brought', async () => {
  const group = {
    exchange: 'venuea-futures',
    symbol: 'X',
    files: 4,
    datasets: ['trades', 'quotes'],
    first: '2026-09-01',
    last: '2026-09-03',
    imported: [
      { id: 'c', dataset: 'trades', period: '2026-09-03' },
      { id: 'a', dataset: 'trades', period: '2026-09-01' },
      { id: 'b', dataset: 'quotes', period: '2026-09-02' },
    ],
  }
  const { host, wrapper } = await mountWithHost(UndoImport, { group }, (each) =>
    each.answer('cache.remove', ({ periods }) => ({ files: periods!.length, sizeBytes: 1 })),
  )
  await button(wrapper, 'Undo import').trigger('click')
  await flushPromises()
  const place = { kind: 'raw', origins: ['import'], exchanges: ['venuea-futures'], symbols: ['X'] }
  // The import did not contain quotes of the 1st and 3rd, so those stay.
  expect(host.calls.filter(([name]) => name === 'cache.remove')).toEqual([
    ['cache.remove', { ...place, datasets: ['trades'], periods: ['2026-09-01', '2026-09-03'] }],
    ['cache.remove', { ...place, datasets: ['quotes'], periods: ['2026-09-02'] }],
  ])
  expect(wrapper.emitted('removed')).toEqual([[['c', 'a']], [['b']]])
})

it('the catalog search lists the symbols that it finds, and saves them as a list', async () => {
  const symbol = 'perpetual-龙-USDT:USDT'
  const { wrapper } = await mountWithHost(FoundSymbols, { query: '龙' }, (host) =>
    host.answer('discovery.searchSymbols', () => [{ exchange: 'venuea-futures', symbol }]),
  )
  await expect.poll(() => wrapper.text()).toContain(symbol)
  expect(wrapper.find('a').attributes('href')).toContain('/coverage?kind=metrics&venue=venuea-futures')
  await wrapper.find('button').trigger('click')
  expect(wrapper.findComponent(SaveListDialog).props('pairs')).toEqual([{ exchange: 'venuea-futures', symbol }])
})

it('files are removed by a filter once they were counted, tickers standing for their symbols', async () => {
  const btc = ['perpetual-BTC-USD:BTC', 'perpetual-BTC-USDT:USDT']
  const usage = (rows: string[]) => ({
    rows: rows.map((name) => ({ name, files: 1, pinned: 0, sizeBytes: 1 })),
    total: { files: 1, sizeBytes: 1 },
  })
  const { host, wrapper } = await mountWithHost(CacheRemove, {}, (each) => {
    each.answer('cache.usage', ({ by }) =>
      usage(by === 'symbol' ? [...btc, 'perpetual-ETH-USDT:USDT'] : by === 'dataset' ? ['flow'] : ['venuea-futures']),
    )
    each.answer('cache.removePreview', () => ({ files: 2, sizeBytes: 3_000_000 }))
    each.answer('cache.remove', () => ({ files: 2, sizeBytes: 3_000_000 }))
  })
  await flushPromises()
  const count = button(wrapper, 'Count files')
  expect(count.attributes('disabled')).toBeDefined()
  const [symbols, from, to] = wrapper.findAll('input[type=text]')
  await symbols.setValue('sol')
  expect(wrapper.text()).toContain('No cached symbol is called sol.')
  await symbols.setValue('btc')
  await from.setValue('2026-08-03')
  await to.setValue('2026-08-01')
  expect(wrapper.text()).toContain('The last day is before the first.')
  await to.setValue('2026-08-04')
  await count.trigger('click')
  await flushPromises()
  const which = { connectionId: 'sandbox', symbols: btc, startDay: 20_668, endDay: 20_670 }
  expect(host.calls.at(-1)).toEqual(['cache.removePreview', which])
  expect(wrapper.text()).toMatch(/2.files match, 3\.00.MB\./)
  await button(wrapper, 'Remove 2 files').trigger('click')
  await flushPromises()
  expect(host.calls.at(-1)).toEqual(['cache.remove', which])
})

it('counts the files of a row at once where its menu leads to their removal', async () => {
  const symbol = 'perpetual-BTC-USDT:USDT'
  const { host, wrapper } = await mountWithHost(
    { template: '<CacheRemove v-if="at" />', components: { CacheRemove }, computed: { at: atRow } },
    {},
    (each) => {
      each.answer('cache.usage', ({ by }) => ({
        rows: [{ name: by === 'symbol' ? symbol : by, files: 1, pinned: 0, sizeBytes: 1 }],
        total: { files: 1, sizeBytes: 1 },
      }))
      each.answer('cache.removePreview', () => ({ files: 1, sizeBytes: 3 }))
    },
  ).then(async (mounted) => {
    await mounted.router.push({ path: '/settings/cache', query: { dataset: 'flow', symbol, start: '2026-08-03' } })
    await flushPromises()
    return mounted
  })
  expect(wrapper.text()).not.toContain('No cached symbol')
  expect(host.calls.at(-1)).toEqual([
    'cache.removePreview',
    { connectionId: 'sandbox', datasets: ['flow'], symbols: [symbol], startDay: 20_668 },
  ])
  expect(wrapper.text()).toMatch(/1.file matches/)
})

/** Tells whether the address names a row. */
function atRow(this: { $route: { query: Record<string, unknown> } }): boolean {
  return Boolean(this.$route.query.symbol)
}
