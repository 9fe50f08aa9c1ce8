import { execFile, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { describe, expect, test, type TestContext } from 'vitest'
import { compileCacheEnv } from '../fakes/compileCacheEnv.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const script = fileURLToPath(new URL('../fakes/keychainProcess.ts', import.meta.url))

/** Returns why the real keychain cannot be tested on this machine, or null. */
function obstacle(...tools: string[]): string | null {
  if (process.platform !== 'linux') return 'the Secret Service exists on Linux only'
  try {
    createRequire(import.meta.url).resolve('keytar')
  } catch {
    return 'keytar is not installed (libsecret-1-dev was missing)'
  }
  const absent = tools.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0)
  return absent.length > 0 ? `not installed: ${absent.join(', ')}` : null
}

function skipWithoutKeychain(context: TestContext, ...tools: string[]): void {
  const reason = obstacle(...tools)
  if (reason) context.skip(reason)
}

/** Runs the script with its own home folder, so that the user's keyring is never touched. */
function run(command: string, args: string[], environment: Record<string, string> = {}): Promise<unknown> {
  const home = temporaryFolder()
  const env = {
    ...compileCacheEnv,
    PATH: process.env['PATH'],
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_RUNTIME_DIR: home,
    ...environment,
  }
  return new Promise((resolve, reject) => {
    execFile(command, args, { env, timeout: 30_000 }, (error, stdout, stderr) => {
      const line = stdout.trim().split('\n').at(-1)
      if (line) resolve(JSON.parse(line))
      else reject(new Error(`no answer: ${error?.message ?? ''} ${stderr}`))
    })
  })
}

const inSession = (shell: string) =>
  run('dbus-run-session', ['--', 'sh', '-c', shell.replace('SCRIPT', `"${process.execPath}" "${script}"`)])

describe('the real keychain', () => {
  test('keeps a key, gives it back, forgets it', async (context) => {
    skipWithoutKeychain(context, 'dbus-run-session', 'gnome-keyring-daemon')
    const outcome = await inSession(
      'printf testword | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; SCRIPT round-trip',
    )
    expect(outcome).toEqual({ same: true, other: null, afterwards: null })
  })

  test('that was never unlocked says so', async (context) => {
    skipWithoutKeychain(context, 'dbus-run-session', 'gnome-keyring-daemon')
    const outcome = await inSession(
      'gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1; SCRIPT round-trip',
    )
    expect(outcome).toEqual({ error: expect.stringMatching(/locked or was never set up/) })
  })

  test('without a bus says so', async (context) => {
    skipWithoutKeychain(context)
    expect(await run(process.execPath, [script, 'probe'])).toEqual({
      error: expect.stringMatching(/no session bus/),
    })
  })

  test('with a wrong bus address says so', async (context) => {
    skipWithoutKeychain(context)
    const outcome = await run(process.execPath, [script, 'probe'], {
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus',
    })
    expect(outcome).toEqual({ error: expect.stringMatching(/does not answer at its address/) })
  })

  test('without a keyring service says what to install', async (context) => {
    skipWithoutKeychain(context, 'dbus-run-session')
    // This bus is configured without any service.
    const outcome = await inSession(
      'printf \'<busconfig><type>session</type><listen>unix:dir=%s</listen><policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>\' "$HOME" > "$HOME/bus.conf"; ' +
        'exec dbus-run-session --config-file="$HOME/bus.conf" -- SCRIPT probe',
    )
    expect(outcome).toEqual({ error: expect.stringMatching(/No keyring service/) })
  })
})
