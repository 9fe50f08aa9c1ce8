import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { AppInfo, CheckResult } from '#shared/contract/areas/app.ts'
import type { NetworkState } from '#shared/contract/areas/network.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'
import { inOrder } from './resource.ts'

export const useApp = defineStore('app', () => {
  const host = useHost()
  const info = ref<AppInfo | null>(null)

  const load = inOrder(
    () => host.call('app.info', {}),
    (found) => (info.value = found),
  )

  function start(): Promise<unknown> {
    const toasts = useToasts()
    host.on('app.recovered', ({ message }) => toasts.show({ kind: 'problem', message }))
    host.onReturn(load)
    return load()
  }

  return {
    info,
    start,
    shown: () => host.call('app.shown', {}),
    check: (options: CallOptions): Promise<CheckResult[]> => host.call('app.check', {}, options),
    diagnostics: () => host.call('app.diagnostics', {}),
    crashes: () => host.call('app.crashes', {}),
    backup: () => host.call('app.backup', {}),
    /** Prepares a restore for the next start, or reports that the data folder already contains the user's work. */
    async restore(file: string, replace: boolean) {
      const restored = await host.call('app.restore', { file, replace })
      if (restored.state === 'ready') await load()
      return restored
    },
    async cancelRestore() {
      await host.call('app.cancelRestore', {})
      await load()
    },
    removeCrashes: () => host.call('app.removeCrashes', {}),
  }
})

/** Network state as the core reports it: whether the app is offline, and which services are unreachable. */
export const useNetwork = defineStore('network', () => {
  const host = useHost()
  const state = shallowRef<NetworkState>({ offline: false, unreachable: [] })

  const start = () => host.keepCurrent(state, 'network.changed', () => host.call('network.state', {}))

  async function tryAgain(): Promise<void> {
    state.value = await host.call('network.tryAgain', {})
  }

  return { state, start, tryAgain }
})
