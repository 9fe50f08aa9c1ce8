import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { playbooksFor } from '#shared/contract/playbooks/playbooks.ts'
import PlaybookDialog from '../../renderer/views/boards/PlaybookDialog.vue'
import FetchEvents from '../../renderer/views/raw/FetchEvents.vue'
import { button, mountWithHost } from './mountWithHost.ts'

const place = { venue: 'wren-futures', symbol: 'perpetual-ETH-USDT:USDT', portfolio: '', nowMs: Date.UTC(2026, 9, 31) }
const enqueued = { accepted: 1 } as never

it('opens a playbook only after what it lacks was looked up and queued, however soon one clicks', async () => {
  const playbook = playbooksFor(place).find(({ id }) => id === 'funding')!
  const queued: unknown[] = []
  let answer = () => {}
  const { wrapper } = await mountWithHost(PlaybookDialog, { playbook }, (host) => {
    host.answer(
      'downloads.preview',
      () => new Promise((resolve) => (answer = () => resolve({ toFetch: 3, planned: 3 } as never))),
    )
    host.answer('downloads.enqueue', ({ request }) => {
      queued.push(request.datasets)
      return enqueued
    })
  })
  document.querySelector('form')!.dispatchEvent(new Event('submit', { cancelable: true }))
  await flushPromises()
  expect(wrapper.emitted('create')).toBeUndefined()
  answer()
  await flushPromises()
  answer()
  await flushPromises()
  expect(queued).toEqual([['ohlcv', 'funding', 'basis']])
  expect(wrapper.emitted('create')).toHaveLength(1)
})

it('takes a symbol as people write it, also with its venue, and never opens another one than is typed', async () => {
  const playbook = playbooksFor(place).find(({ id }) => id === 'funding')!
  const symbols = { 'wren-futures': ['BTC-USDC:USDC', 'BTC-USDT:USDT'], 'heron-perps': ['BTC-USD:BTC'] }
  const { wrapper } = await mountWithHost(PlaybookDialog, { playbook }, (host) => {
    host.answer('connections.venues', () => Object.keys(symbols).map((id) => ({ ...venuesOfDocuments.list[0], id })))
    host.answer('downloads.preview', () => ({ toFetch: 0, planned: 0 }) as never)
    host.answer('discovery.symbols', ({ exchange }) => {
      const listed = symbols[exchange as keyof typeof symbols].map((pair) => `perpetual-${pair}`)
      return { symbols: listed } as never
    })
  })
  await flushPromises()
  const field = document.querySelector<HTMLInputElement>('input.symbol')!
  const type = async (text: string) => {
    field.value = text
    field.dispatchEvent(new Event('input'))
    field.dispatchEvent(new Event('change'))
    field.dispatchEvent(new Event('blur'))
    await flushPromises()
  }
  const main = () => document.querySelector<HTMLButtonElement>('button[type=submit]')!
  await type('btc perp')
  expect(field.value).toBe('BTC-USDT:USDT')
  await type('zzz')
  expect(document.querySelector('[role=alert]')?.textContent).toContain('“zzz” is not a symbol of this venue.')
  expect(main().disabled).toBe(true)
  document.querySelector('form')!.dispatchEvent(new Event('submit', { cancelable: true }))
  await flushPromises()
  expect(wrapper.emitted('create')).toBeUndefined()
  await type('BTC@heron')
  expect([field.value, main().disabled]).toEqual(['BTC-USD:BTC', false])
})

it('leads to the page of the guide on how to read it', async () => {
  const playbook = playbooksFor(place).find(({ id }) => id === 'slippage')!
  await mountWithHost(PlaybookDialog, { playbook }, (host) =>
    host.answer('lab.missing', () => ({ files: 0, requests: [] }) as never),
  )
  expect(document.querySelector('form a')?.getAttribute('href')).toContain('/guide/job-slippage')
})

it('downloads the trades and quotes of the day that is asked for', async () => {
  const queued: unknown[] = []
  const { wrapper } = await mountWithHost(
    FetchEvents,
    { exchange: place.venue, symbol: place.symbol, day: '2026-10-03' },
    (host) =>
      host.answer('downloads.enqueue', ({ request }) => {
        queued.push(request)
        return enqueued
      }),
  )
  await button(wrapper, 'Download trades and quotes of 2026-10-03').trigger('click')
  await flushPromises()
  expect(queued).toMatchObject([
    {
      ...{ kind: 'raw', datasets: ['trades', 'quotes'], exchanges: ['wren-futures'] },
      ...{ symbols: [place.symbol], startDay: '2026-10-03', endDay: '2026-10-03' },
    },
  ])
})
