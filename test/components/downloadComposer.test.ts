import { flushPromises } from '@vue/test-utils'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DownloadPreview } from '#shared/contract/areas/downloads.ts'
import { AppError } from '#shared/contract/errors.ts'
import { useDownloads } from '../../renderer/stores/downloads.ts'
import {
  draftOf,
  firstDraft,
  isLastChoice,
  requestProblem,
  lastChoiceOf,
  requestOfDraft,
  presetDays,
} from '../../renderer/views/downloads/draft.ts'
import { symbolOfTicker } from '#shared/catalog/symbolNames.ts'
import { symbolsIn } from '../../renderer/views/downloads/symbolSearch.ts'
import DownloadComposer from '../../renderer/views/downloads/DownloadComposer.vue'
import PauseBanners from '../../renderer/views/downloads/PauseBanners.vue'
import { fakeConnection, type FakeWindowHost } from '../fakes/fakeWindowHost.ts'
import { button, mountWithHost } from './mountWithHost.ts'

const BTC = 'perpetual-BTC-USDT:USDT'
const ETH = 'perpetual-ETH-USDT:USDT'
const nowMs = Date.parse('2026-03-01T10:00:00Z')

const preview: DownloadPreview = {
  files: { cached: 2, partial: 0, missing: 3, absent: 0, gap: 0, locked: 4, unknown: 0 },
  toFetch: 3,
  bytes: 12_300_000,
  withoutSize: 0,
  outsideListing: 0,
  locked: [{ dataset: 'l2_liquidity', interval: '15s', neededTier: 3, refusal: null }],
  firstPeriod: '2026-02',
  lastPeriod: '2026-02',
}

describe('a draft', () => {
  it('starts with an hour, exchange time and the last full month', () => {
    const draft = draftOf({}, nowMs, 'heron-perps')
    expect(draft).toMatchObject({ intervals: ['1h'], timestamps: ['exchange'] })
    expect([draft.startDay, draft.endDay]).toEqual(['2026-02-01', '2026-02-28'])
    expect(requestProblem(draft)).toBe('Choose at least one symbol.')
    expect(requestOfDraft(draft)).toBeNull()
  })

  it('takes an address’s choice and passes over what is no day', () => {
    const draft = draftOf(
      { dataset: 'flow,vtwap', symbol: [BTC], start: '2026-02-30', end: '2026-02-10' },
      nowMs,
      'heron-perps',
    )
    expect(requestOfDraft(draft)).toMatchObject({
      datasets: ['flow', 'vtwap'],
      symbols: [BTC],
      startDay: '2026-02-01',
      endDay: '2026-02-10',
    })
  })

  it('finds the symbols in a text, in any script, also as the screen shows them', () => {
    expect(symbolsIn('ETH-USDT:USDT SOL').symbols).toEqual(['perpetual-ETH-USDT:USDT'])
    expect(symbolsIn(`symbol\n"${BTC}", perpetual-龙-USDT:USDT;${BTC}`)).toEqual({
      symbols: [BTC, 'perpetual-龙-USDT:USDT'],
      others: ['symbol'],
    })
  })

  it('takes a bare ticker as the symbol with the most usual quote', () => {
    const symbols = ['perpetual-BTC-USD:BTC', 'perpetual-BTC-USDC:USDC', BTC, 'perpetual-BTCDOM-USDT:USDT']
    expect(symbolOfTicker(symbols, 'btc')).toBe(BTC)
    expect(symbolOfTicker(symbols.slice(0, 2), 'BTC')).toBe('perpetual-BTC-USDC:USDC')
    expect(symbolOfTicker(symbols, 'ETH')).toBeNull()
  })

  it('begins with the choice of the last download, whose preset moves on with the days', () => {
    const draft = { ...draftOf({ dataset: 'flow', symbol: BTC }, nowMs, 'heron-perps'), intervals: ['1m'] }
    const last = lastChoiceOf(draft, 'week')
    expect(isLastChoice(JSON.parse(JSON.stringify(last)))).toBe(true)
    const next = firstDraft({}, nowMs + 86_400_000, 'heron-perps', [], last)
    expect(next).toMatchObject({ datasets: ['flow'], symbols: [BTC], intervals: ['1m'], endDay: '2026-03-01' })
    expect(firstDraft({ dataset: 'vtwap' }, nowMs, 'heron-perps', [], last)).toEqual(
      draftOf({ dataset: 'vtwap' }, nowMs, 'heron-perps'),
    )
    expect(isLastChoice({ choice: { kind: 'metrics', datasets: [1] }, preset: null })).toBe(false)
  })

  it('ranges over days that are over', () => {
    expect(presetDays('week', nowMs)).toEqual({ startDay: '2026-02-22', endDay: '2026-02-28' })
    expect(presetDays('year', Date.parse('2026-01-01T00:00:00Z'))).toEqual({
      startDay: '2025-01-01',
      endDay: '2025-12-31',
    })
  })
})

