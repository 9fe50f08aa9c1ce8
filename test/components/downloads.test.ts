import { flushPromises } from '@vue/test-utils'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Download, DownloadProgress, OpenRequest } from '#shared/contract/areas/downloads.ts'
import { AppError } from '#shared/contract/errors.ts'
import { useDownloads } from '../../renderer/stores/downloads.ts'
import { useToasts } from '../../renderer/stores/toasts.ts'
import { downloadFrame } from '../../renderer/views/downloads/downloadRows.ts'
import DownloadTable from '../../renderer/views/downloads/DownloadTable.vue'
import { tabs } from '../../renderer/views/downloads/downloadTabs.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { button, mountWithHost } from './mountWithHost.ts'

const download = (overrides: Partial<Download> = {}): Download => ({
  id: 7,
  connectionId: 'sandbox',
  kind: 'metrics',
  dataset: 'flow',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
  period: '2026-07',
  state: 'queued',
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
  ...overrides,
})

const progress = (counts: Partial<DownloadProgress['counts']>): DownloadProgress => ({
  counts: { queued: 0, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0, ...counts },
  bytesPerSecond: 0,
  secondsLeft: null,
  running: [],
  holds: [],
  here: true,
})

describe('the rows of downloads', () => {
  it('say why a download waits and when it is tried again, and leave open what is not known', () => {
    const error = new AppError('rate-limited', 'Asked 3 times.').toShape()
    const notBefore = Date.parse('2026-09-15T12:34:56Z')
    const frame = downloadFrame([download({ state: 'waiting', error, notBefore }), download({ interval: '' })])
    const cell = (key: string, row: number) => cellOf(columnOf(frame, key)!, row)
    expect(cell('reason', 0)).toBe(
      'The service is limiting the request rate. Asked 3 times. Next attempt at 12:34:56 UTC.',
    )
    expect(cell('reason', 1)).toBeNull()
    expect(cell('interval', 1)).toBeNull()
    expect(cell('totalBytes', 1)).toBeNull()
  })
})

describe('the queue', () => {
  const open = () =>
    mountWithHost(DownloadTable, { tab: tabs[0] }, (host) => {
      host.answer('downloads.list', () => ({ total: 2, downloads: [download(), download({ id: 8 })] }))
      host.answer('downloads.pause', () => ({ jobs: 2 }))
      host.answer('downloads.cancel', () => ({ jobs: 2 }))
    })

  it('pauses what the filter shows where nothing is chosen', async () => {
    const { host, wrapper } = await open()
    await vi.waitFor(() => expect(wrapper.text()).toContain('2 rows'))
    await button(wrapper, 'Pause all').trigger('click')
    await flushPromises()
    const filter = { states: ['queued', 'running', 'waiting', 'paused'], text: '' }
    expect(host.calls.at(-1)).toEqual(['downloads.pause', { which: { filter } }])
    expect(useToasts().list.at(-1)?.message).toBe('2 downloads paused')
  })

  it('does nothing on a key press while nothing is selected and the keyboard is at no row', async () => {
    const { host, wrapper } = await open()
    await vi.waitFor(() => expect(wrapper.text()).toContain('2 rows'))
    await wrapper.find('[role=grid]').trigger('keydown', { key: 'Delete' })
    await flushPromises()
    expect(host.calls.some(([name]) => name === 'downloads.cancel')).toBe(false)
  })

  it('shows a new order at once, without waiting until the next refresh', async () => {
    const all = [7, 8, 9]
    const { host, wrapper } = await mountWithHost(DownloadTable, { tab: tabs[0] }, (fake) => {
      fake.answer('downloads.list', () => ({ total: all.length, downloads: all.map((id) => download({ id })) }))
      fake.answer('downloads.reorder', ({ ids, beforeId }) => {
        all.splice(all.indexOf(ids[0]), 1)
        all.splice(beforeId === null ? all.length : all.indexOf(beforeId), 0, ...ids)
        return { jobs: ids.length }
      })
    })
    await vi.waitFor(() => expect(wrapper.text()).toContain('3 rows'))
    const grid = wrapper.find('[role=grid]')
    await grid.trigger('keydown', { key: 'End', ctrlKey: true })
    await grid.trigger('keydown', { key: 'ArrowUp', altKey: true })
    await flushPromises()
    expect(host.calls).toContainEqual(['downloads.reorder', { ids: [9], beforeId: 8 }])
    await flushPromises()
    const reorderAt = host.calls.findIndex(([name]) => name === 'downloads.reorder')
    await vi.waitFor(() => expect(host.calls.slice(reorderAt).some(([name]) => name === 'downloads.list')).toBe(true))
  })

  it('pauses the selected downloads on a key press', async () => {
    const { host, wrapper } = await open()
    await vi.waitFor(() => expect(wrapper.text()).toContain('2 rows'))
    const grid = wrapper.find('[role=grid]')
    await grid.trigger('keydown', { key: 'End', ctrlKey: true })
    await grid.trigger('keydown', { key: ' ' })
    await grid.trigger('keydown', { key: 'p' })
    await flushPromises()
    expect(host.calls.at(-1)).toEqual(['downloads.pause', { which: { ids: [8] } }])
  })
})

