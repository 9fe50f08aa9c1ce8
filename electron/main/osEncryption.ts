import { safeStorage } from 'electron'
import type { Encryption } from '../vault/encryptedVault.ts'

/** Backends of Linux that keep the text readable, or of which nothing is known. */
const unsafeBackends = ['basic_text', 'unknown']

/** Encryption by Electron. Its calls that wait for the system would block the window, so only the others are used. */
export const osEncryption: Encryption = {
  async refusal() {
    const refused = 'The system offers no encryption for API keys.'
    if (process.platform === 'linux' && unsafeBackends.includes(safeStorage.getSelectedStorageBackend())) return refused
    return (await safeStorage.isAsyncEncryptionAvailable()) ? null : refused
  },
  encrypt: (text) => safeStorage.encryptStringAsync(text),
  async decrypt(bytes) {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(bytes))
    return { text: result, isStale: shouldReEncrypt }
  },
}
