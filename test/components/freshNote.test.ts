import { describe, expect, it, vi } from 'vitest'
import FreshNote from '../../renderer/components/FreshNote.vue'
import { mountWithHost } from './mountWithHost.ts'

describe('the note about when data was fetched', () => {
  const noteText = async (isBusy: boolean, isOffline = false) => {
    const { wrapper } = await mountWithHost(FreshNote, {
      what: 'catalog',
      freshness: null,
      zone: 'utc',
      isBusy,
      isOffline,
    })
    return wrapper.text()
  }

  it('does not say that nothing is loaded yet while it is loading', async () => {
    expect(await noteText(false)).toBe('Not loaded yetRefresh')
    expect(await noteText(true)).toBe('Refreshing …')
    expect(await noteText(false, true)).toContain('Not cached')
  })

  it('says how old the data is when it is pointed at, not when the screen was opened', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 12), toFake: ['Date'] })
    try {
      const freshness = { fetchedAt: Date.now() - 60_000, generatedAt: null, source: 'https://metrics.example.com' }
      const { wrapper } = await mountWithHost(FreshNote, { what: 'catalog', freshness, zone: 'utc', isBusy: false })
      vi.setSystemTime(Date.now() + 60_000)
      const time = wrapper.get('span')
      await time.trigger('pointerenter')
      expect(time.attributes('title')).toBe('Fetched 2 min 00 s ago')
    } finally {
      vi.useRealTimers()
    }
  })
})