describe('the queue while files end', () => {
  /** Opens the screen on a fake queue; `end` ends downloads and sends the event about it. */
  async function openRunning() {
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1600)
    onTestFinished(() => void vi.restoreAllMocks())
    const all = [1, 2, 3, 4, 5].map((id) => download({ id, symbol: `perpetual-S${id}-USDT:USDT` }))
    const open = () => all.filter(({ state }) => state === 'queued')
    const { host, wrapper } = await mountWithHost(DownloadTable, { tab: tabs[0] }, (fake) => {
      fake.answer('downloads.list', ({ filter }) => {
        const listed = filter?.ids ? all.filter(({ id }) => filter.ids!.includes(id)) : open()
        return { total: listed.length, downloads: listed.map((each) => ({ ...each })) }
      })
      fake.answer('downloads.idsIn', ({ ids }) => ({ ids: open().flatMap(({ id }) => (ids.includes(id) ? [id] : [])) }))
      fake.answer('downloads.pause', () => ({ jobs: 1 }))
    })
    await useDownloads().start(() => {})
    await vi.waitFor(() => expect(wrapper.text()).toContain('5 rows'))
    const symbols = () => wrapper.findAll('[data-row]').map((row) => /S\d/.exec(row.text())?.[0])
    const end = (...ids: number[]) => {
      for (const each of all) if (ids.includes(each.id)) each.state = 'done'
      host.emit('downloads.changed', {})
    }
    return { host, wrapper, grid: wrapper.find('[role=grid]'), symbols, end }
  }

  it('keeps the keyboard on its download, and counts only those that are still selected here', async () => {
    const { host, wrapper, grid, end } = await openRunning()
    await grid.trigger('keydown', { key: 'Home', ctrlKey: true })
    await grid.trigger('keydown', { key: ' ' })
    for (const key of ['ArrowDown', 'ArrowDown', ' ']) await grid.trigger('keydown', { key })
    expect(wrapper.text()).toContain('2 selected')
    end(1, 2)
    await vi.waitFor(() => expect(wrapper.text()).toContain('3 rows'))
    await vi.waitFor(() => expect(wrapper.text()).toContain('1 selected'))
    const current = wrapper.find(`#${grid.attributes('aria-activedescendant')}`)
    expect(current.element.closest('[data-row]')?.textContent).toContain('S3')
    await grid.trigger('keydown', { key: 'p' })
    await flushPromises()
    expect(host.calls.at(-1)).toEqual(['downloads.pause', { which: { ids: [3] } }])
  })

  it('moves no row while the pointer is about to press one, and shows there what became of it', async () => {
    const { wrapper, symbols, end } = await openRunning()
    await wrapper.find('[data-row]').trigger('pointermove')
    end(1)
    await vi.waitFor(() => expect(wrapper.find('[data-row]').text()).toContain('done'))
    expect(symbols()).toEqual(['S1', 'S2', 'S3', 'S4', 'S5'])
    expect(wrapper.text()).toContain('The order is fixed while you point at the rows')
    await wrapper.find('.rows').trigger('pointerleave')
    await vi.waitFor(() => expect(symbols()).toEqual(['S2', 'S3', 'S4', 'S5']))
  })
})

