#!/usr/bin/env node
/**
 * Starts the built command line, on the Node that npm brought if this one is too old: the SQLite binding crashes an old
 * Node silently. It runs on Node 20, needs no package, and builds a checkout that is not built yet.
 */
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

const OLDEST_NODE = 22
const own = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const builtCli = own('out/main/cli.js')

enterCallersFolder()
if (!existsSync(builtCli) && !(await buildCheckout())) fail('Perpscope is not built; run “npm run build” to see why.')
else if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) await startHere()
else {
  const node = broughtNode()
  if (node) await startWith(node)
  else fail(`Perpscope needs Node ${OLDEST_NODE} or newer; this is ${process.versions.node}.`)
}

/** `npm run` starts its scripts in the folder of the project; paths are meant from where the person is. */
function enterCallersFolder() {
  const { INIT_CWD: folder, npm_lifecycle_event: script, npm_package_json: project } = process.env
  if (!folder || !project || !['cli', 'sandbox'].includes(script)) return
  if (!existsSync(project) || !existsSync(folder)) return
  if (realpathSync(project) !== realpathSync(own('package.json'))) return
  process.chdir(folder)
  // A program that the command starts is in the right folder already.
  delete process.env.npm_lifecycle_event
}

/** Installs the packages of a checkout and builds it, with all messages on stderr. @returns whether it is built now */
async function buildCheckout() {
  if (!existsSync(own('electron/cli/index.ts'))) return false
  console.error('Perpscope is built once; this takes a minute or two.')
  if ((await exitOf(process.execPath, [own('scripts/build.mjs')], ['ignore', 2, 2])) !== 0) return false
  return existsSync(builtCli)
}

/** Returns the Node that npm installed with this package, or null. */
function broughtNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  try {
    const { resolve } = nodeModule.createRequire(import.meta.url)
    const folder = join(resolve(`node-${platform}-${process.arch}/package.json`), '..')
    const program = join(folder, 'bin', platform === 'win' ? 'node.exe' : 'node')
    return existsSync(program) ? program : null
  } catch {
    return null
  }
}

async function startHere() {
  // The compile cache is in the user's own folder, because whoever can write to it decides which code runs.
  const { XDG_CACHE_HOME: xdgFolder = '' } = process.env
  const cacheFolder = isAbsolute(xdgFolder) ? xdgFolder : join(homedir(), '.cache')
  const compileCache = join(cacheFolder, 'perpscope', 'compiled')
  nodeModule.enableCompileCache?.(compileCache)
  // Threads and child processes take the folder of the compile cache from this variable.
  process.env.NODE_COMPILE_CACHE ??= compileCache
  await import(new URL('../out/main/cli.js', import.meta.url).href)
}

/** Runs this launcher on another Node and ends as that ends. */
async function startWith(node) {
  process.exitCode = await exitOf(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], 'inherit')
}

/** Runs a program until it ends; signals to this process reach it. @returns its exit status */
function exitOf(program, args, stdio) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio })
    // A terminal sends its own Ctrl-C to both processes; the child takes two signals that arrive together as one.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.on('error', (error) => {
      console.error(error.message)
      resolve(1)
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
}

function fail(message) {
  console.error(message)
  process.exitCode = 1
}
