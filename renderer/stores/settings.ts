import { defineStore } from 'pinia'
import { ref } from 'vue'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { useHost } from './host.ts'

/** Settings whose change is visible at once; it is applied immediately and reverted if the core refuses it. */
const shownKeys = new Set<string>(['theme', 'density', 'zoom', 'timeZone', 'watchColumns', 'favouritePortfolios'])

export const useSettings = defineStore('settings', () => {
  const host = useHost()
  const current = ref<Settings>(defaultSettings)

  async function change(patch: Partial<Settings>): Promise<void> {
    const before = current.value
    if (Object.keys(patch).every((key) => shownKeys.has(key))) current.value = { ...before, ...patch }
    try {
      current.value = await host.call('settings.change', patch)
    } catch (error) {
      current.value = before
      throw error
    }
  }

  const start = () => host.keepCurrent(current, 'settings.changed', () => host.call('settings.read', {}))

  return { current, start, change }
})
