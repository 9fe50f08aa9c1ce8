import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createReusableThreads } from '#core/threads/reusableThreads.ts'

const entry = new URL('../../fakes/misbehavingWorker.ts', import.meta.url)

afterEach(() => vi.useRealTimers())

function openKept() {
  const kept = createReusableThreads()
  onTestFinished(() => kept.close())
  return () => kept.take<string, { threadId: number }>(entry)
}

async function idOf(thread: ReturnType<ReturnType<typeof openKept>>): Promise<number> {
  return (await thread.run('who')).threadId
}

it('gives an idle thread to the next taker, and one thread to one taker at a time', async () => {
  const take = openKept()
  const [first, second] = [take(), take()]
  const ids = [await idOf(first), await idOf(second)]
  expect(ids[0]).not.toBe(ids[1])
  await first.release(true)
  const third = take()
  expect(await idOf(third)).toBe(ids[0])
  await Promise.all([second, third].map((thread) => thread.release(true)))
})

it('ends a thread whose work failed', async () => {
  const take = openKept()
  const first = take()
  const id = await idOf(first)
  await first.release(false)
  const second = take()
  expect(await idOf(second)).not.toBe(id)
  await second.release(true)
})

it('ends a thread that was idle for half a minute', async () => {
  const take = openKept()
  const first = take()
  const id = await idOf(first)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await first.release(true)
  vi.advanceTimersByTime(30_000)
  vi.useRealTimers()
  const second = take()
  expect(await idOf(second)).not.toBe(id)
  await second.release(true)
})

it('ends its threads when it closes, and keeps none that are released later', async () => {
  const kept = createReusableThreads()
  const [idle, used] = [kept.take<string, unknown>(entry), kept.take<string, unknown>(entry)]
  await Promise.all([idle.run('who'), used.run('who')])
  await idle.release(true)
  await kept.close()
  await expect(idle.run('who')).rejects.toMatchObject({ code: 'cancelled' })
  expect(await used.run('who')).toMatchObject({ word: 'who' })
  await used.release(true)
  await expect(used.run('who')).rejects.toMatchObject({ code: 'cancelled' })
})
