/** Installs peers into a cache folder outside the clone, where they stay until their versions change. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../processes.mjs'
import { findProgram, projectNode } from '../project.mjs'
import { startLimited } from '../test/shards.mjs'
import { environments, npmEnvironments } from './registry.mjs'

const isWindows = process.platform === 'win32'

/** Returns the folder into which all peers are installed. */
function peersFolder(env = process.env) {
  const cache = env.XDG_CACHE_HOME || (isWindows && env.LOCALAPPDATA) || join(homedir(), '.cache')
  return join(cache, 'perpscope', 'peers')
}

/**
 * Returns the path of Python 3, or null if there is none. PERPSCOPE_PYTHON overrides it; if it is set but empty, no
 * Python is used.
 */
function findPython(env = process.env) {
  if (env.PERPSCOPE_PYTHON !== undefined) return env.PERPSCOPE_PYTHON || null
  return findProgram(isWindows ? ['python.exe'] : ['python3', 'python'])
}

/** Returns the reason why a package manager failed, as one line: the last error in its output, else the last line. */
function reasonIn(output) {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const error = lines.findLast((line) => /^(npm error|ERROR:|error:)/i.test(line)) ?? lines.at(-1) ?? 'no output'
  const plain = error.replace(/^(npm error|ERROR:|error:)\s*/i, '')
  return plain.length > 160 ? `${plain.slice(0, 159)}…` : plain
}

const isInstalled = (stamp, packages) => existsSync(stamp) && readFileSync(stamp, 'utf8') === JSON.stringify(packages)

/** Runs one step of an installation. @returns the reason why it failed, or null */
async function runStep(name, program, args, options) {
  const { status, output, timedOut } = await runProgram(program, args, { ...options, show: false })
  if (timedOut) return `${name} took longer than ${options.timeoutMs / 60_000} minutes`
  return status === 0 ? null : `${name} failed: ${reasonIn(output)}`
}

/** Installs a peer whose npm packages a Python program loads; returns the paths of the packages and of Python. */
async function installNpmForPython(environment, python) {
  return { python, ...(await installNpm({ ...environment, packages: environment.npmPackages })) }
}

async function installPython({ name, packages, timeoutMs, program }, python) {
  const folder = join(peersFolder(), name)
  const stamp = join(folder, 'installed.json')
  const environmentPython = join(folder, ...(isWindows ? ['Scripts', 'python.exe'] : ['bin', 'python']))
  if (program && !findProgram([program.name])) return { problem: program.why }
  if (isInstalled(stamp, packages)) return { python: environmentPython }
  rmSync(folder, { recursive: true, force: true })
  const pipArguments = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '--quiet', ...packages]
  const problem =
    (await runStep('venv', python, ['-m', 'venv', folder], { timeoutMs })) ??
    (await runStep('pip', environmentPython, pipArguments, { timeoutMs }))
  if (problem) return { problem }
  writeFileSync(stamp, JSON.stringify(packages))
  return { python: environmentPython }
}

async function installNpm({ name, packages, timeoutMs }) {
  const folder = join(peersFolder(), name)
  const stamp = join(folder, 'installed.json')
  if (isInstalled(stamp, packages)) return { modules: join(folder, 'node_modules') }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const npm = process.env.npm_execpath ?? null
  if (!npm) return { problem: 'npm is not known: run this as “npm run test:peers”' }
  const args = [npm, 'install', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
  const problem = await runStep('npm', projectNode(), args, { cwd: folder, timeoutMs })
  if (problem) return { problem }
  writeFileSync(stamp, JSON.stringify(packages))
  return { modules: join(folder, 'node_modules') }
}

/**
 * Installs the wanted peers that are missing, two environments at a time.
 * @returns per peer its name and how to run it: the paths of `python`, of npm `modules` or of both, or the `problem`
 *   that kept it from being installed
 */
export async function installPeers(say, isWanted = () => true) {
  mkdirSync(peersFolder(), { recursive: true })
  const python = findPython()
  const chosen = (python ? environments : npmEnvironments).filter(({ peers }) => Object.keys(peers).some(isWanted))
  if (!python) say('There is no Python 3, so only the peers that npm has are installed.')
  const tasks = chosen.map((environment) => async () => {
    const startedAt = performance.now()
    const install = !python ? installNpm : environment.npmPackages ? installNpmForPython : installPython
    const result = await install(environment, python)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    say(`${(environment.npmPackages ?? environment.packages).join(', ')}: ${result.problem ?? 'ready'} (${seconds} s)`)
    return Object.entries(environment.peers).map(([id, label]) => [id, { label, ...result }])
  })
  const peersById = Object.fromEntries((await Promise.all(startLimited(tasks, 2))).flat())
  for (const { peers } of environments)
    for (const [id, label] of Object.entries(peers)) peersById[id] ??= { label, problem: 'there is no Python 3' }
  return peersById
}
