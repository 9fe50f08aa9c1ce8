import { existsSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { LockedVault, type SecretVault } from '#core/ports.ts'
import { keyFile, keyFolder } from './encryptedVault.ts'
import { isLocked, vaultName, vaultMessage, missingLibraryMessage } from './vaultMessage.ts'

/** The part of keytar that is used; declared here because the package is optional and may be missing. */
export interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

/** Thrown if the keychain library cannot be loaded: it has no build for this system, or needs a missing library. */
export class MissingKeychainLibrary extends Error {}

const SERVICE = 'Perpscope'

export interface KeytarVaultOptions {
  load?: () => Promise<Keytar>
  platform?: NodeJS.Platform
  /** Data folder in which the desktop app may store encrypted keys that only it can read. */
  dataDir?: string
}

/**
 * Creates a vault on the system's keychain. The library is loaded on first use; an error with a known cause says what
 * would help.
 */
export function createKeytarVault({
  load = loadKeytar,
  platform = process.platform,
  dataDir,
}: KeytarVaultOptions = {}): SecretVault {
  let loading: Promise<Keytar> | null = null

  async function keytar(): Promise<Keytar> {
    try {
      return await (loading ??= load())
    } catch (thrown) {
      loading = null
      throw new MissingKeychainLibrary(missingLibraryMessage(platform), { cause: thrown })
    }
  }

  async function withKeytar<Result>(work: (keytar: Keytar) => Promise<Result>): Promise<Result> {
    const loaded = await keytar()
    try {
      return await work(loaded)
    } catch (thrown) {
      const message = vaultMessage(platform, thrown)
      throw isLocked(platform, thrown)
        ? new LockedVault(message, { cause: thrown })
        : new Error(message, { cause: thrown })
    }
  }

  /** Stores and removes a dummy: a locked Secret Service returns no secret and no error, but refuses to store one. */
  const storeDummy = () =>
    withKeytar(async (loaded) => {
      const account = `check/${randomUUID()}`
      await loaded.setPassword(SERVICE, account, 'check')
      await loaded.deletePassword(SERVICE, account)
    })

  return {
    name: vaultName(platform),
    probe: () => withKeytar((loaded) => loaded.getPassword(SERVICE, 'probe')).then(() => {}),
    get: (account) => withKeytar((loaded) => loaded.getPassword(SERVICE, account)),
    set: (account, secret) => withKeytar((loaded) => loaded.setPassword(SERVICE, account, secret)),
    ...(platform === 'linux' && { checkReadable: storeDummy }),
    remove: (account) => withKeytar((loaded) => loaded.deletePassword(SERVICE, account)).then(() => {}),
    ...(dataDir !== undefined && {
      isElsewhere: async (account: string) => existsSync(keyFile(keyFolder(dataDir), account)),
    }),
  }
}

/** Binding that a packed program brings for the system that packed it, two folders above this file as built too. */
const broughtBinding = fileURLToPath(
  new URL(`../../out/keychain/${process.platform}-${process.arch}.node`, import.meta.url),
)

/**
 * Loads the library as npm installed it, or else the binding that the program brings, because npm builds the library only
 * where it may run its script, and where a compiler is.
 */
async function loadKeytar(): Promise<Keytar> {
  try {
    const keytarModule = (await import('keytar' as string)) as { default: Keytar }
    return keytarModule.default
  } catch (thrown) {
    if (!existsSync(broughtBinding)) throw thrown
    return createRequire(import.meta.url)(broughtBinding) as Keytar
  }
}
