import { existsSync, readFileSync, statSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { osEncryption } from '../../electron/main/osEncryption.ts'
import { createDesktopVault } from '../../electron/vault/desktopVault.ts'
import { createEncryptedVault, keyFile, keyFolder } from '../../electron/vault/encryptedVault.ts'
import { createKeytarVault, MissingKeychainLibrary } from '../../electron/vault/keytarVault.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { desktop, resetDesktop } from '../fakes/electron.ts'
import { fakeVault } from '../fakes/fakeVault.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

beforeEach(() => resetDesktop())

const ACCOUNT = 'c1/metrics'
const KEY = 'abcdefgh-ijkl-wxyz'

function desktopVault(dataDir = dataFolder()) {
  const keychain = fakeVault()
  const vault = createDesktopVault(keychain, createEncryptedVault(keyFolder(dataDir), osEncryption))
  const file = keyFile(keyFolder(dataDir), ACCOUNT)
  return { keychain, vault, file, dataDir }
}

const withoutLibrary = () => Promise.reject(new MissingKeychainLibrary('no library'))

it('keeps a key in the keychain where there is one, and in no file', async () => {
  const { keychain, vault, file } = desktopVault()
  await vault.probe()
  await vault.set(ACCOUNT, KEY)
  expect([vault.place?.(), keychain.secrets.get(ACCOUNT), existsSync(file)]).toEqual(['keychain', KEY, false])
})

it('keeps it in a file that the system encrypts where the library of the keychain is missing', async () => {
  const { keychain, vault, file } = desktopVault()
  keychain.onProbe = withoutLibrary
  await vault.probe()
  await vault.set(ACCOUNT, KEY)
  expect(await vault.get(ACCOUNT)).toBe(KEY)
  expect([vault.place?.(), vault.name, keychain.secrets.size]).toEqual(['encrypted-file', 'an encrypted file', 0])
  expect(readFileSync(file, 'utf8')).not.toContain(KEY)
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0)
  await vault.remove(ACCOUNT)
  expect([existsSync(file), await vault.get(ACCOUNT)]).toEqual([false, null])
})

it('moves it into the keychain once that is back, without asking', async () => {
  const before = desktopVault()
  before.keychain.onProbe = withoutLibrary
  await before.vault.probe()
  await before.vault.set(ACCOUNT, KEY)
  const after = desktopVault(before.dataDir)
  await after.vault.probe()
  expect(await after.vault.get(ACCOUNT)).toBe(KEY)
  expect([after.keychain.secrets.get(ACCOUNT), existsSync(after.file)]).toEqual([KEY, false])
})

it('writes no file where the keychain is only locked', async () => {
  const { keychain, vault } = desktopVault()
  keychain.onProbe = () => Promise.reject(new Error('The keyring is locked.'))
  await expect(vault.probe()).rejects.toThrow('The keyring is locked.')
})

it.each(['basic_text', 'unknown'] as const)(
  'writes no file where the system would keep it readable (%s)',
  async (backend) => {
    desktop.storageBackend = backend
    const { keychain, vault } = desktopVault()
    keychain.onProbe = withoutLibrary
    if (process.platform === 'linux') await expect(vault.probe()).rejects.toThrow('no library')
  },
)

it('writes no file where a keyring that does not answer was replaced by a password that everybody knows', async () => {
  desktop.encryptionMark = 'v10'
  const { keychain, vault, file } = desktopVault()
  keychain.onProbe = withoutLibrary
  if (process.platform === 'linux') {
    await expect(vault.probe()).rejects.toThrow('no library')
    await expect(osEncryption.encrypt(KEY)).rejects.toThrow('no encryption')
    expect(existsSync(file)).toBe(false)
  }
})

it('writes no file where the system cannot encrypt', async () => {
  desktop.canEncrypt = false
  const { keychain, vault } = desktopVault()
  keychain.onProbe = withoutLibrary
  await expect(vault.probe()).rejects.toThrow('no library')
})

it('another face says that the desktop app keeps a key which it cannot read', async () => {
  const dataDir = dataFolder()
  const vault = createKeytarVault({ load: () => Promise.reject(new Error('no library')), dataDir })
  expect(await vault.isElsewhere?.(ACCOUNT)).toBe(false)
  mkdirSync(join(dataDir, 'keys'))
  writeFileSync(keyFile(keyFolder(dataDir), ACCOUNT), 'x')
  expect(await vault.isElsewhere?.(ACCOUNT)).toBe(true)
})
