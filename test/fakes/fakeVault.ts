import type { SecretVault } from '#core/ports.ts'

export interface FakeVault extends SecretVault {
  secrets: Map<string, string>
  /** Implementation of the probe; by default it succeeds. */
  onProbe: () => Promise<void>
}

/** Creates a keychain in memory. It becomes unavailable when `onProbe` rejects or never settles. */
export function fakeVault(): FakeVault {
  const secrets = new Map<string, string>()
  const vault: FakeVault = {
    name: 'Test keychain',
    secrets,
    onProbe: async () => {},
    probe: () => vault.onProbe(),
    get: async (account) => secrets.get(account) ?? null,
    set: async (account, secret) => void secrets.set(account, secret),
    remove: async (account) => void secrets.delete(account),
  }
  return vault
}
