import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { READY } from '#core/guard/answerGuarded.ts'
import { createGuard, type GuardOptions } from '#core/guard/guard.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { GuardedProcess, ProcessUsage } from '#core/ports.ts'
import { isAlive } from '../../fakes/childProcess.ts'

const entry = new URL('../../fakes/misbehavingGuarded.ts', import.meta.url)

interface Answer {
  word: string
  pid: number
  environment: string
}

function openGuard(options: Partial<GuardOptions<string>> = {}) {
  const guard = createGuard<string, Answer>({
    start: startNodeProcess,
    entry,
    name: 'test',
    processes: 1,
    limitsOf: () => ({ cpuMs: 700, wallMs: 60_000, memoryBytes: 400 * 2 ** 20 }),
    ...options,
  })
  onTestFinished(() => guard.close())
  return guard
}

test('tasks run in another process, which stays warm and gets neither a key nor an option of the host', async () => {
  vi.stubEnv('PERPSCOPE_API_KEY', 'canary-key')
  onTestFinished(() => void vi.unstubAllEnvs())
  const guard = openGuard()
  const first = await guard.run('one')
  const second = await guard.run('two')
  expect(first.pid).not.toBe(process.pid)
  expect(second).toMatchObject({ word: 'two', pid: first.pid })
  expect(first.environment).not.toContain('canary-key')
})

test.for([
  ['forever', 'time'],
  ['memory', 'memory'],
  ['abort', 'died'],
  ['exit', 'died'],
] as const)('a task that ends as “%s” fails alone, and a fresh process takes over', async ([word, reason]) => {
  const guard = openGuard()
  const { pid } = await guard.run('before')
  const results = await Promise.allSettled([guard.run(word), guard.run('after'), guard.run('refuse')])
  expect(results[0]).toMatchObject({ status: 'rejected', reason: { reason } })
  expect(results[1]).toMatchObject({ status: 'fulfilled', value: { word: 'after' } })
  expect(results[2]).toMatchObject({ status: 'rejected', reason: { code: 'corrupt-file' } })
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false))
})

test('the host answers while a guarded process is caught in a loop', async () => {
  const guard = openGuard()
  await guard.run('before')
  const looping = guard.run('forever').catch(() => 'stopped')
  // The test measures the host's processor time between two calls of the timer, because a busy machine may delay a
  // timer by any time.
  const spentMs = () => process.cpuUsage().user / 1000
  let longestMs = 0
  let lastMs = spentMs()
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, spentMs() - lastMs)
    lastMs = spentMs()
  }, 5)
  expect(await looping).toBe('stopped')
  clearInterval(timer)
  expect(longestMs).toBeLessThan(250)
})

test('a task that waits for ever is ended by the clock, which blames its file only where the system counts no processor time', async () => {
  const guard = openGuard({ limitsOf: () => ({ cpuMs: 60_000, wallMs: 300, memoryBytes: 2 ** 32 }) })
  await expect(guard.run('wait')).rejects.toMatchObject({ reason: process.platform === 'win32' ? 'time' : 'stalled' })
})

/** Creates a process whose messages, end and usage the test decides. */
function fakeProcess(usage: () => ProcessUsage | null = () => null) {
  const messageListeners: ((message: unknown) => void)[] = []
  const endListeners: (() => void)[] = []
  const fake = {
    sent: [] as { id: number; task: string }[],
    isHostKeptAlive: true,
    isKilled: false,
    say: (message: unknown) => messageListeners.forEach((listener) => listener(message)),
    end: () => endListeners.forEach((listener) => listener()),
  }
  const process: GuardedProcess = {
    send: (message) => void fake.sent.push(message as { id: number; task: string }),
    onMessage: (listener) => void messageListeners.push(listener),
    onEnd: (listener) => void endListeners.push(listener),
    usage: () => Promise.resolve(usage()),
    kill: () => void (fake.isKilled = true),
    keepHostAlive: (isNeeded) => void (fake.isHostKeptAlive = isNeeded),
  }
  return { fake, process }
}

