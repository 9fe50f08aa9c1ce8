import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { SettingsStore } from '#core/store/settingsStore.ts'

export function settingsHandlers(settings: SettingsStore, bus: EventBus): Handlers<CallsOf<'settings'>> {
  return {
    'settings.read': () => settings.read(),
    'settings.change': (patch) => {
      const changedSettings = settings.change(patch)
      bus.emit('settings.changed', changedSettings)
      return changedSettings
    },
  }
}
