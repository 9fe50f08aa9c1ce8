import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { commandLineOf } from '../../electron/main/launchOptions.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

it.each([
  [
    ['--cli', '--', 'fetch', '--dataset', 'flow'],
    ['fetch', '--dataset', 'flow'],
  ],
  [['--ozone-platform=headless', '--disable-gpu', '--cli', '--'], []],
  [['--no-sandbox', '--cli', '--', '--help'], ['--help']],
])('takes %j as a command', (argv, command) => expect(commandLineOf(argv)).toEqual(command))

it.each([
  [[]],
  [['--data-dir', '/data']],
  [['perpscope://raw', '--cli', '--', 'prune']],
  [['perpscope://raw" --cli -- prune']],
  [['a.perpscope', '--cli', '--', 'prune']],
  [['--cli', 'prune']],
  [['--remote-debugging-port=1', '--cli', '--', 'prune']],
])('opens the window for %j', (argv) => expect(commandLineOf(argv)).toBeNull())

describe('the launcher', () => {
  beforeEach((context) => {
    if (process.platform === 'win32') context.skip('a shell script; Windows has another launcher')
  })

  /** Creates an installed app whose program prints its arguments. */
  function installed() {
    const folder = temporaryFolder()
    const bin = join(folder, 'resources', 'bin')
    mkdirSync(bin, { recursive: true })
    const launcher = fileURLToPath(new URL('../../resources/bin/perpscope', import.meta.url))
    copyFileSync(launcher, join(bin, 'perpscope'))
    const program = join(folder, 'perpscope-desktop')
    writeFileSync(program, '#!/bin/sh\nprintf "%s\\n" "$@"\nexit 3\n')
    chmodSync(program, 0o755)
    symlinkSync(join(bin, 'perpscope'), join(folder, 'linked'))
    return folder
  }
  const runIt = (path: string, ...args: string[]) =>
    promisify(execFile)(path, args).catch((failure: { code: number; stdout: string }) => failure)

  it.each(['resources/bin/perpscope', 'linked'])(
    'passes the arguments on unchanged, and returns the exit status: %s',
    async (path) => {
      const args = ['fetch', '--symbol', 'a b', '*', '']
      const { stdout, code } = (await runIt(join(installed(), path), ...args)) as { stdout: string; code: number }
      expect(code).toBe(3)
      const receivedArgs = stdout.split('\n').slice(0, -1)
      // In a container without user namespaces Chromium's sandbox cannot start, and a command shows no page.
      if (process.platform === 'linux') expect(receivedArgs).toContain('--no-sandbox')
      expect(commandLineOf(receivedArgs)).toEqual(args)
    },
  )
})
