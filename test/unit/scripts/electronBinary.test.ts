import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { keychainProblem, WITHOUT_KEYCHAIN } from '../../../scripts/bootstrap/packages.mjs'
import { findElectron } from '../../../scripts/electronBinary.mjs'

/** Creates a folder of the package `electron` as its installer leaves it, or as a stopped installer leaves it. */
function electronPackage(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-electron-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), '{"version":"45.4.1"}')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const whole = { 'dist/electron': '', 'dist/version': '45.4.1', 'path.txt': 'electron' }

it('finds the program of a whole Electron', () => {
  const folder = electronPackage(whole)
  expect(findElectron({}, folder)).toBe(join(folder, 'dist', 'electron'))
})

it.each([
  ['was only half unpacked', { 'dist/electron': '' }],
  ['is of another version', { ...whole, 'dist/version': '44.0.0' }],
  ['lacks its program', { 'dist/version': '45.4.1', 'path.txt': 'electron' }],
])('finds none where it %s', (_name, files) => expect(findElectron({}, electronPackage(files))).toBeNull())

it('builds no package without the keychain binding unless that is asked for', () => {
  expect(keychainProblem([], true)).toBeNull()
  expect(keychainProblem(['--dir'], false)).toContain('could not keep an API key')
  expect(keychainProblem([WITHOUT_KEYCHAIN], false)).toBeNull()
})
