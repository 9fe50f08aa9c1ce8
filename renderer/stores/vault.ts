import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { VaultStatus } from '#shared/contract/areas/vault.ts'
import { useHost } from './host.ts'

/** Whether the system's keychain can keep keys. Asked when a screen first needs it: the answer may take seconds. */
export const useVault = defineStore('vault', () => {
  const host = useHost()
  const status = ref<VaultStatus | null>(null)
  let heard = false

  async function load(): Promise<void> {
    if (!heard) host.on('vault.changed', (changed) => (status.value = changed))
    heard = true
    status.value ??= await host.call('vault.status', { probeAgain: false })
  }

  async function checkAgain(): Promise<void> {
    status.value = await host.call('vault.status', { probeAgain: true })
  }

  return { status, load, checkAgain }
})
