import { computed, type WritableComputedRef } from 'vue'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { useCommands } from '../../stores/commands.ts'
import { useSettings } from '../../stores/settings.ts'

/**
 * Binds a setting to a control. A rejected value produces a message, and the control shows the current setting again.
 */
export function useSetting<Key extends keyof Settings>(key: Key): WritableComputedRef<Settings[Key]> {
  const settings = useSettings()
  const commands = useCommands()
  return computed({
    get: () => settings.current[key],
    set: (value) => void commands.attempt(() => settings.change({ [key]: value })),
  })
}
