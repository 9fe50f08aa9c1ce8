import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { NetworkState } from '#shared/contract/areas/network.ts'
import { useHost } from './host.ts'

/** Which servers are out of reach, as the core finds it out. */
export const useNetwork = defineStore('network', () => {
  const host = useHost()
  const state = shallowRef<NetworkState>({ offline: false, unreachable: [] })

  async function load(): Promise<void> {
    state.value = await host.call('network.state', {})
  }

  function start(): Promise<void> {
    host.on('network.changed', (next) => (state.value = next))
    host.onReturn(load)
    return load()
  }

  async function tryAgain(): Promise<void> {
    state.value = await host.call('network.tryAgain', {})
  }

  return { state, start, tryAgain }
})
