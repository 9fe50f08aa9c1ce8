import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fingerprintSources } from '../../../scripts/builds.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perpscope-builds-'))
  mkdirSync(join(folder, 'electron'))
  writeFileSync(join(folder, 'electron', 'a.ts'), 'one')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const fingerprint = () => fingerprintSources(folder, ['electron', 'missing', 'lock.json'])

it('asks for a new build exactly when a source changes', () => {
  const before = fingerprint()
  expect(fingerprint()).toBe(before)
  writeFileSync(join(folder, 'electron', 'a.ts'), 'two')
  const changed = fingerprint()
  expect(changed).not.toBe(before)
  renameSync(join(folder, 'electron', 'a.ts'), join(folder, 'electron', 'b.ts'))
  expect(fingerprint()).not.toBe(changed)
  writeFileSync(join(folder, 'unrelated.md'), '')
  renameSync(join(folder, 'electron', 'b.ts'), join(folder, 'electron', 'a.ts'))
  expect(fingerprint()).toBe(changed)
})
