import type { Ports } from '#core/ports.ts'

/** Ports of a host that has a working keychain in memory and keeps its log lines for the test to read. */
export function fakePorts(): Ports & { logged: string[]; secrets: Map<string, string> } {
  const secrets = new Map<string, string>()
  const logged: string[] = []
  return {
    secrets,
    logged,
    log: { write: (level, message) => void logged.push(`${level} ${message}`) },
    clock: { nowMs: () => Date.now() },
    vault: {
      name: 'Test keychain',
      probe: async () => {},
      get: async (account) => secrets.get(account) ?? null,
      set: async (account, secret) => void secrets.set(account, secret),
      remove: async (account) => void secrets.delete(account),
    },
  }
}
