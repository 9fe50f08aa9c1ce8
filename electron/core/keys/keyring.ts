import type { KeyStatus, ServiceName } from '#shared/contract/areas/connections.ts'
import type { VaultStatus } from '#shared/contract/areas/vault.ts'
import type { SecretVault } from '#core/ports.ts'

/** The API keys of all connections: in the system's keychain where it works, else for this run only. */
export interface Keyring {
  vaultStatus(probeAgain: boolean): Promise<VaultStatus>
  status(connectionId: string, service: ServiceName): Promise<KeyStatus>
  set(connectionId: string, service: ServiceName, key: string): Promise<KeyStatus>
  remove(connectionId: string, service: ServiceName): Promise<KeyStatus>
  /** The key itself, for a request to the connection's own service; the portfolio service falls back on the metrics key. */
  reveal(connectionId: string, service: ServiceName): Promise<string | null>
}

export function createKeyring(vault: SecretVault): Keyring {
  const forThisRun = new Map<string, string>()
  const accountOf = (connectionId: string, service: ServiceName) => `${connectionId}/${service}`
  const statusOf = (key: string | null): KeyStatus => ({
    set: key !== null,
    ending: key && key.length >= 12 ? key.slice(-4) : null,
    kept: key === null ? null : 'run',
  })

  return {
    async vaultStatus() {
      return { available: false, name: vault.name, words: 'Keys are kept for this run only.' }
    },
    async status(connectionId, service) {
      return statusOf(forThisRun.get(accountOf(connectionId, service)) ?? null)
    },
    async set(connectionId, service, key) {
      forThisRun.set(accountOf(connectionId, service), key)
      return statusOf(key)
    },
    async remove(connectionId, service) {
      forThisRun.delete(accountOf(connectionId, service))
      return statusOf(null)
    },
    async reveal(connectionId, service) {
      return (
        forThisRun.get(accountOf(connectionId, service)) ?? forThisRun.get(accountOf(connectionId, 'metrics')) ?? null
      )
    },
  }
}
