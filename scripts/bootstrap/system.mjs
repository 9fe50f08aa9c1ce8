/** Installs the system packages that the tests need, if this process may use apt. */
import { existsSync } from 'node:fs'
import { runProgram } from '../processes.mjs'
import { findChromium, findProgram } from '../project.mjs'

const APT_LIMIT_MS = 5 * 60_000

export const hasSecretHeaders = () => existsSync('/usr/include/libsecret-1/libsecret/secret.h')
const hasProgram = (name) => findProgram([name]) !== null
const hasCjkFont = () =>
  ['/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', '/usr/share/fonts/noto-cjk'].some((path) =>
    existsSync(path),
  )

/** System packages that the tests use; `without` says what does not work without the package. */
const systemPackages = [
  { name: 'chromium', isInstalled: () => findChromium() !== null, without: 'the end-to-end tests are skipped' },
  { name: 'libsecret-1-dev', isInstalled: hasSecretHeaders, without: 'the keychain binding may be missing' },
  {
    name: 'gnome-keyring',
    isInstalled: () => hasProgram('gnome-keyring-daemon'),
    without: 'the keychain tests are skipped',
  },
  { name: 'dbus', isInstalled: () => hasProgram('dbus-run-session'), without: 'the keychain tests are skipped' },
  { name: 'dbus-x11', isInstalled: () => hasProgram('dbus-launch'), without: 'some keychain tests are skipped' },
  { name: 'fonts-noto-cjk', isInstalled: hasCjkFont, without: 'Chinese symbols appear as boxes in screenshots' },
]

export const missingPackages = (packages = systemPackages) => packages.filter(({ isInstalled }) => !isInstalled())

/**
 * Returns the command that runs apt-get, or null if PERPSCOPE_NO_APT forbids it or this process cannot use it.
 * @returns {Promise<string[]|null>}
 */
export async function aptCommand({ env = process.env, platform = process.platform, uid = process.getuid?.() } = {}) {
  if (platform !== 'linux' || env.PERPSCOPE_NO_APT) return null
  const apt = findProgram(['apt-get'], env.PATH)
  if (!apt) return null
  if (uid === 0) return [apt]
  const sudo = findProgram(['sudo'], env.PATH)
  if (!sudo || (await runProgram(sudo, ['-n', 'true'], { show: false, timeoutMs: 5000 })).status !== 0) return null
  return [sudo, '-n', 'DEBIAN_FRONTEND=noninteractive', apt]
}

/**
 * Tries to install the missing system packages.
 * @param {string[]} tried names that an earlier run could not install; they are not tried again
 * @returns {Promise<string[]>} names that could not be installed
 */
export async function installSystemPackages(say, tried) {
  if (process.platform !== 'linux') return []
  const missing = missingPackages()
  const wanted = missing.filter(({ name }) => !tried.includes(name))
  const command = wanted.length > 0 ? await aptCommand() : null
  if (command)
    await aptInstall(
      command,
      wanted.map(({ name }) => name),
      say,
    )
  const stillMissing = missingPackages(missing)
  for (const { name, without } of stillMissing) say(`${name} is not installed: ${without}.`)
  return command ? stillMissing.map(({ name }) => name) : tried
}

async function aptInstall([program, ...leadingArgs], names, say) {
  say(`Installing ${names.join(', ')} with apt; this may take some minutes.`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args) => runProgram(program, [...leadingArgs, ...args], { env, show: false, timeoutMs: APT_LIMIT_MS })
  const install = (list) =>
    apt('install', '-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=60', ...list)
  await apt('update', '-q')
  // If apt does not know one of the packages, it installs none of them, so each one is then installed by itself.
  if ((await install(names)).status !== 0 && names.length > 1) for (const name of names) await install([name])
}
