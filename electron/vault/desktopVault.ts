import type { SecretVault } from '#core/ports.ts'
import { MissingKeychainLibrary } from './keytarVault.ts'

/**
 * Creates the vault of the desktop app: the keychain, or if its library is missing, files encrypted by the system. An
 * encrypted key is moved to the keychain when it is first read after the keychain works again. A keychain that is
 * merely locked is not replaced, because a key must not end up in two places.
 */
export function createDesktopVault(keychain: SecretVault, encrypted: SecretVault): SecretVault {
  let chosen = keychain

  async function choose(): Promise<SecretVault> {
    chosen = keychain
    try {
      await keychain.probe()
    } catch (thrown) {
      if (!(thrown instanceof MissingKeychainLibrary)) throw thrown
      await encrypted.probe().catch(() => {
        throw thrown
      })
      chosen = encrypted
    }
    return chosen
  }

  async function moveToKeychain(account: string): Promise<string | null> {
    const secret = await encrypted.get(account).catch(() => null)
    if (secret === null) return null
    await keychain.set(account, secret)
    await encrypted.remove(account)
    return secret
  }

  return {
    get name() {
      return chosen.name
    },
    place: () => (chosen === keychain ? 'keychain' : 'encrypted-file'),
    probe: () => choose().then(() => {}),
    async get(account) {
      const secret = await chosen.get(account)
      return secret ?? (chosen === keychain ? moveToKeychain(account) : null)
    },
    async checkReadable() {
      if (chosen === keychain) await keychain.checkReadable?.()
    },
    async set(account, secret) {
      await chosen.set(account, secret)
      if (chosen === keychain) await encrypted.remove(account)
    },
    async remove(account) {
      await chosen.remove(account)
      await encrypted.remove(account)
    },
  }
}
