/** Returns the name of the system's keychain. */
export function vaultName(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'macOS Keychain'
  return platform === 'win32' ? 'Windows Credential Manager' : 'Secret Service'
}

const linuxCauses: readonly [pattern: RegExp, message: string][] = [
  [
    /autolaunch D-Bus|cannot spawn a message bus|DBUS_SESSION_BUS_ADDRESS/i,
    'There is no session bus (D-Bus) here, as on a server without a desktop. Start Perpscope from a desktop session, or with dbus-run-session and an unlocked keyring.',
  ],
  [
    /could not connect|connection refused|connection is closed/i,
    'The session bus (D-Bus) does not answer at its address. Log in again, or correct DBUS_SESSION_BUS_ADDRESS.',
  ],
  [
    /org\.freedesktop\.secrets|ServiceUnknown|not provided by any/i,
    'No keyring service is installed or running. Install gnome-keyring, KWallet or KeePassXC (with its Secret Service switched on) and log in again.',
  ],
  [
    /object does not exist at path|locked|no such (object|collection)|prompt/i,
    'The keyring is locked or was never set up. Unlock it, e.g. with “Passwords and Keys” (seahorse), then check again.',
  ],
]

const macCauses: readonly [pattern: RegExp, message: string][] = [
  [
    /interaction is not allowed|locked|-25308/i,
    'The login keychain is locked. Unlock it in Keychain Access, then check again.',
  ],
  [
    /denied|cancel|authoriz|-128|-25293/i,
    'Access to the login keychain was not allowed. Allow it when macOS asks, then check again.',
  ],
  [/no keychain|could not be found|-25307|-25294/i, 'There is no login keychain. Create one in Keychain Access.'],
]

const windowsCauses: readonly [pattern: RegExp, message: string][] = [
  [
    /logon session|1312/i,
    'This Windows session has no credential store, as with some remote or service logins. Log in at the desktop.',
  ],
]

const lockedCauses: Partial<Record<NodeJS.Platform, readonly (readonly [pattern: RegExp, message: string])[]>> = {
  linux: linuxCauses.slice(3),
  darwin: macCauses.slice(0, 2),
}

function causesOf(platform: NodeJS.Platform) {
  if (platform === 'darwin') return macCauses
  return platform === 'win32' ? windowsCauses : linuxCauses
}

/** Explains why a keychain cannot be used: known causes in plain English with their remedies, others as reported. */
export function vaultMessage(platform: NodeJS.Platform, thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const cause = causesOf(platform).find(([pattern]) => pattern.test(message))
  return cause ? cause[1] : `${vaultName(platform)} reported: ${message.replace(/\s+/g, ' ').trim().slice(0, 200)}`
}

/** Tells whether an error means that the keychain is there but locked, or that access to it was not allowed. */
export function isLocked(platform: NodeJS.Platform, thrown: unknown): boolean {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const [lockedMessages, causes] = [lockedCauses[platform] ?? [], causesOf(platform)]
  const cause = causes.find(([pattern]) => pattern.test(message))
  return cause !== undefined && lockedMessages.includes(cause)
}

export function missingLibraryMessage(platform: NodeJS.Platform): string {
  if (platform === 'linux') {
    return 'The keychain library could not be loaded. Install libsecret (Debian and Ubuntu: libsecret-1-0, Fedora: libsecret) and start Perpscope again.'
  }
  return 'The keychain library could not be loaded. Install Perpscope again.'
}
