#!/usr/bin/env node
/** Starts the built command line. It imports that only after its checks, because the SQLite binding crashes an old Node silently. */
import { existsSync } from 'node:fs'

const built = new URL('../out/main/cli.js', import.meta.url)
const major = Number(process.versions.node.split('.')[0])

if (major < 22) fail(`Perpscope needs Node 22 or newer; this is ${process.versions.node}.`)
else if (!existsSync(built)) fail('Perpscope is not built yet; run “npm run build” first.')
else await import(built.href)

function fail(message) {
  console.error(message)
  process.exitCode = 1
}
