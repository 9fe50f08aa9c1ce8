import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SecretVault } from '#core/ports.ts'

/** Encryption by the operating system, with a key that belongs to the user's account. */
export interface Encryption {
  /**
   * Returns why nothing can be encrypted here, for example because the system would store plain text; null if
   * encryption works.
   */
  refusal(): Promise<string | null>
  encrypt(text: string): Promise<Uint8Array>
  /** Decrypts a text; `isStale` means that it should be encrypted again, because the system has a newer key. */
  decrypt(bytes: Uint8Array): Promise<{ text: string; isStale: boolean }>
}

/** Returns the folder of the encrypted keys, below the data folder. */
export const keyFolder = (dataDir: string): string => join(dataDir, 'keys')
export const keyFile = (folder: string, account: string): string => join(folder, `${encodeURIComponent(account)}.key`)

/** Creates a vault of encrypted files, each readable only by its owner. */
export function createEncryptedVault(folder: string, encryption: Encryption): SecretVault {
  async function write(account: string, secret: string): Promise<void> {
    const bytes = await encryption.encrypt(secret)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = keyFile(folder, account)
    await writeFile(`${path}.part`, bytes, { mode: 0o600 })
    await rename(`${path}.part`, path)
  }

  return {
    name: 'an encrypted file',
    async probe() {
      const refusal = await encryption.refusal()
      if (refusal) throw new Error(refusal)
    },
    async get(account) {
      const bytes = await readFile(keyFile(folder, account)).catch(nullIfMissing)
      if (!bytes) return null
      const { text, isStale } = await encryption.decrypt(bytes)
      if (isStale) await write(account, text)
      return text
    },
    set: write,
    remove: (account) => rm(keyFile(folder, account), { force: true }),
  }
}

function nullIfMissing(thrown: unknown): null {
  if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null
  throw thrown
}
