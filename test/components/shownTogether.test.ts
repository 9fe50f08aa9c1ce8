import { flushPromises } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import type { PeriodCoverage } from '#shared/contract/areas/coverage.ts'
import type { Download, DownloadProgress } from '#shared/contract/areas/downloads.ts'
import type { SeriesStatistics } from '#shared/contract/areas/series.ts'
import { addSeries } from '#shared/workspace/edit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'
import type { ColumnSource } from '#shared/workspace/workspaceSchema.ts'
import { useDownloads } from '../../renderer/stores/downloads.ts'
import SelectMenu from '../../renderer/components/SelectMenu.vue'
import { createLongCall } from '../../renderer/stores/longCall.ts'
import { createResource } from '../../renderer/stores/resource.ts'
import { readAddress } from '../../renderer/views/coverage/coverageAddress.ts'
import SymbolPanel from '../../renderer/views/coverage/SymbolPanel.vue'
import DownloadsView from '../../renderer/views/downloads/DownloadsView.vue'
import SymbolPicker from '../../renderer/views/downloads/SymbolPicker.vue'
import StatisticsPanel from '../../renderer/views/workbench/StatisticsPanel.vue'
import { mountWithHost } from './mountWithHost.ts'

/** Creates calls that the test answers one by one, in any order. */
function answers<Answer>() {
  const pending: ((answer: Answer) => void)[] = []
  return {
    ask: () => new Promise<Answer>((resolve) => pending.push(resolve)),
    async give(at: number, answer: Answer): Promise<void> {
      pending[at](answer)
      await flushPromises()
    },
    get count() {
      return pending.length
    },
  }
}

it('a resource says which request its value answers', async () => {
  const { ask, give } = answers<string>()
  const resource = createResource<string, number>(ask)
  void resource.load(1)
  await give(0, 'one')
  void resource.load(2)
  expect([resource.value.value, resource.answeredQuery.value]).toEqual(['one', 1])
  await give(1, 'two')
  expect([resource.value.value, resource.answeredQuery.value]).toEqual(['two', 2])
  resource.forget()
  expect([resource.value.value, resource.answeredQuery.value]).toEqual([null, null])
})

it('a call that another one replaced answers nothing, also where its work went on to the end', async () => {
  const { ask, give } = answers<string>()
  const call = createLongCall()
  const [older, newer] = [call.run(ask), call.run(ask)]
  await give(1, 'newer')
  await give(0, 'older')
  expect(await Promise.all([older, newer])).toEqual([null, 'newer'])
})

it('the coverage of a symbol never shows the calendar of the symbol before', async () => {
  const { ask, give } = answers<{ periods: PeriodCoverage[] }>()
  const at = (symbol: string) => ({ dataset: 'trades', venue: 'v1', symbol })
  const props = { address: readAddress({}), at: at('A'), facts: null, startDay: '2026-01-01' }
  const { wrapper } = await mountWithHost(SymbolPanel, props, (host) => host.answer('coverage.periods', ask))
  const calendar = () => wrapper.find('[role=img]').attributes()?.['aria-label']
  await give(0, { periods: [{ period: '2026-01-01', state: 'cached' }] })
  expect(calendar()).toBe('Calendar of files: 1 cached')
  await wrapper.setProps({ at: at('B') })
  expect([wrapper.find('h2').text(), wrapper.find('[role=img]').exists()]).toEqual(['B', false])
  await give(1, { periods: [{ period: '2026-01-01', state: 'missing' }] })
  expect(calendar()).toBe('Calendar of files: 1 not cached')
  await wrapper.setProps({ startDay: '2026-01-02' })
  expect(calendar()).toBe('Calendar of files: 1 not cached')
})

it('the search for symbols does not say that nothing is found before it has looked', async () => {
  const { ask, give } = answers<never[]>()
  const { wrapper } = await mountWithHost(SymbolPicker, { exchanges: [], modelValue: [] }, (host) => {
    host.answer('discovery.searchSymbols', ask)
    host.answer('coverage.cachedSeries', () => ({ rows: 0, columns: [] }))
  })
  const saysNothing = () => wrapper.text().includes('No matching symbol')
  await wrapper.find('input').setValue('zz')
  await flushPromises()
  for (let at = 0; ; at += 1) {
    await give(at, [])
    if (saysNothing()) break
    if (at > 3) throw new Error('never said that nothing is found')
  }
  await wrapper.find('input').setValue('btc')
  await flushPromises()
  expect(saysNothing()).toBe(false)
})

