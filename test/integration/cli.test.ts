import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compileCacheEnv } from '../fakes/compileCacheEnv.ts'
import { program } from '../fakes/commandLine.ts'
import { instrumentRow } from '../fakes/instrumentRow.ts'

const canaryKey = 'canary-7f3a9e51-key-b2c4'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'perpscope-cli-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** Returns the environment of a machine without keychain and display, with all settings in the test's data folder. */
const bareEnv = () => ({
  PATH: process.env.PATH,
  HOME: dataDir,
  PERPSCOPE_DATA_DIR: dataDir,
  ...compileCacheEnv,
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
})

function start(args: readonly string[], env: Record<string, string | undefined> = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...args], { env: { ...bareEnv(), ...env }, stdio: 'pipe' })
}

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

function endOf(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr })))
}

function perpscope(
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
) {
  const child = start(args, env)
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return endOf(child)
}

function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve(text.split('\n')[0])
    })
    child.on('close', () => reject(new Error('ended without a line')))
  })
}

const addDesk = () =>
  perpscope(['connection', 'add', 'desk', '--metrics-url', 'https://metrics.example', '--tier', '2'])

/** Checks that a text is one sentence for a user, without stack trace or error code. */
function expectSentence(text: string): void {
  expect(text).toMatch(/^\S.*[.?”!]\n$/s)
  expect(text).not.toMatch(/\n\s+at |node:internal|Error:/)
  expect(text.trim().split('\n')).toHaveLength(1)
}

describe('perpscope instruments', () => {
  it('imports a CSV, lists it with the names of its columns, and refuses a file with a bad line', async () => {
    const path = join(dataDir, 'instruments.csv')
    const list = async () => JSON.parse((await perpscope(['instruments', 'list', '--json'])).stdout) as unknown
    expect(await list()).toEqual([])
    writeFileSync(path, 'exchange,symbol,contract_size,funding_every\nvenueb-perps,perpetual-BTC-USDT:USDT,0.001,8h\n')
    const imported = await perpscope(['instruments', 'import', path, '--json'])
    expect({ ...imported, stdout: JSON.parse(imported.stdout) as unknown }).toMatchObject({
      status: 0,
      stdout: { imported: 1 },
    })
    const pair = { exchange: 'venueb-perps', symbol: 'perpetual-BTC-USDT:USDT' }
    const one = instrumentRow({ ...pair, contract_size: 0.001, funding_every: '8h' })
    expect(await list()).toEqual([one])
    writeFileSync(path, 'exchange,symbol,contract_size\nvenueb-perps,perpetual-ETH-USDT:USDT,0.01\nv,s,-1\n')
    const refused = await perpscope(['instruments', 'import', path])
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toContain('line 3: contract_size “-1” is not a number above 0')
    expect(await list()).toEqual([one])
  })
})

