import { defineStore } from 'pinia'
import { ref } from 'vue'
import { defaultSettings } from '#shared/contract/areas/settings.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { useHost } from './host.ts'

/** Only how things look: shown at once, taken back if the core refuses. Everything else shows what the core has. */
const looks = new Set<string>(['theme', 'density', 'zoom', 'timeZone'])

export const useSettings = defineStore('settings', () => {
  const host = useHost()
  const current = ref<Settings>(defaultSettings)

  async function load(): Promise<void> {
    current.value = await host.call('settings.read', {})
  }

  async function change(patch: Partial<Settings>): Promise<void> {
    const before = current.value
    if (Object.keys(patch).every((key) => looks.has(key))) current.value = { ...before, ...patch }
    try {
      current.value = await host.call('settings.change', patch)
    } catch (error) {
      current.value = before
      throw error
    }
  }

  function start(): Promise<void> {
    host.on('settings.changed', (settings) => (current.value = settings))
    host.onReturn(load)
    return load()
  }

  return { current, start, change }
})
