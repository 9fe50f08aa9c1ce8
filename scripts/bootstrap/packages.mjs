/** Installs the npm packages from the lock file when they are missing or the lock file has changed. */
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { runProgram } from '../processes.mjs'
import { at, findProgram, root } from '../project.mjs'
import { forStart } from './startPackages.mjs'
import { hasSecretHeaders } from './system.mjs'

const stampFile = at('node_modules', '.bootstrap')

/** Returns a hash of everything that decides which packages npm installs. */
export function fingerprintOf(lockText, platform = process.platform, arch = process.arch) {
  return createHash('sha256').update(`${platform} ${arch}\n${lockText}`).digest('hex')
}

/** Parses the stamp of the last installation; a missing or damaged stamp means that nothing is installed. */
export function readStamp(text) {
  // A stamp without a scope is of an earlier version, which always installed everything.
  const empty = { fingerprint: null, scope: 'all', secretHeaders: false, tried: [] }
  try {
    const stamp = JSON.parse(text)
    return typeof stamp === 'object' && stamp !== null ? { ...empty, ...stamp } : empty
  } catch {
    return empty
  }
}

/**
 * Says why `npm ci` has to run, or returns null if it does not.
 * @param {{fingerprint: string|null, scope: 'start'|'all', secretHeaders: boolean}} stamp of the last installation
 * @param {{fingerprint: string, scope: 'start'|'all', secretHeaders: boolean, keytar: boolean}} now
 */
export function reasonToInstall(stamp, now) {
  if (stamp.fingerprint === null) return 'first time'
  if (stamp.fingerprint !== now.fingerprint) return 'package-lock.json changed'
  if (now.scope === 'all' && stamp.scope === 'start') return 'what only the tests need'
  if (!now.keytar && now.secretHeaders && !stamp.secretHeaders) return 'the keychain binding can be built now'
  return null
}

export const loadStamp = () => readStamp(existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '')

export function saveStamp(stamp) {
  mkdirSync(at('node_modules'), { recursive: true })
  writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`)
}

export const hasKeytar = () => existsSync(at('node_modules', 'keytar', 'build', 'Release', 'keytar.node'))

/**
 * Installs the packages if there is a reason to.
 * @param {'start'|'all'} scope what the app and its build need, or everything
 * @returns {Promise<boolean>} whether the packages are installed now
 */
export async function installPackages(say, scope) {
  const stamp = loadStamp()
  const now = {
    scope,
    fingerprint: fingerprintOf(readFileSync(at('package-lock.json'), 'utf8')),
    secretHeaders: hasSecretHeaders(),
    keytar: hasKeytar(),
  }
  const reason = reasonToInstall(stamp, now)
  if (!reason) return true
  say(`Installing the npm packages (${reason}); this takes about half a minute.`)
  const startedAt = performance.now()
  moveRunningNodeAside()
  // What is installed already is never made smaller.
  const mayBeSmall = scope === 'start' && (stamp.scope === 'start' || !existsSync(at('node_modules')))
  const small = mayBeSmall ? await installForStart() : null
  const isSmall = small?.status === 0
  const { status, output } = isSmall ? small : await runNpmCi(root, everyGroup)
  if (status !== 0) {
    say(output.trim())
    say('The npm packages could not be installed. Check the network and the registry, then try again.')
    return false
  }
  const { fingerprint, secretHeaders } = now
  saveStamp({ fingerprint, scope: isSmall ? 'start' : 'all', secretHeaders, tried: stamp.tried })
  say(`The npm packages are installed (${Math.round((performance.now() - startedAt) / 1000)} s).`)
  return true
}

const everyGroup = ['--include=dev', '--include=optional']

const readJson = (name) => JSON.parse(readFileSync(at(name), 'utf8'))

/** Installs what the app and its build need in a folder of its own, because the lock file of the project has more. */
async function installForStart() {
  const folder = at('.cache', 'start')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { manifest, lock } = forStart(readJson('package.json'), readJson('package-lock.json'))
  // Scripts of the project itself belong to its own folder.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts: {} }))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  if (existsSync(at('.npmrc'))) copyFileSync(at('.npmrc'), join(folder, '.npmrc'))
  const result = await runNpmCi(folder, everyGroup)
  if (result.status === 0) {
    rmSync(at('node_modules'), { recursive: true, force: true })
    renameSync(join(folder, 'node_modules'), at('node_modules'))
  }
  rmSync(folder, { recursive: true, force: true })
  return result
}

/** Runs `npm ci` in a folder with a lock file, and prints nothing; the result contains the output. */
export function runNpmCi(folder, flags) {
  const [program, ...args] = npmCommand()
  const quietFlags = ['--no-audit', '--no-fund', '--loglevel=error']
  return runProgram(program, [...args, 'ci', ...flags, ...quietFlags], { cwd: folder, show: false })
}

const isInProject = (path) => path.includes('node_modules')

/** Returns the command that runs npm on the system's Node, because `npm ci` replaces the Node in node_modules. */
export function npmCommand(env = process.env, execPath = process.execPath) {
  const path = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !isInProject(folder))
    .join(delimiter)
  const node =
    [env.npm_node_execpath, execPath].find((program) => program && !isInProject(program)) ??
    findProgram(['node', 'node.exe'], path) ??
    execPath
  if (env.npm_execpath) return [node, env.npm_execpath]
  const npm = findProgram(process.platform === 'win32' ? ['npm.cmd'] : ['npm'], path) ?? 'npm'
  return process.platform === 'win32' ? ['cmd.exe', '/c', npm] : [npm]
}

/** On Windows, moves the running Node out of node_modules, because `npm ci` could not delete a program that runs. */
function moveRunningNodeAside() {
  if (process.platform !== 'win32') return
  const cache = at('.cache')
  mkdirSync(cache, { recursive: true })
  for (const name of readdirSync(cache).filter((entry) => entry.startsWith('retired-'))) {
    try {
      rmSync(join(cache, name))
    } catch {
      // The old Node is still running; a later bootstrap removes it.
    }
  }
  if (isInProject(process.execPath))
    renameSync(process.execPath, join(cache, `retired-${process.pid}-${basename(process.execPath)}`))
}

/** Option to build a package even though the app in it cannot store an API key. */
export const WITHOUT_KEYCHAIN = '--without-keychain'

/**
 * Returns the reason not to build a package: the keychain binding is missing, and `--without-keychain` is not given.
 * Null if a package can be built.
 */
export function keychainProblem(args, isBuilt = hasKeytar()) {
  if (isBuilt || args.includes(WITHOUT_KEYCHAIN)) return null
  return (
    'The keychain binding (keytar) is not built, so a package could not keep an API key. ' +
    `Install libsecret-1-dev and run npm ci again, or pass ${WITHOUT_KEYCHAIN}.`
  )
}
