import { computed, type WritableComputedRef } from 'vue'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { useCommands } from '../../stores/commands.ts'
import { useSettings } from '../../stores/settings.ts'

/** One setting as a model of a control: shows what holds, and a refusal becomes a message. */
export function useSetting<Key extends keyof Settings>(key: Key): WritableComputedRef<Settings[Key]> {
  const settings = useSettings()
  const commands = useCommands()
  return computed({
    get: () => settings.current[key],
    set: (value) => void commands.attempt(() => settings.change({ [key]: value })),
  })
}
