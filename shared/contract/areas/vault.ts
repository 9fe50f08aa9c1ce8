import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'

export const vaultStatusShape = z.strictObject({
  available: z.boolean(),
  /** Name of the keychain on this system: "macOS Keychain", "Windows Credential Manager", "Secret Service". */
  name: z.string(),
  /** Reason why the keychain cannot be used, with its remedy; null if it can. */
  message: z.string().nullable(),
})
export type VaultStatus = z.infer<typeof vaultStatusShape>

export const vaultCalls = {
  'vault.status': call(z.strictObject({ probeAgain: z.boolean() }))<VaultStatus>(),
}
