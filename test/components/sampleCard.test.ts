import { flushPromises } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import type { OpenRequest } from '#shared/contract/areas/downloads.ts'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { useDownloads } from '../../renderer/stores/downloads.ts'
import { useToasts } from '../../renderer/stores/toasts.ts'
import SampleCard from '../../renderer/views/start/SampleCard.vue'
import { startText } from '../../renderer/text/start.ts'
import { mountWithHost } from './mountWithHost.ts'

const files = { queued: 2, running: 1, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 }
const progress = { counts: files, bytesPerSecond: 0, secondsLeft: null, running: [], holds: [], here: true }
const openRequest = (label: string): OpenRequest => ({
  batchId: 1,
  label,
  createdAt: 0,
  files,
  doneBytes: 0,
  knownBytes: 0,
})

it.each([
  { label: 'Sample data', isSaid: true },
  { label: 'Missing files of a chart', isSaid: false },
])('says of its own files only that they are downloading: $label', async ({ label, isSaid }) => {
  const { wrapper, host } = await mountWithHost(SampleCard, {}, (prepared) => {
    prepared.answer('settings.read', () => ({ ...defaultSettings, sampleData: 'here' }))
    prepared.answer('downloads.requests', () => [openRequest(label)])
    prepared.answer('downloads.progress', () => progress)
  })
  await useDownloads().start(() => {})
  await vi.waitFor(() => expect(host.calls.map(([name]) => name)).toContain('downloads.requests'))
  await flushPromises()
  await vi.waitFor(() => expect(wrapper.text().includes(startText.sample.downloading)).toBe(isSaid))
})

it('offers to undo a removal, which fetches the same days again', async () => {
  const days = { startDay: '2026-08-01', endDay: '2026-08-10' }
  const { wrapper, host } = await mountWithHost(SampleCard, {}, (prepared) => {
    prepared.answer('settings.read', () => ({ ...defaultSettings, sampleData: 'here' }))
    prepared.answer('sample.remove', () => ({ files: 30, sizeBytes: 3e6, days }))
    prepared.answer('sample.fetch', () => ({ files: 30 }))
  })
  await flushPromises()
  const remove = wrapper.findAll('button').find((button) => button.text() === startText.sample.remove)!
  await remove.trigger('click')
  await vi.waitFor(() => expect(useToasts().list).toHaveLength(1))
  await useToasts().list[0].action!.run()
  await vi.waitFor(() => expect(host.calls).toContainEqual(['sample.fetch', { days }]))
})
