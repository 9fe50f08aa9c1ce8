#!/usr/bin/env node
/**
 * Asks the registry for known weaknesses of every package that is part of the program. What is bundled is a development
 * dependency for npm, so its own `--omit=dev` would look past most of it; the build's bill of materials names what counts.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { build, isBuilt } from './builds.mjs'
import { judgeAudit } from './packages/judgeAudit.mjs'
import { at, root } from './project.mjs'

async function audit() {
  if (!isBuilt() && (await build()).status !== 0) return 1
  const { components } = JSON.parse(readFileSync(at('out', 'resources', 'sbom.cdx.json'), 'utf8'))
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  const { stdout } = spawnSync(npm[0], [...npm.slice(1), 'audit', '--json'], { cwd: root, encoding: 'utf8' })
  const { state, lines } = judgeAudit(stdout ?? '', new Set(components.map(({ name }) => name)))
  for (const line of lines) console.log(line)
  return state === 'affected' ? 1 : 0
}

process.exitCode = await audit()
