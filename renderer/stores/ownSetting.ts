import { computed, watch, type WritableComputedRef } from 'vue'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { useSettings } from './settings.ts'
import { useToasts } from './toasts.ts'

/**
 * Returns one of the user's own lists, which is stored in the settings so that every window has it and backups include
 * it. Earlier versions stored the list in the browser's local storage under `oldName`; it is moved from there once.
 */
export function ownSetting<Key extends 'watchColumns' | 'favouritePortfolios'>(
  key: Key,
  oldName: string,
): WritableComputedRef<Settings[Key]> {
  const settings = useSettings()
  const toasts = useToasts()
  const set = (value: Settings[Key]) => settings.change({ [key]: value }).catch(toasts.problem)
  const oldKey = `perpscope.${oldName}`
  const stop = watch(
    () => settings.current[key],
    (now) => {
      const oldText = localStorage.getItem(oldKey)
      if (oldText === null) return
      localStorage.removeItem(oldKey)
      if (now.length === 0) void set(parseOrEmpty(oldText) as Settings[Key]).finally(() => stop?.())
    },
    { immediate: true },
  )
  return computed({ get: () => settings.current[key], set: (value) => void set(value) })
}

function parseOrEmpty(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return []
  }
}
