import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { startCachedSandbox, type TestSandbox } from '../../fakes/testSandbox.ts'

const program = join(import.meta.dirname, '../../fakes/downloadProcess.ts')

async function sandboxOfTest(): Promise<TestSandbox> {
  const sandbox = await startCachedSandbox()
  onTestFinished(() => sandbox.close())
  return sandbox
}

/**
 * Runs downloads in a separate process, which kills itself at the step `killAt`. `ended` resolves with `through`, or
 * with the signal that ended the process.
 */
function run(dataDir: string, sandbox: TestSandbox, days: number, killAt = '', store = '') {
  const key = store === '' ? sandbox.keys['3'] : 'no-such-key'
  const child = spawn(process.execPath, [program, dataDir, sandbox.url, key, String(days)], {
    env: { ...process.env, KILL_AT: killAt, STORE: store },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<string>((resolve) => child.on('close', (_, signal) => resolve(signal ?? output.trim())))
  return { child, ended }
}

/** Checks that every file of the index is whole and in its place, and that there are no other files. */
function expectTidy(dataDir: string, days: number): void {
  const { files, jobs, folder } = openTestStore(dataDir)
  expect(jobs.counts().now).toMatchObject({ done: days, queued: 0, running: 0, waiting: 0, failed: 0 })
  const cached = files.page({}, null, 1000)
  expect(cached).toHaveLength(days)
  const paths = cached.map(({ series, period, sha256 }) => {
    const path = folder.pathOf(series, period)
    expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(sha256)
    expect(files.facts(series, period)?.rows).toBe(24)
    return path
  })
  const found = readdirSync(folder.root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder.root, name))
    .filter((path) => statSync(path).isFile())
  expect(found.sort()).toEqual(paths.sort())
}

describe('a power cut', () => {
  test.each(['received', 'written', 'validated', 'on disk', 'in place', 'recorded', 'committed'])(
    'when a file is %s costs nothing that a start does not heal',
    async (step) => {
      const sandbox = await sandboxOfTest()
      const dataDir = dataFolder()
      expect(await run(dataDir, sandbox, 5, step).ended).toBe('SIGKILL')
      expect(await run(dataDir, sandbox, 0).ended).toBe('through')
      expectTidy(dataDir, 5)
    },
  )

  test('in the middle of a transfer leaves a part, and the rest alone is fetched', async () => {
    const sandbox = await sandboxOfTest()
    const dataDir = dataFolder()
    sandbox.setFaults({ rules: [{ on: 'storage', cutAfterBytes: 600, times: 1 }] })
    expect(await run(dataDir, sandbox, 1, 'interrupted').ended).toBe('SIGKILL')
    expect(await run(dataDir, sandbox, 0).ended).toBe('through')
    expectTidy(dataDir, 1)
  })
})

describe('a power cut while files are copied from a shared store', () => {
  const steps = ['copying', 'received', 'written', 'validated', 'on disk', 'in place', 'recorded', 'committed']
  test.each(steps)('when a file is %s costs nothing that a start does not heal', async (step) => {
    const sandbox = await sandboxOfTest()
    const store = temporaryFolder()
    const first = dataFolder()
    expect(await run(first, sandbox, 5).ended).toBe('through')
    cpSync(join(openTestStore(first).folder.root, 'desk'), store, { recursive: true })
    // A file without a manifest counts only if it was written after its day had ended.
    const later = new Date('2026-10-01')
    for (const name of readdirSync(store, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(store, name), later, later)
    const before = sandbox.stats().storageRequests
    const dataDir = dataFolder()
    expect(await run(dataDir, sandbox, 5, step, store).ended).toBe('SIGKILL')
    expect(await run(dataDir, sandbox, 0, '', store).ended).toBe('through')
    expectTidy(dataDir, 5)
    expect(sandbox.stats().storageRequests).toBe(before)
  })
})

describe('several processes on one folder', () => {
  test('fetch each file once', async () => {
    const sandbox = await sandboxOfTest()
    const dataDir = dataFolder()
    const first = run(dataDir, sandbox, 30)
    const second = run(dataDir, sandbox, 0)
    expect(await Promise.all([first.ended, second.ended])).toContain('through')
    expectTidy(dataDir, 30)
    expect(sandbox.stats().storageRequests).toBe(30)
  })

  test('go on where one was killed, without anybody’s help', async () => {
    const sandbox = await sandboxOfTest()
    const dataDir = dataFolder()
    sandbox.setFaults({ rules: [{ on: 'storage', latencyMs: 150 }] })
    const { child, ended } = run(dataDir, sandbox, 30)
    const { jobs } = openTestStore(dataDir)
    while (jobs.counts().now.done < 3) await new Promise((resume) => setTimeout(resume, 20))
    const second = run(dataDir, sandbox, 0)
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    expect(await second.ended).toBe('through')
    expectTidy(dataDir, 30)
  })
})
