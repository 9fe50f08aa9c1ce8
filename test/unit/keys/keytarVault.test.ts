import { describe, expect, test } from 'vitest'
import { createKeytarVault, type Keytar } from '../../../electron/vault/keytarVault.ts'
import { vaultName, vaultMessage } from '../../../electron/vault/vaultMessage.ts'

/** Messages of the systems' real libraries, with the sentence that the user must read. */
const cases: [platform: NodeJS.Platform, thrown: string, expected: RegExp][] = [
  ['linux', 'Cannot autolaunch D-Bus without X11 $DISPLAY', /no session bus .* dbus-run-session/],
  ['linux', 'Could not connect: No such file or directory', /does not answer .* DBUS_SESSION_BUS_ADDRESS/],
  [
    'linux',
    'The name org.freedesktop.secrets was not provided by any .service files',
    /Install gnome-keyring, KWallet/,
  ],
  ['linux', 'Object does not exist at path “/org/freedesktop/secrets/collection/login”', /locked or was never set up/],
  ['linux', 'Cannot create an item in a locked collection', /Unlock it/],
  ['darwin', 'User interaction is not allowed.', /Unlock it in Keychain Access/],
  ['darwin', 'User canceled the operation.', /Allow it when macOS asks/],
  ['darwin', 'A default keychain could not be found.', /no login keychain/],
  ['win32', 'A specified logon session does not exist. It may already have been terminated.', /no credential store/],
  ['win32', 'Something\n new', /^Windows Credential Manager reported: Something new$/],
  ['linux', 'x'.repeat(900), /^Secret Service reported: x{200}$/],
]

test.each(cases)('%s: %s', (platform, thrown, expected) => {
  expect(vaultMessage(platform, new Error(thrown))).toMatch(expected)
})

const working: Keytar = {
  getPassword: async () => null,
  setPassword: async () => {},
  deletePassword: async () => true,
}

describe('the keychain', () => {
  test('has the name that the person knows', () => {
    expect((['linux', 'darwin', 'win32'] as const).map(vaultName)).toEqual([
      'Secret Service',
      'macOS Keychain',
      'Windows Credential Manager',
    ])
  })

  test('whose library is missing says what to install, and is tried again', async () => {
    let installed = false
    const vault = createKeytarVault({
      platform: 'linux',
      load: async () => {
        if (!installed) throw new Error('Cannot find package')
        return working
      },
    })
    await expect(vault.probe()).rejects.toThrow(/Install libsecret/)
    installed = true
    await expect(vault.probe()).resolves.toBeUndefined()
  })

  test('is not loaded before it is used', async () => {
    let loads = 0
    const vault = createKeytarVault({ load: async () => (loads++, working) })
    expect(loads).toBe(0)
    await Promise.all([vault.probe(), vault.get('a'), vault.remove('a')])
    expect(loads).toBe(1)
  })
})
