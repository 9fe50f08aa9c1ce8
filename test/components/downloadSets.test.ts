import { flushPromises } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import type { DownloadSet } from '#shared/contract/areas/downloads.ts'
import { useNetwork } from '../../renderer/stores/app.ts'
import ShellBanners from '../../renderer/shell/ShellBanners.vue'
import DownloadSets from '../../renderer/views/downloads/DownloadSets.vue'
import { draftOfSet, setOf, setCommand } from '../../renderer/views/downloads/draft.ts'
import SaveSetDialog from '../../renderer/views/downloads/SaveSetDialog.vue'
import { fakeConnection } from '../fakes/fakeWindowHost.ts'
import { button, mountWithHost } from './mountWithHost.ts'

const majors: DownloadSet = {
  connectionId: 'desk',
  name: 'Majors’ flow',
  kind: 'metrics',
  datasets: ['flow'],
  exchanges: ['venuea-futures'],
  symbols: Array.from({ length: 12 }, (_, at) => `perpetual-C${at}-USDT:USDT`),
  intervals: ['1h'],
  timestamps: ['exchange'],
  start: { lastDays: 30 },
  savedAt: 0,
  enqueuedAt: Date.parse('2026-11-20T08:00:00Z'),
}

describe('the sets', () => {
  it('say what they hold and when they last ran, and are brought up to date and removed', async () => {
    const { host, wrapper } = await mountWithHost(DownloadSets, {}, (host) => {
      host.answer('connections.list', () => [fakeConnection({ active: true })])
      host.answer('downloads.sets', () => [majors])
      host.answer('downloads.enqueueSet', () => ({ batchId: 1, files: 9, added: 7 }))
      host.answer('downloads.removeSet', () => null)
    })
    await flushPromises()
    const text = wrapper.text().replace(/\s+/g, ' ')
    expect(text).toContain('12 symbols')
    expect(text).toContain('last 30 days')
    expect(text).toContain('2026-11-20 08:00')
    expect(wrapper.find('pre').text()).toBe(`perpscope --connection Desk fetch --set 'Majors’ flow'`)
    await button(wrapper, 'Update').trigger('click')
    expect(host.calls.at(-1)).toEqual(['downloads.enqueueSet', { name: majors.name }])
    await button(wrapper, 'Remove …').trigger('click')
    await button(wrapper, 'Remove set').trigger('click')
    expect(host.calls.at(-1)).toEqual(['downloads.removeSet', { name: majors.name }])
    host.answer('downloads.sets', () => [])
    host.emit('documents.changed', { kind: 'set' })
    await flushPromises()
    expect(wrapper.text()).toContain('No saved sets.')
  })

  it('are saved from what the composer holds, and come back to it as they were', async () => {
    const draft = draftOfSet(majors, Date.parse('2026-11-21T12:00:00Z'))
    expect([draft.startDay, draft.endDay]).toEqual(['2026-10-23', '2026-11-21'])
    const props = { draft, name: majors.name, start: majors.start }
    const { host } = await mountWithHost(SaveSetDialog, props, (host) => {
      host.answer('downloads.saveSet', () => majors)
    })
    await flushPromises()
    document.querySelector('form')!.dispatchEvent(new Event('submit'))
    await flushPromises()
    expect(host.calls.at(-1)).toEqual(['downloads.saveSet', { set: setOf(draft, majors.name, { lastDays: 30 }) }])
  })

  it('have a line for a shell in which a name is nothing but a name', () => {
    expect(setCommand('daily', null)).toBe('perpscope fetch --set daily')
    expect(setCommand(`it's $(all)`, null)).toBe(`perpscope fetch --set 'it'\\''s $(all)'`)
  })
})

it('says which service is out of reach since when, when it is tried next, and tries at once', async () => {
  const at = (time: string) => Date.parse(`2026-11-20T${time}Z`)
  const lost = { origin: 'https://metrics.example.com', since: at('12:00:00'), message: 'connection refused' }
  const state = { offline: false, unreachable: [{ ...lost, nextAttempt: at('12:00:30') }] }
  const { host, wrapper } = await mountWithHost(ShellBanners, {}, (host) => {
    host.answer('connections.list', () => [fakeConnection({ active: true })])
    host.answer('network.state', () => state)
    host.answer('network.tryAgain', () => ({ offline: false, unreachable: [{ ...lost, nextAttempt: null }] }))
  })
  await useNetwork().start()
  await flushPromises()
  const text = () => wrapper.text().replace(/\s+/g, ' ')
  expect(text()).toContain('Desk (metrics) has been unreachable since 12:00:00: connection refused.')
  expect(text()).toContain('Next attempt at 12:00:30.')
  await button(wrapper, 'Retry now').trigger('click')
  await flushPromises()
  expect(text()).toContain('Retrying now.')
  host.emit('network.changed', { offline: false, unreachable: [] })
  await flushPromises()
  expect(wrapper.find('.banner').exists()).toBe(false)
})

it('raises no banner for a connection that is not in use, such as one that was just tested', async () => {
  const lost = { origin: 'https://old.example.com', since: 0, message: 'connection refused', nextAttempt: null }
  const { wrapper } = await mountWithHost(ShellBanners, {}, (host) => {
    host.answer('connections.list', () => [
      fakeConnection({ active: true }),
      fakeConnection({ id: 'old', name: 'Old', metricsUrl: 'https://old.example.com' }),
    ])
    host.answer('network.state', () => ({ offline: false, unreachable: [lost] }))
  })
  await useNetwork().start()
  await flushPromises()
  expect(wrapper.find('.banner').exists()).toBe(false)
})
