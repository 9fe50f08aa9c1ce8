import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { useHost } from './host.ts'

/** Settings whose change is visible at once; it is applied immediately and reverted if the core refuses it. */
const shownKeys = new Set<string>(['theme', 'density', 'zoom', 'timeZone', 'watchColumns', 'favouritePortfolios'])

export const useSettings = defineStore('settings', () => {
  const host = useHost()
  const stored = ref<Settings>(defaultSettings)
  /** Changes that are shown and not stored yet. */
  const shownChanges = shallowRef<readonly Partial<Settings>[]>([])
  const current = computed((): Settings => Object.assign({}, stored.value, ...shownChanges.value) as Settings)

  async function change(patch: Partial<Settings>): Promise<void> {
    if (Object.keys(patch).every((key) => shownKeys.has(key))) shownChanges.value = [...shownChanges.value, patch]
    try {
      stored.value = await host.call('settings.change', patch)
    } finally {
      shownChanges.value = shownChanges.value.filter((each) => each !== patch)
    }
  }

  const start = () => host.keepCurrent(stored, 'settings.changed', () => host.call('settings.read', {}))

  return { current, start, change }
})
