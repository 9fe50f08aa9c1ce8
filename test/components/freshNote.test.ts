import { describe, expect, it } from 'vitest'
import FreshNote from '../../renderer/components/FreshNote.vue'
import { mountWithHost } from './mountWithHost.ts'

describe('the note of when something was learned', () => {
  const message = async (isBusy: boolean, isOffline = false) => {
    const { wrapper } = await mountWithHost(FreshNote, {
      what: 'catalog',
      freshness: null,
      zone: 'utc',
      isBusy,
      isOffline,
    })
    return wrapper.text()
  }

  it('does not say that nobody asked while it is being asked', async () => {
    expect(await message(false)).toBe('Not loaded yetRefresh')
    expect(await message(true)).toBe('Refreshing …')
    expect(await message(false, true)).toContain('Not cached')
  })
})
