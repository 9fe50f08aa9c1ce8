import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { LocalApiStatus } from '#shared/contract/areas/network.ts'
import { useHost } from './host.ts'

/** State of the local API, through which other programs on this machine read data. */
export const useLocalApi = defineStore('localApi', () => {
  const host = useHost()
  const state = ref<LocalApiStatus>({ open: null, problem: null })
  let isListening = false

  async function load(): Promise<void> {
    if (!isListening) host.on('network.doorChanged', (changed) => (state.value = changed))
    isListening = true
    state.value = await host.call('network.door', {})
  }

  return { state, load }
})
