import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { VaultStatus } from '#shared/contract/areas/vault.ts'
import { useHost } from './host.ts'

/** Status of the system keychain; it is requested only when a screen needs it, because the answer may take seconds. */
export const useVault = defineStore('vault', () => {
  const host = useHost()
  const status = ref<VaultStatus | null>(null)
  let isListening = false

  async function load(): Promise<void> {
    if (!isListening) host.on('vault.changed', (changed) => (status.value = changed))
    isListening = true
    if (status.value) return
    const found = await host.call('vault.status', { probeAgain: false })
    // An event that came before the answer is newer than it.
    status.value ??= found
  }

  async function checkAgain(): Promise<void> {
    status.value = await host.call('vault.status', { probeAgain: true })
  }

  return { status, load, checkAgain }
})