describe('requests and reasons', () => {
  const files = (counts: Partial<OpenRequest['files']>): OpenRequest['files'] => ({
    ...{ queued: 0, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 },
    ...counts,
  })

  it('count a request from its beginning, also while it is paused, and list its files alone', async () => {
    const { host, wrapper } = await mountWithHost(DownloadTable, { tab: tabs[0] }, (fake) => {
      fake.answer('downloads.list', ({ filter }) => ({
        total: filter?.batchId === 3 ? 1 : 2,
        downloads: filter?.batchId === 3 ? [download()] : [download(), download({ id: 8 })],
      }))
      const request = { batchId: 3, label: 'flow 1h · BTC', createdAt: 0, doneBytes: 3_000_000, knownBytes: 0 }
      fake.answer('downloads.requests', () => [{ ...request, files: files({ done: 30, failed: 1, paused: 9 }) }])
      fake.answer('downloads.resume', () => ({ jobs: 9 }))
    })
    const list = () => wrapper.find('[aria-label="Requests in the queue"]')
    await vi.waitFor(() => expect(list().text()).toMatch(/31 of 40 files · 3\.00\sMB · 1 failed/))
    expect(list().text()).toContain('77 %')
    await button(wrapper, 'flow 1h · BTC').trigger('click')
    await vi.waitFor(() => expect(wrapper.find('output').text()).toBe('1 row'))
    // The count in the tab covers the whole queue.
    expect(wrapper.emitted('total')?.map(([total]) => total)).toEqual([null, 2, null])
    await button(wrapper, 'Resume').trigger('click')
    await flushPromises()
    expect(host.calls).toContainEqual(['downloads.resume', { which: { filter: { batchId: 3 } } }])
  })

  it('retry all files that failed for one reason', async () => {
    const { host, wrapper } = await mountWithHost(DownloadTable, { tab: tabs[2] }, (fake) => {
      fake.answer('downloads.list', () => ({ total: 1, downloads: [download({ state: 'failed' })] }))
      const { code, sentence, remedy } = new AppError('service', null).toShape()
      const locked = new AppError('forbidden', null).toShape()
      fake.answer('downloads.failures', () => [
        { code, sentence, remedy, files: 12 },
        { code: locked.code, sentence: locked.sentence, remedy: locked.remedy, files: 3 },
      ])
      fake.answer('downloads.retry', () => ({ jobs: 12 }))
    })
    await vi.waitFor(() => expect(wrapper.text()).toContain('12 files'))
    // A failure reason that a setting can solve links to that setting.
    expect(wrapper.find('[aria-label="Reasons for failed downloads"] a').attributes('href')).toBe(
      '/settings/connections',
    )
    await wrapper.find('[aria-label="Reasons for failed downloads"] .button:not(a)').trigger('click')
    await flushPromises()
    const which = { filter: { states: ['failed'], errorCode: 'service' } }
    expect(host.calls).toContainEqual(['downloads.retry', { which }])
    // A click on a failure reason lists the files that failed for it.
    await wrapper.find('[aria-label="Reasons for failed downloads"] [aria-pressed]').trigger('click')
    const listed = () => host.calls.filter(([name]) => name === 'downloads.list').map(([, input]) => input)
    await vi.waitFor(() =>
      expect(listed()).toContainEqual(
        expect.objectContaining({ filter: { states: ['failed'], text: '', errorCode: 'service' } }),
      ),
    )
    expect(wrapper.emitted('total')?.at(-1)).toEqual([null])
  })
})

describe('the history', () => {
  it('opens the details of a row with Enter, also after they were closed with the mouse', async () => {
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
    onTestFinished(() => void vi.restoreAllMocks())
    const { wrapper } = await mountWithHost(DownloadTable, { tab: tabs[1] }, (host) => {
      host.answer('downloads.list', () => ({ total: 1, downloads: [download({ state: 'done', path: 'a/b.parquet' })] }))
    })
    await vi.waitFor(() => expect(wrapper.text()).toContain('1 row'))
    const grid = wrapper.find<HTMLElement>('[role=grid]')
    const pressEnter = async () => {
      await wrapper.find(`[role=grid]:focus`).trigger('keydown', { key: 'Enter' })
      expect(wrapper.find('section.details').text()).toContain('a/b.parquet')
    }
    grid.element.focus()
    await pressEnter()
    const close = button(wrapper, 'Close')
    ;(close.element as HTMLElement).focus()
    await close.trigger('click')
    expect(wrapper.find('section.details').exists()).toBe(false)
    await pressEnter()
  })
})

describe('the store of downloads', () => {
  it('counts a stretch of work from where nothing was left to do', async () => {
    const { host } = await mountWithHost({ template: '<i />' })
    const downloads = useDownloads()
    const shown: string[] = []
    await downloads.start((tab) => shown.push(tab))
    host.emit('downloads.progressed', progress({ done: 40 }))
    host.emit('downloads.progressed', progress({ done: 40, queued: 10 }))
    host.emit('downloads.progressed', progress({ done: 43, failed: 1, queued: 6 }))
    expect([downloads.endedSinceIdle, downloads.unfinishedCount]).toEqual([4, 6])
    host.emit('downloads.finished', { done: 9, failed: 1 })
    const toast = useToasts().list.at(-1)
    expect(toast?.message).toBe('9 files downloaded, 1 failed')
    toast?.action?.run()
    expect(shown).toEqual(['failed'])
  })
})