test.for(['loaded', 'answered'] as const)(
  'the host lives until a process has ended that %s just as the guard was closed',
  async (event) => {
    const { fake, process } = fakeProcess()
    const guard = openGuard({ start: () => process })
    const running = guard.run('one').catch(() => 'cancelled')
    if (event === 'answered') fake.say(READY)
    const closing = guard.close()
    fake.say(event === 'loaded' ? READY : { id: 0, result: { word: 'one' } })
    expect(await running).toBe('cancelled')
    expect(fake).toMatchObject({ isKilled: true, isHostKeptAlive: true })
    fake.end()
    await closing
  },
)

test('a process that is retired counts until it has ended, so that there are never more of them than allowed', async () => {
  const made: ReturnType<typeof fakeProcess>[] = []
  const start = () => {
    const each = fakeProcess()
    made.push(each)
    return each.process
  }
  const guard = openGuard({ start, idleMs: 1 })
  const first = guard.run('one')
  made[0].fake.say(READY)
  made[0].fake.say({ id: 0, result: { word: 'one' } })
  await first
  await vi.waitFor(() => expect(made[0].fake.isKilled).toBe(true))
  const second = guard.run('two')
  expect(made).toHaveLength(1)
  made[0].fake.end()
  expect(made).toHaveLength(2)
  made[1].fake.say(READY)
  made[1].fake.say({ id: 1, result: { word: 'two' } })
  expect(await second).toMatchObject({ word: 'two' })
  onTestFinished(() => made[1].fake.end())
})

test('a cancelled task rejects at once and its process ends soon', async () => {
  const guard = openGuard({
    limitsOf: () => ({ cpuMs: 60_000, wallMs: 60_000, memoryBytes: 2 ** 32 }),
    cancelTimeoutMs: 50,
  })
  const { pid } = await guard.run('before')
  const controller = new AbortController()
  const running = guard.run('forever', controller.signal)
  controller.abort(new Error('given up'))
  await expect(running).rejects.toThrow('given up')
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false))
  expect(await guard.run('after')).toMatchObject({ word: 'after' })
})

test('an idle process ends, and one that grew is replaced', async () => {
  const guard = openGuard({
    idleMs: 100,
    limitsOf: () => ({ cpuMs: 60_000, wallMs: 60_000, memoryBytes: 2 ** 32 }),
  })
  const small = await guard.run('one')
  await vi.waitFor(() => expect(isAlive(small.pid)).toBe(false))
  const grown = await guard.run('grow')
  const next = await guard.run('two')
  expect(next.pid).not.toBe(grown.pid)
})

test('progress reaches the caller', async () => {
  const guard = openGuard()
  const onProgress = vi.fn()
  await guard.run('progress', undefined, onProgress)
  expect(onProgress).toHaveBeenCalledWith(1, 2)
})

test.for([
  ['forever', 'SIGKILL'],
  ['native', 'SIGKILL'],
  ['native', 'SIGHUP'],
  ['wait', 'SIGHUP'],
] as const)('a guarded process whose task is “%s” ends with its host, killed by %s', async ([word, signal]) => {
  const script = new URL('../../fakes/guardHost.ts', import.meta.url)
  const host = fork(script, [word], { serialization: 'advanced' })
  const [pid] = (await once(host, 'message')) as [number]
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
  host.kill(signal)
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 })
})

test('with patience, short tasks share one process, and a task that waits too long gets another one', async () => {
  const guard = openGuard({ processes: 2, growAfterMs: 300 })
  const short = await Promise.all(['one', 'two', 'three', 'four'].map((word) => guard.run(word)))
  expect(new Set(short.map(({ pid }) => pid)).size).toBe(1)
  const long = guard.run('forever').catch(() => null)
  const { pid } = await guard.run('five')
  expect(pid).not.toBe(short[0].pid)
  await long
})
