import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compileCacheEnv } from '../fakes/compileCacheEnv.ts'

const root = join(import.meta.dirname, '..', '..')
const key = 'canary-keychain-51c9-d3f7'

/** Returns why a test cannot start its own keychain on this machine, or null. */
function obstacle(): string | null {
  if (process.platform !== 'linux') return 'only on Linux can a test start a keychain of its own'
  for (const program of ['dbus-run-session', 'gnome-keyring-daemon'])
    if (spawnSync(program, ['--version']).error) return `${program} is not installed`
  return existsSync(join(root, 'node_modules', 'keytar', 'build')) ? null : 'the keychain binding is not installed'
}

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'perpscope-keychain-'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs shell lines in a session with its own unlocked keychain. */
function inKeychainSession(
  lines: readonly string[],
  unlock = 'echo -n pw | gnome-keyring-daemon --unlock',
): { status: number | null; stdout: string; stderr: string } {
  const script = ['set -e', `${unlock} --components=secrets >&2`, ...lines].join('\n')
  const env = {
    ...compileCacheEnv,
    PATH: process.env.PATH,
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    NODE: process.execPath,
  }
  return spawnSync('dbus-run-session', ['--', 'sh', '-c', script], { cwd: root, env, encoding: 'utf8' })
}

it('keeps a key in the system’s keychain, from one run to the next, and nowhere else', (test) => {
  const reason = obstacle()
  test.skip(reason !== null, reason ?? '')
  const perpscope = '"$NODE" electron/cli/index.ts'
  const { status, stdout } = inKeychainSession([
    `${perpscope} connection add desk --metrics-url https://metrics.example >&2`,
    `echo '${key}' | ${perpscope} key set desk`,
    `${perpscope} key status desk --json`,
    `${perpscope} key status desk --service portfolio`,
    `${perpscope} key remove desk`,
    `${perpscope} key status desk`,
  ])
  expect({ status, lines: stdout.trim().split('\n') }).toEqual({
    status: 0,
    lines: [
      'Key of desk (metrics): set, ends in …d3f7.',
      '{"connection":"desk","service":"metrics","set":true,"ending":"d3f7","kept":"keychain"}',
      'Key of desk (portfolio): not set.',
      'Key of desk (metrics): not set.',
      'Key of desk (metrics): not set.',
    ],
  })
  const dataDir = join(home, 'data', 'perpscope')
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) => join(dataDir, name))
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) if (statSync(file).isFile()) expect(readFileSync(file).includes(key)).toBe(false)
})

it('says of a locked keychain that it cannot be read, and fails', (test) => {
  const reason = obstacle()
  test.skip(reason !== null, reason ?? '')
  const perpscope = '"$NODE" electron/cli/index.ts'
  inKeychainSession([
    `${perpscope} connection add locked --metrics-url https://metrics.example >&2`,
    `echo '${key}' | ${perpscope} key set locked`,
  ])
  const commands = ['key status locked', 'key status locked --json', 'key remove locked', 'connection list']
  const { stdout, stderr } = inKeychainSession(
    commands.map((command) => `${perpscope} ${command} || echo "status $?"`),
    'gnome-keyring-daemon --start',
  )
  expect(stdout.match(/status 1/g)).toHaveLength(commands.length)
  expect(stdout).toContain('Key of locked (metrics): unknown (the keychain cannot be read).')
  expect(stdout).toContain('"unreadable":"The keyring is locked')
  expect(stdout).toMatch(/locked +https:.*unknown/)
  expect(stderr).toContain('The key was not removed. The keyring is locked')
  const { stdout: after } = inKeychainSession([`${perpscope} key status locked`])
  expect(after).toContain('set, ends in …d3f7')
}, 60_000)
