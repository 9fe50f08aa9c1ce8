/** When the packages have to be installed (again). Pure; the files are read by the caller. */
import { createHash } from 'node:crypto'

/** The installed packages depend on these files. */
export function fingerprintOf(lockText, platform = process.platform, arch = process.arch) {
  return createHash('sha256').update(`${platform} ${arch}\n${lockText}`).digest('hex')
}

/** A stamp as it was written, or an empty one. */
export function readStamp(text) {
  try {
    const stamp = JSON.parse(text)
    if (typeof stamp === 'object' && stamp !== null)
      return { fingerprint: null, secretHeaders: false, tried: [], ...stamp }
  } catch {
    // Not there, cut short, or of another version: as if nothing was installed.
  }
  return { fingerprint: null, secretHeaders: false, tried: [] }
}

/**
 * Says why `npm ci` has to run, or returns null.
 * @param {{fingerprint: string|null, secretHeaders: boolean}} stamp of the last install
 * @param {{fingerprint: string, secretHeaders: boolean, keytar: boolean}} now
 */
export function reasonToInstall(stamp, now) {
  if (stamp.fingerprint === null) return 'first time'
  if (stamp.fingerprint !== now.fingerprint) return 'package-lock.json changed'
  if (!now.keytar && now.secretHeaders && !stamp.secretHeaders) return 'the keychain binding can be built now'
  return null
}