describe('the composer', () => {
  const open = (prepare: (host: FakeWindowHost) => void) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    return mountWithHost(DownloadComposer, {}, (host) => {
      const freshness = { fetchedAt: 0, generatedAt: null, source: '' }
      host.answer('discovery.symbols', () => ({ symbols: [BTC], freshness, changed: null }))
      host.answer('discovery.searchSymbols', () => [{ exchange: 'venuea-futures', symbol: BTC }])
      prepare(host)
    })
  }
  const settle = async () => {
    await flushPromises()
    await vi.advanceTimersByTimeAsync(300)
    await flushPromises()
  }

  it('of a connection of previews offers one venue, its symbol and the month, and nothing else', async () => {
    const { wrapper, host } = await open((host) => {
      host.answer('connections.list', () => [fakeConnection({ active: true, preview: true })])
      host.answer('downloads.preview', () => preview)
      host.answer('discovery.rawCatalog', () => ({
        changed: null,
        catalog: {
          freshness: { fetchedAt: 0, generatedAt: null, source: '' },
          ...{ schemaVersion: 1, dailyFilesFrom: '2026-08-01', previewPeriod: '2026-06' },
          previewSymbols: { 'alpha-futures': BTC, 'beta-perps': ETH },
          ...{ datasets: [], summary: [], problems: [] },
        },
      }))
    })
    await settle()
    const planned = () => host.calls.findLast(([name]) => name === 'downloads.preview')?.[1]
    const june = { startDay: '2026-06-01', endDay: '2026-06-30' }
    expect(planned()).toMatchObject({ request: { exchanges: ['alpha-futures'], symbols: [BTC], ...june } })
    expect(wrapper.find('input[type=search]').exists()).toBe(false)
    expect(wrapper.find('input.day').exists()).toBe(false)
    await wrapper
      .findAll<HTMLInputElement>('input[type=radio]')
      .find(({ element }) => element.value === 'beta-perps')!
      .setValue()
    await settle()
    expect(planned()).toMatchObject({ request: { exchanges: ['beta-perps'], symbols: [ETH], ...june } })
  })

  it('shows the plan once the request settles, offers what is locked, and enqueues', async () => {
    const { host, wrapper } = await open((host) => {
      host.answer('downloads.preview', () => preview)
      host.answer('downloads.enqueue', () => ({ batchId: 1, files: 3, added: 3 }))
    })
    await flushPromises()
    await button(wrapper, `Add ${BTC}`).trigger('click')
    await settle()
    const plan = wrapper.find('.plan').text().replace(/\s+/g, ' ')
    expect(plan).toContain('3 files to download, about 12.3 MB')
    expect(plan).toContain('l2_liquidity 15s needs tier 3')
    await wrapper.find('.plan input[type=checkbox]').setValue(true)
    await settle()
    await button(wrapper, 'Download 3 files').trigger('click')
    await flushPromises()
    const [, sent] = host.calls.find(([name]) => name === 'downloads.enqueue')!
    expect(sent).toMatchObject({ request: { symbols: [BTC], tryLocked: true, tryRefused: true } })
    const asked = host.calls.filter(([name]) => name === 'downloads.preview')
    expect(asked).toHaveLength(2)
  })

  it('adds with Enter what the words find, and says which words are no symbols', async () => {
    const { wrapper } = await open((host) => {
      host.answer('downloads.preview', () => preview)
      host.answer('discovery.searchSymbols', ({ text }) =>
        text === 'nothing' ? [] : [{ exchange: 'venuea-futures', symbol: text === 'eth' ? ETH : BTC }],
      )
    })
    await flushPromises()
    const search = wrapper.find('input[type=search]')
    const enter = async (text: string) => {
      await search.setValue(text)
      await search.trigger('keydown', { key: 'Enter' })
      await flushPromises()
    }
    const chosen = () =>
      wrapper.findAll('[aria-label="Selected symbols"] button').map((each) => each.attributes('aria-label'))
    await enter('')
    expect(chosen()).toEqual([])
    await enter('eth')
    expect(chosen()).toEqual([`Remove ${ETH}`])
    await enter('SOL-USDT:USDT, other')
    expect(chosen()).toEqual([`Remove ${ETH}`, 'Remove perpetual-SOL-USDT:USDT'])
    expect(wrapper.text()).toContain('Not a symbol: other')
    await enter('nothing')
    expect(wrapper.text()).toContain('Not a symbol: nothing')
  })

  it('cancels a question that a newer one replaces', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const { wrapper } = await open((host) =>
      host.answer('downloads.preview', (_input, { signal }) => {
        signals.push(signal)
        return new Promise(() => {})
      }),
    )
    await flushPromises()
    await button(wrapper, `Add ${BTC}`).trigger('click')
    await settle()
    await wrapper.find('input[value="1m"]').setValue(true)
    await settle()
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false])
  })
})

describe('the banners', () => {
  it('say why downloads stand still, lead to the remedy and try again without touching what is paused', async () => {
    const { sentence, remedy } = new AppError('unauthorized')
    const { host, wrapper } = await mountWithHost(PauseBanners, {}, (host) => {
      host.answer('downloads.resume', () => ({ jobs: 0 }))
      host.answer('downloads.progress', () => ({
        counts: { queued: 3, running: 0, waiting: 0, paused: 1, done: 0, failed: 0, cancelled: 0 },
        bytesPerSecond: 0,
        secondsLeft: null,
        running: [],
        holds: [
          { connectionId: 'sandbox', code: 'unauthorized', sentence, remedy, detail: null, service: null, until: null },
        ],
        here: true,
      }))
    })
    await useDownloads().start(() => {})
    await flushPromises()
    expect(wrapper.text()).toContain('Sandbox: The service refused the API key.')
    expect(wrapper.find('a').attributes('href')).toBe('/settings/connections')
    await button(wrapper, 'Retry now').trigger('click')
    await flushPromises()
    expect(host.calls.at(-1)).toEqual(['downloads.resume', { which: { ids: [] } }])
  })
})
