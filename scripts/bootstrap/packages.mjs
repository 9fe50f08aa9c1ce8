/** Installs the npm packages from the lock file when it changed. */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { runProgram } from '../processes.mjs'
import { at, findProgram, root } from '../project.mjs'
import { fingerprintOf, readStamp, reasonToInstall } from './stamp.mjs'
import { hasSecretHeaders } from './system.mjs'

const stampFile = at('node_modules', '.bootstrap')

export const loadStamp = () => readStamp(existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '')

export function saveStamp(stamp) {
  mkdirSync(at('node_modules'), { recursive: true })
  writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`)
}

export const hasKeytar = () => existsSync(at('node_modules', 'keytar', 'build', 'Release', 'keytar.node'))

/** @returns {Promise<boolean>} whether the packages are there */
export async function installPackages(say) {
  const stamp = loadStamp()
  const now = {
    fingerprint: fingerprintOf(readFileSync(at('package-lock.json'), 'utf8')),
    secretHeaders: hasSecretHeaders(),
    keytar: hasKeytar(),
  }
  const reason = reasonToInstall(stamp, now)
  if (!reason) return true
  say(`Installing the npm packages (${reason}); this takes about half a minute.`)
  const startedAt = performance.now()
  moveRunningNodeAside()
  const [program, ...args] = npmCommand()
  const flags = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, output } = await runProgram(program, [...args, ...flags], { cwd: root, show: false })
  if (status !== 0) {
    say(output.trim())
    say('The npm packages could not be installed. Check the network and the registry, then try again.')
    return false
  }
  saveStamp({ fingerprint: now.fingerprint, secretHeaders: now.secretHeaders, tried: stamp.tried })
  say(`The npm packages are installed (${Math.round((performance.now() - startedAt) / 1000)} s).`)
  return true
}

const isOurs = (path) => path.includes('node_modules')

/** npm under the Node of the system: the one in node_modules is about to be replaced. */
export function npmCommand(env = process.env, execPath = process.execPath) {
  const named = env.npm_node_execpath
  const path = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !isOurs(folder))
    .join(delimiter)
  const node =
    [named, execPath].find((each) => each && !isOurs(each)) ?? findProgram(['node', 'node.exe'], path) ?? execPath
  if (env.npm_execpath) return [node, env.npm_execpath]
  const npm = findProgram(process.platform === 'win32' ? ['npm.cmd'] : ['npm'], path) ?? 'npm'
  return process.platform === 'win32' ? ['cmd.exe', '/c', npm] : [npm]
}

/** Windows deletes no program that runs, but lets it be renamed: it waits outside node_modules until the next time. */
function moveRunningNodeAside() {
  if (process.platform !== 'win32') return
  const cache = at('.cache')
  mkdirSync(cache, { recursive: true })
  for (const name of readdirSync(cache).filter((each) => each.startsWith('retired-'))) {
    try {
      rmSync(join(cache, name))
    } catch {
      // Still running somewhere; the next time will do.
    }
  }
  if (isOurs(process.execPath))
    renameSync(process.execPath, join(cache, `retired-${process.pid}-${basename(process.execPath)}`))
}
