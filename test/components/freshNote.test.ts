import { describe, expect, it } from 'vitest'
import FreshNote from '../../renderer/components/FreshNote.vue'
import { mountWithHost } from './mountWithHost.ts'

describe('the note of when something was learned', () => {
  const words = async (isBusy: boolean, isOffline = false) => {
    const { wrapper } = await mountWithHost(FreshNote, {
      what: 'catalog',
      learned: null,
      zone: 'utc',
      isBusy,
      isOffline,
    })
    return wrapper.text()
  }

  it('does not say that nobody asked while it is being asked', async () => {
    expect(await words(false)).toBe('Not asked yetRefresh')
    expect(await words(true)).toBe('Asking …')
    expect(await words(false, true)).toContain('Not cached')
  })
})
