import { expect, it, onTestFinished } from 'vitest'
import { createThreadPool } from '#core/readers/threadPool.ts'

interface Answer {
  word: string
  threadId: number
  bytes: Uint8Array
}

function openPool(size: number) {
  const pool = createThreadPool<string, Answer>(new URL('../../fakes/oddWorker.ts', import.meta.url), size)
  onTestFinished(() => pool.close())
  return pool
}

it('gives each task its own answer, with no more threads than allowed', async () => {
  const pool = openPool(2)
  const words = Array.from({ length: 20 }, (_, i) => `word ${i}`)
  const answers = await Promise.all(words.map((word) => pool.run(word)))
  expect(answers.map(({ word }) => word)).toEqual(words)
  expect(new Set(answers.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(2)
  expect(answers[0].bytes).toHaveLength(1000)
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
  const pool = openPool(1)
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

it('rejects everything when it is closed', async () => {
  const pool = openPool(1)
  const left = Promise.allSettled([pool.run('forever'), pool.run('waiting')])
  await pool.close()
  for (const each of await left) expect(each).toMatchObject({ status: 'rejected', reason: { code: 'cancelled' } })
  await expect(pool.run('late')).rejects.toMatchObject({ code: 'cancelled' })
})
