#!/usr/bin/env node
/**
 * Records the public names (options, JSON keys, tables …) that scripts, links and saved data depend on: at a release
 * `npm run promises -- VERSION` writes test/fixtures/promises/VERSION.json. The tests compare the current code with the
 * list of the first release.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { at, projectNode } from './project.mjs'

function record(version) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return refuse('Name a version: npm run promises -- 0.2.0')
  // A released list must not change, so an existing one is never overwritten.
  if (existsSync(at('test', 'fixtures', 'promises', `${version}.json`))) return refuse(`${version} already has a list.`)
  const vitest = at('node_modules', 'vitest', 'vitest.mjs')
  const projects = ['--project', 'node', '--project', 'components']
  const env = { ...process.env, PERPSCOPE_PROMISES: version }
  // The test files add their parts to the same file one after another.
  const command = [vitest, 'run', 'promises.test.ts', '--no-file-parallelism', ...projects]
  return spawnSync(projectNode(), command, { cwd: at(), stdio: 'inherit', env }).status ?? 1
}

function refuse(sentence) {
  console.error(sentence)
  return 2
}

process.exitCode = record(process.argv[2] ?? '')
