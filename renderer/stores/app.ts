import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { AppInfo, CheckResult } from '#shared/contract/areas/app.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { useHost } from './host.ts'

export const useApp = defineStore('app', () => {
  const host = useHost()
  const info = ref<AppInfo | null>(null)

  async function load(): Promise<void> {
    info.value = await host.call('app.info', {})
  }

  function start(): Promise<void> {
    host.onReturn(load)
    return load()
  }

  return {
    info,
    start,
    shown: () => host.call('app.shown', {}),
    check: (options: CallOptions): Promise<CheckResult[]> => host.call('app.check', {}, options),
    diagnostics: () => host.call('app.diagnostics', {}),
  }
})
