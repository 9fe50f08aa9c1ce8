import { expect, it, onTestFinished } from 'vitest'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

interface Answer {
  word: string
  threadId: number
  bytes: Uint8Array
}

function openPool(size: number, cancelledTaskTimeoutMs?: number, perThread = 1) {
  const entry = new URL('../../fakes/misbehavingWorker.ts', import.meta.url)
  const pool = createThreadPool<string, Answer>(entry, size, {
    perThread,
    ...(cancelledTaskTimeoutMs !== undefined && { cancelledTaskTimeoutMs }),
  })
  onTestFinished(() => pool.close())
  return pool
}

it('gives each task its own answer, with no more threads than allowed', async () => {
  const pool = openPool(2)
  const tasks = Array.from({ length: 20 }, (_, i) => `word ${i}`)
  const answers = await Promise.all(tasks.map((word) => pool.run(word)))
  expect(answers.map(({ word }) => word)).toEqual(tasks)
  expect(new Set(answers.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(2)
  expect(answers[0].bytes).toHaveLength(1000)
})

it('gives a thread more than one task where that is allowed: one goes on while another waits', async () => {
  const pool = openPool(1, undefined, 2)
  const answers = await Promise.all([pool.run('meet a'), pool.run('meet b'), pool.run('after')])
  expect(answers.map(({ word }) => word)).toEqual(['meet a', 'meet b', 'after'])
  expect(new Set(answers.map(({ threadId }) => threadId)).size).toBe(1)
})

it('fails all tasks of a thread that dies, and starts another', async () => {
  const pool = openPool(1, undefined, 2)
  const results = await Promise.allSettled([pool.run('meet a'), pool.run('die')])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await pool.run('after')).toMatchObject({ word: 'after' })
})

it('passes on what is wrong with a task and goes on', async () => {
  const pool = openPool(1)
  await expect(pool.run('refuse')).rejects.toMatchObject({ code: 'corrupt-file', detail: 'the file of the test.' })
  await expect(pool.run('trip')).rejects.toMatchObject({ code: 'internal', detail: null })
  expect((await pool.run('fine')).word).toBe('fine')
})

it('fails the task whose thread dies, and no other', async () => {
  const pool = openPool(1)
  const [died, after] = await Promise.allSettled([pool.run('die'), pool.run('after')])
  expect(died).toMatchObject({ status: 'rejected', reason: { code: 'internal' } })
  expect(after).toMatchObject({ status: 'fulfilled', value: { word: 'after' } })
})

it('ends what is cancelled, waiting or running, and gives the thread to the next', async () => {
  const pool = openPool(1, 50)
  const stuck = new AbortController()
  const waiting = new AbortController()
  const running = pool.run('forever', stuck.signal)
  const second = pool.run('never', waiting.signal)
  const third = pool.run('third')
  waiting.abort()
  await expect(second).rejects.toThrow(/abort/)
  stuck.abort()
  await expect(running).rejects.toThrow(/abort/)
  expect((await third).word).toBe('third')
})

it('rejects a cancelled task at once, and lets it end before its thread goes on', async () => {
  const pool = openPool(1)
  const cancelling = new AbortController()
  const path = join(temporaryFolder(), 'written')
  const first = await pool.run('first')
  const running = pool.run(`write ${path}`, cancelling.signal)
  const next = pool.run('next')
  cancelling.abort()
  await expect(running).rejects.toThrow(/abort/)
  expect((await next).threadId).toBe(first.threadId)
  expect(existsSync(path)).toBe(true)
})

it('lets the tasks at hand end before it closes', async () => {
  const pool = openPool(2)
  const paths = ['one', 'two'].map((name) => join(temporaryFolder(), name))
  await Promise.all([pool.run('warm'), pool.run('warm')])
  const running = Promise.allSettled(paths.map((path) => pool.run(`write ${path}`)))
  await pool.close()
  for (const each of await running) expect(each).toMatchObject({ reason: { code: 'cancelled' } })
  expect(paths.map((path) => existsSync(path))).toEqual([true, true])
})

it('fails a task that cannot be handed over, and goes on', async () => {
  const pool = openPool(1)
  await expect(pool.run((() => 'no data') as unknown as string)).rejects.toThrow(/could not be cloned/)
  expect((await pool.run('fine')).word).toBe('fine')
})

it('rejects everything when it is closed', async () => {
  const pool = openPool(1, 50)
  const left = Promise.allSettled([pool.run('forever'), pool.run('waiting')])
  await pool.close()
  for (const each of await left) expect(each).toMatchObject({ status: 'rejected', reason: { code: 'cancelled' } })
  await expect(pool.run('late')).rejects.toMatchObject({ code: 'cancelled' })
})
