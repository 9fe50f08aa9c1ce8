import { expect, it, onTestFinished } from 'vitest'
import { createGuard } from '#core/guard/guard.ts'
import type { GuardedProcess } from '#core/ports.ts'

/** A process in the test's hands, which records what it is sent and ends when the guard kills it. */
function fakeProcess() {
  const sent: unknown[] = []
  const receivers: ((message: unknown) => void)[] = []
  const enders: (() => void)[] = []
  let hasEnded = false
  const process: GuardedProcess = {
    send: (message) => void sent.push(message),
    onMessage: (listener) => void receivers.push(listener),
    onEnd: (listener) => void enders.push(listener),
    usage: () => Promise.resolve(null),
    kill() {
      if (!hasEnded) for (const end of enders) end()
      hasEnded = true
    },
    keepHostAlive: () => {},
  }
  return { process, sent, say: (message: unknown) => receivers.forEach((receive) => receive(message)) }
}

it('runs a quick task again whose process was killed for another task that was cancelled', async () => {
  const processes: ReturnType<typeof fakeProcess>[] = []
  const guard = createGuard<string, string>({
    start() {
      processes.push(fakeProcess())
      return processes.at(-1)!.process
    },
    entry: new URL('file:///nothing'),
    name: 'fake',
    processes: 1,
    limitsOf: () => ({ cpuMs: Infinity, wallMs: Infinity, memoryBytes: Infinity }),
    cancelTimeoutMs: 0,
    isQuick: (task) => task.startsWith('quick'),
  })
  onTestFinished(() => guard.close())
  const stop = new AbortController()
  const slow = guard.run('slow', stop.signal)
  processes[0].say('ready')
  const before = guard.run('quick, sent before the other task is cancelled')
  expect(processes[0].sent).toMatchObject([{ task: 'slow' }, { task: expect.stringMatching(/^quick/) }])
  stop.abort(new Error('enough'))
  await expect(slow).rejects.toThrow('enough')
  const after = guard.run('quick, of a caller who came after that')
  expect(processes[0].sent).toHaveLength(3)

  await expect.poll(() => processes.length).toBe(2)
  processes[1].say('ready')
  for (const [running, at] of [
    [before, 0],
    [after, 1],
  ] as const) {
    await expect.poll(() => processes[1].sent.length).toBe(at + 1)
    processes[1].say({ id: (processes[1].sent[at] as { id: number }).id, result: 'done' })
    expect(await running).toBe('done')
  }
})