describe('perpscope', () => {
  it('prints its version and its help', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(await perpscope(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
    const help = await perpscope(['--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toContain('perpscope help --all')
    expect((await perpscope(['help', '--all'])).stdout).toContain('EXIT STATUS')
    expect((await perpscope(['key', '--help', '--all'])).stdout).toContain('perpscope key set NAME')
    expect((await perpscope(['help', 'key', 'set'])).stdout).toContain('Usage: perpscope key set NAME')
  })

  it.each([
    [[], /^perpscope - /],
    [['conection'], /Did you mean “connection”/],
    [['connection'], /needs one of: list, add/],
    [['report'], /needs one of: workbench, tearsheet/],
    [['ledger'], /needs one of: /],
    [['connection', 'lst'], /Did you mean “list”/],
    [['serve', '--prt', '1'], /Did you mean “--port”/],
    [['serve', '--port', '99999'], /whole number from 0 to 65535/],
    [['where', 'here'], /Unexpected argument/],
    [['connection', 'add', 'x'], /at least one of --metrics-url/],
    [['connection', 'add', 'x', '--metrics-url', 'http://example.com'], /https address/],
    [['key', 'set', 'x', '--service', 'metric'], /Did you mean “metrics”/],
  ])('ends with status 2 on %j', async (args, message) => {
    const { status, stdout, stderr } = await perpscope(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })

  it('says in a sentence where the data folder cannot be used', async () => {
    const file = join(dataDir, 'a-file')
    writeFileSync(file, '')
    for (const folder of [file, join(file, 'below')]) {
      const { status, stdout, stderr } = await perpscope(['connection', 'list', '--data-dir', folder])
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expectSentence(stderr)
      expect(stderr).toContain(folder)
    }
  })

  it('creates a missing data folder, for its owner alone', async () => {
    const folder = join(dataDir, 'new', 'folder')
    expect(await perpscope(['connection', 'list', '--data-dir', folder])).toMatchObject({ status: 0 })
    if (process.platform !== 'win32') expect(statSync(folder).mode & 0o077).toBe(0)
  })

  it('tells where the data is', async () => {
    expect(await perpscope(['where'])).toEqual({ status: 0, stdout: `${dataDir}\n`, stderr: '' })
    const other = join(dataDir, 'other')
    const { stdout } = await perpscope(['where', '--json', '--data-dir', other])
    expect(JSON.parse(stdout)).toEqual({ dataDir: other })
  })
})

describe('perpscope connection', () => {
  it('adds, lists, chooses and removes', async () => {
    expect(await addDesk()).toMatchObject({ status: 0, stderr: '' })
    expect(await perpscope(['connection', 'use', 'desk'])).toMatchObject({ status: 0 })
    const listed = JSON.parse((await perpscope(['connection', 'list', '--json'])).stdout) as { name: string }[]
    expect(listed.find(({ name }) => name === 'desk')).toMatchObject({
      metricsUrl: 'https://metrics.example',
      tier: 2,
      active: true,
    })
    expect((await perpscope(['connection', 'list'])).stdout).toMatch(
      /^\* +desk +https:\/\/metrics\.example +– +not looked for yet +2 +not set$/m,
    )
    expect(await perpscope(['connection', 'remove', 'desk'])).toMatchObject({ status: 0 })
    expect((await perpscope(['connection', 'list'])).stdout).not.toContain('desk')
  })

  it('refuses a name twice and says which name was meant', async () => {
    await addDesk()
    const again = await addDesk()
    expect(again.status).toBe(1)
    expectSentence(again.stderr)
    const unknown = await perpscope(['connection', 'use', 'dsk'])
    expect(unknown).toMatchObject({ status: 1, stdout: '' })
    expect(unknown.stderr).toBe('There is no connection “dsk”. Did you mean “desk”?\n')
  })

  it('asks no service when it is offline', async () => {
    await addDesk()
    const { status, stderr } = await perpscope(['connection', 'test', 'desk', '--offline'])
    expect(status).toBe(1)
    expect(stderr).toContain('offline')
  })
})

describe('perpscope key, without a keychain', () => {
  it('says honestly that the key was not stored, and shows it nowhere', async () => {
    await addDesk()
    const { status, stdout, stderr } = await perpscope(['key', 'set', 'desk'], { input: `${canaryKey}\n` })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expectSentence(stderr)
    expect(stderr).toContain('not stored')
    expect(stderr).toContain('PERPSCOPE_API_KEY')
    expect(stderr).not.toContain(canaryKey)
    expect((await perpscope(['key', 'status', 'desk'])).stdout).toBe('Key of desk (metrics): not set.\n')
    for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
      const path = join(dataDir, name)
      if (statSync(path).isFile()) expect(readFileSync(path).includes(canaryKey)).toBe(false)
    }
  })

  it('tells that a key came from the environment, by its end only', async () => {
    await addDesk()
    const { stdout } = await perpscope(['key', 'status', 'desk'], { env: { PERPSCOPE_API_KEY: canaryKey } })
    expect(stdout).toContain('ends in …b2c4 (from PERPSCOPE_API_KEY or PERPSCOPE_API_KEY_FILE)')
    expect(stdout).not.toContain(canaryKey)
  })
})

describe('perpscope serve', () => {
  it('prints its address first, answers there, and ends with 130 when interrupted', async () => {
    const child = start(['serve'])
    const end = endOf(child)
    const line = await firstLine(child)
    expect(line).toMatch(/^Perpscope is ready at http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/)
    const answer = await fetch(line.replace('Perpscope is ready at ', '').replace(/#.*/, ''))
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    child.kill('SIGINT')
    expect(await end).toEqual({ status: 130, stdout: `${line}\n`, stderr: '' })
  })

  it('prints one JSON document with --json, and ends normally on SIGTERM', async () => {
    const child = start(['serve', '--json', '--open'])
    const end = endOf(child)
    const { url, port, token } = JSON.parse(await firstLine(child)) as Record<string, unknown>
    expect(url).toBe(`http://127.0.0.1:${String(port)}/#token=${String(token)}`)
    child.kill('SIGTERM')
    const { status, stderr } = await end
    expect(status).toBe(0)
    expect(stderr).toContain('no display')
  })

  it('has the same port at each start, because browsers keep unsaved changes by address, and any if that is taken', async () => {
    const begin = async () => {
      const child = start(['serve', '--json'])
      const end = endOf(child)
      const { port } = JSON.parse(await firstLine(child)) as { port: number }
      const stop = () => {
        child.kill('SIGTERM')
        return end
      }
      return { port, stop }
    }
    const first = await begin()
    const beside = await begin()
    expect(beside.port).not.toBe(first.port)
    await beside.stop()
    await first.stop()
    const second = await begin()
    expect(second.port).toBe(first.port)
    await second.stop()
  })

  it.runIf(process.platform === 'linux')('hands no key and no token to the browser that it opens', async () => {
    const seen = join(dataDir, 'seen')
    const browser = join(dataDir, 'chromium')
    writeFileSync(browser, `#!/bin/sh\n{ env; echo "ARGS $*"; } > ${seen}.part && mv ${seen}.part ${seen}\n`, {
      mode: 0o755,
    })
    const child = start(['serve', '--open', '--json'], {
      PATH: `${dataDir}:${process.env.PATH}`,
      DISPLAY: ':0',
      PERPSCOPE_API_KEY: canaryKey,
    })
    const end = endOf(child)
    const { token } = JSON.parse(await firstLine(child)) as { token: string }
    await expect.poll(() => existsSync(seen), { timeout: 10_000 }).toBe(true)
    child.kill('SIGTERM')
    await end
    const handed = readFileSync(seen, 'utf8')
    expect(handed).toContain('ARGS --app=file://')
    expect(handed).toContain('DISPLAY=:0')
    expect(handed).not.toContain('PERPSCOPE_')
    expect(handed).not.toContain(canaryKey)
    expect(handed).not.toContain(token)
    expect(readdirSync(dataDir).filter((name) => name.startsWith('open-'))).toEqual([])
  })

  it('says in a sentence that a port is in use', async () => {
    const blocker = createServer()
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
    const { port } = blocker.address() as AddressInfo
    const { status, stdout, stderr } = await perpscope(['serve', '--port', String(port)])
    await new Promise((resolve) => blocker.close(resolve))
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expectSentence(stderr)
    expect(stderr).toContain(`Port ${port} is in use`)
  })
})
