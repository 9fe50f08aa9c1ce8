import { safeStorage } from 'electron'
import type { Encryption } from '../vault/encryptedVault.ts'

/** Backends on Linux that do not encrypt the text, or whose behaviour is unknown. */
const unsafeBackends = ['basic_text', 'unknown']

const REFUSED = 'The system offers no encryption for API keys.'

/**
 * Encryption by Electron. Its synchronous functions would block the window while they wait for the system, so only the
 * asynchronous ones are used.
 */
export const osEncryption: Encryption = {
  async refusal() {
    if (process.platform === 'linux' && unsafeBackends.includes(safeStorage.getSelectedStorageBackend())) return REFUSED
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return REFUSED
    return (await encrypt('probe')) ? null : REFUSED
  },
  async encrypt(text) {
    const bytes = await encrypt(text)
    if (!bytes) throw new Error(REFUSED)
    return bytes
  },
  async decrypt(bytes) {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(bytes))
    return { text: result, isStale: shouldReEncrypt }
  },
}

/** Prefix of bytes that Chromium on Linux has encrypted with a publicly known password. */
const KNOWN_PASSWORD_PREFIX = 'v10'

/**
 * Encrypts a text; null if anybody could decrypt it: Chromium chooses the backend by the name of the desktop, and if a
 * keyring does not respond, it silently uses a known password.
 */
async function encrypt(text: string): Promise<Uint8Array | null> {
  const bytes = await safeStorage.encryptStringAsync(text)
  const isReadable =
    process.platform === 'linux' && bytes.toString('latin1', 0, KNOWN_PASSWORD_PREFIX.length) === KNOWN_PASSWORD_PREFIX
  return isReadable ? null : bytes
}
