import { flushPromises } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import type { Connection } from '#shared/contract/areas/connections.ts'
import FreshNote from '../../renderer/components/FreshNote.vue'
import PreviewHint from '../../renderer/views/PreviewHint.vue'
import ConnectionForm from '../../renderer/views/settings/ConnectionForm.vue'
import KeyField from '../../renderer/views/settings/KeyField.vue'
import { fakeConnection } from '../fakes/fakeWindowHost.ts'
import { mountWithHost } from './mountWithHost.ts'

const catalog = {
  catalog: {
    ...{ schemaVersion: 1, dailyFilesFrom: '2026-08-01', previewPeriod: '2026-06' },
    ...{ previewSymbols: { 'alpha-futures': 'perpetual-BTC-USDT:USDT' }, datasets: [], summary: [], problems: [] },
    freshness: { fetchedAt: 0, generatedAt: null, source: '' },
  },
  changed: null,
}

describe('a person without a key', () => {
  const hint = async (connections: Connection[]) => {
    const { wrapper } = await mountWithHost(PreviewHint, {}, (host) => {
      host.answer('connections.list', () => connections)
      host.answer('discovery.rawCatalog', () => catalog)
    })
    await flushPromises()
    return wrapper
  }
  const withKey = fakeConnection({
    ...{ active: true, keys: { ...fakeConnection().keys, metrics: { set: true, ending: null, kept: 'keychain' } } },
  })

  it('is led to a connection of previews by an empty screen', async () => {
    const wrapper = await hint([fakeConnection({ active: true, builtIn: true })])
    expect(wrapper.text()).toContain('without one')
    expect(wrapper.get('a').attributes('href')).toContain('/settings/connections?add=preview')
  })

  it('is told what the connection of previews offers, and led to its download', async () => {
    const wrapper = await hint([fakeConnection({ active: true, preview: true })])
    expect(wrapper.text()).toContain('2026-06 of perpetual-BTC-USDT:USDT on alpha-futures')
    expect(wrapper.get('a').attributes('href')).toContain('/downloads/new')
  })

  it('and nobody else, is told of it', async () => {
    expect((await hint([withKey])).text()).toBe('')
  })
})

describe('a connection of previews', () => {
  it('is added by a form that starts with previews, and asks for no tier', async () => {
    const props = { connection: null, startsAsPreview: true }
    const { host, wrapper } = await mountWithHost(ConnectionForm, props, (host) =>
      host.answer('connections.add', () => fakeConnection({ preview: true })),
    )
    expect(wrapper.text()).not.toContain('Subscription tier')
    await wrapper.get('[name=name]').setValue('Demo')
    await wrapper.get('[name=metricsUrl]').setValue('https://metrics.example.com')
    await wrapper.get('form').trigger('submit')
    await flushPromises()
    expect(host.calls.at(-1)).toMatchObject(['connections.add', { name: 'Demo', preview: true }])
  })

  it('says that it needs no key', async () => {
    const { wrapper } = await mountWithHost(KeyField, {
      connection: fakeConnection({ preview: true }),
      service: 'metrics',
    })
    expect(wrapper.text()).toContain('previews need none')
  })

  it('is named beside what was fetched from it', async () => {
    const freshness = { fetchedAt: 0, generatedAt: null, source: '' }
    const note = { what: 'catalog', freshness, zone: 'utc' as const, isBusy: false }
    const markOf = async (isPreview: boolean) =>
      (await mountWithHost(FreshNote, { ...note, isPreview })).wrapper.text().startsWith('Preview')
    expect([await markOf(true), await markOf(false)]).toEqual([true, false])
  })
})
