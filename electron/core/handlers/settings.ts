import { alarmHostsOf } from '#shared/contract/alarm.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Alarms } from '#core/record/alarms.ts'
import type { SettingsStore } from '#core/store/settingsStore.ts'

export function settingsHandlers(
  settings: SettingsStore,
  bus: EventBus,
  alarms: () => Promise<Pick<Alarms, 'serviceProblem'>>,
): Handlers<CallsOf<'settings'>> {
  /** Refuses to allow a host of a service, because no alarm is ever posted there. */
  async function checkNewHosts(setting: string): Promise<void> {
    const before = alarmHostsOf(settings.read().alarmHosts)
    const { serviceProblem } = await alarms()
    const problem = alarmHostsOf(setting).flatMap((host) => (before.includes(host) ? [] : (serviceProblem(host) ?? [])))
    if (problem.length > 0) throw new AppError('bad-input', problem[0])
  }
  return {
    'settings.read': () => settings.read(),
    'settings.change': async (patch) => {
      if (patch.alarmHosts) await checkNewHosts(patch.alarmHosts)
      const changedSettings = settings.change(patch)
      bus.emit('settings.changed', changedSettings)
      return changedSettings
    },
  }
}
