import { z } from 'zod'
import { call } from '../spec.ts'

export const vaultStatusShape = z.strictObject({
  available: z.boolean(),
  /** What to call it on this system: "macOS Keychain", "Windows Credential Manager", "Secret Service". */
  name: z.string(),
  /** Why it cannot be used and what would change that; null where it can. */
  message: z.string().nullable(),
})
export type VaultStatus = z.infer<typeof vaultStatusShape>

export const vaultCalls = {
  'vault.status': call(z.strictObject({ probeAgain: z.boolean() }))<VaultStatus>(),
}