describe('the statistics of the view', () => {
  const figures = (mean: number): SeriesStatistics => ({
    rows: 3,
    missing: 0,
    first: 1,
    last: 1,
    min: 1,
    max: 1,
    mean,
    deviation: 0,
    quantiles: [],
    autocorrelation: null,
    lastShare: null,
    spells: null,
    pairing: null,
    correlation: null,
    beta: null,
    unit: 'price',
    betaUnit: null,
    unitWarnings: [],
    notes: [],
    problem: null,
  })

  it('stand under the name of their series and under their range', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { ask, give } = answers<SeriesStatistics>()
    const source: Omit<ColumnSource, 'column'> = {
      kind: 'column',
      dataset: 'ohlcv',
      exchange: 'venuea-futures',
      symbol: 'perpetual-BTC-USDT:USDT',
      interval: '1m',
      timestamp: 'exchange',
      resampleTo: '',
      origin: 'service',
    }
    const { document, paneId } = addSeries(emptyDocument(), null, { source: { ...source, column: 'volume' } })
    const both = addSeries(document, paneId, { source: { ...source, column: 'close' } }).document
    const entries = allSeries(both)
    const view = { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 0, 2) }
    const props = { entries, view, originMs: null, labelOf: () => '', zone: 'utc', version: 0 }
    const { wrapper } = await mountWithHost(StatisticsPanel, props, (host) => host.answer('series.statistics', ask))
    const settle = async () => {
      await vi.advanceTimersByTimeAsync(1000)
    }
    await settle()
    await give(0, figures(11))
    expect(wrapper.text()).toContain('11')
    await wrapper.setProps({ view: { ...view, endMs: Date.UTC(2026, 0, 9) } })
    expect(wrapper.text()).toContain('2026-01-02')
    expect(wrapper.find('dl').classes()).toContain('busy')
    await settle()
    await give(1, figures(12))
    expect(wrapper.text()).toContain('2026-01-09')
    const mean = wrapper.findAll('dl > div').find((row) => row.find('dt').text() === 'Mean')!
    expect(mean.find('dd').attributes('title')).toBe('12')
    wrapper.findComponent(SelectMenu).vm.$emit('update:modelValue', entries[1].id)
    await nextTick()
    expect(wrapper.find('dl').exists()).toBe(false)
    await settle()
    await give(2, figures(13))
    expect(wrapper.find('dl').text()).toContain('13')
    vi.useRealTimers()
  })
})

describe('the downloads', () => {
  const download = (id: number, state: Download['state']): Download => ({
    id,
    connectionId: 'sandbox',
    kind: 'metrics',
    dataset: 'flow',
    exchange: 'venuea-futures',
    symbol: 'perpetual-BTC-USDT:USDT',
    interval: '1h',
    timestamp: 'exchange',
    period: '2026-07',
    state,
    priority: 0,
    error: null,
    notBefore: null,
    attempts: 0,
    doneBytes: 0,
    totalBytes: null,
    createdAt: 0,
    endedAt: null,
    path: null,
    outcome: null,
    store: null,
    storeProblem: null,
    difference: null,
  })
  const progress = (queued: number): DownloadProgress => ({
    counts: { queued, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 },
    bytesPerSecond: 0,
    secondsLeft: null,
    running: [],
    holds: [],
    here: true,
  })

  it('count in the open tab what its table shows, and tell in the details what the row tells', async () => {
    let listed = [download(1, 'queued'), download(2, 'queued')]
    const { wrapper, host } = await mountWithHost(DownloadsView, {}, (fake) => {
      fake.answer('downloads.list', () => ({ total: listed.length, downloads: listed }))
    })
    const downloads = useDownloads()
    await downloads.start(() => {})
    host.emit('downloads.progressed', progress(2))
    await vi.waitFor(() => expect(wrapper.find('output').text()).toBe('2 rows'))
    const tab = () => wrapper.find('.tab').text().replace(/\s+/g, ' ')
    const grid = wrapper.find('[role=grid]')
    await grid.trigger('keydown', { key: 'Home', ctrlKey: true })
    await grid.trigger('keydown', { key: 'Enter' })
    const details = () => wrapper.find('[aria-label=Details]').text()
    expect(details()).toContain('queued')

    listed = [download(1, 'running')]
    host.emit('downloads.progressed', progress(1))
    host.emit('downloads.changed', {})
    const moments: string[] = []
    await vi.waitFor(() => {
      moments.push(`${tab()}, ${wrapper.find('output').text()}`)
      expect(wrapper.find('output').text()).toBe('1 row')
    })
    expect([...new Set(moments)]).toEqual(['Queue 2, 2 rows', 'Queue 1, 1 row'])
    expect(details()).toContain('running')
  })
})
