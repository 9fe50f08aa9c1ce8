#!/usr/bin/env node
/**
 * Starts the built command line. Its code is imported only after a check of the Node version, because the SQLite
 * binding crashes an old Node silently.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import * as nodeModule from 'node:module'

const builtCli = new URL('../out/main/cli.js', import.meta.url)
const major = Number(process.versions.node.split('.')[0])

if (major < 22) fail(`Perpscope needs Node 22 or newer; this is ${process.versions.node}.`)
else if (!existsSync(builtCli)) fail('Perpscope is not built yet; run “npm run build” first.')
else {
  // The compile cache is in the user's own folder, because whoever can write to it decides which code runs.
  const { XDG_CACHE_HOME: xdgFolder = '' } = process.env
  const cacheFolder = isAbsolute(xdgFolder) ? xdgFolder : join(homedir(), '.cache')
  const compileCache = join(cacheFolder, 'perpscope', 'compiled')
  nodeModule.enableCompileCache?.(compileCache)
  // Threads and child processes take the folder of the compile cache from this variable.
  process.env.NODE_COMPILE_CACHE ??= compileCache
  await import(builtCli.href)
}

function fail(message) {
  console.error(message)
  process.exitCode = 1
}
