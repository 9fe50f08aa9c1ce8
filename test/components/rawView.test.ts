import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { textColumn, type Frame } from '#shared/contract/frame.ts'
import RawView from '../../renderer/views/raw/RawView.vue'
import { mountWithHost } from './mountWithHost.ts'

const seriesOf = (symbols: readonly string[]): Frame => ({
  rows: symbols.length,
  columns: [
    textColumn(
      'kind',
      symbols.map(() => 'raw'),
    ),
    textColumn(
      'exchange',
      symbols.map(() => 'venuea-futures'),
    ),
    textColumn('symbol', symbols),
  ],
})

it('lists the instruments that another program downloads while the screen is open', async () => {
  let cached: string[] = []
  const { host, wrapper, router } = await mountWithHost(RawView, {}, (fake) => {
    fake.answer('coverage.cachedSeries', () => seriesOf(cached))
    fake.answer('raw.files', () => ({ files: [] }))
    fake.answer('raw.inspect', () => ({ files: [], others: 0 }))
  })
  await router.push('/raw/files')
  await flushPromises()
  expect(wrapper.text()).not.toContain('SOL')
  cached = ['perpetual-SOL-USDT:USDT']
  // A download by another process changes the queue, and no other event reports it.
  host.emit('downloads.finished', { done: 1, failed: 0 })
  await flushPromises()
  expect(host.calls).toContainEqual(['raw.files', { exchange: 'venuea-futures', symbol: cached[0] }])
})
