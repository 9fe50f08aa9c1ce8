import { expect, test } from 'vitest'
import { createDownloads, downloadOf } from '#core/downloads/downloads.ts'
import { addDays } from '#shared/time.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const { signal } = new AbortController()

function queueDownloads(files: number, label = 'test', symbol = 'X') {
  const store = openTestStore()
  const clock = fakeClock()
  const add = (count: number, batchLabel: string, batchSymbol: string) => {
    const batch = store.jobs.newBatch(batchLabel, 7)
    const series = flowSeries({ symbol: batchSymbol })
    const wanted = Array.from({ length: count }, (_, index) => ({
      series,
      period: addDays('2020-01-01', index),
      refresh: false,
    }))
    store.jobs.add(batch, wanted, { priority: 0, nowMs: 1 })
    return batch
  }
  const batch = add(files, label, symbol)
  const end = (ids: readonly number[], state: 'done' | 'failed') => {
    store.jobs.markRunning(ids)
    const isDone = state === 'done'
    const outcome = isDone ? ('downloaded' as const) : null
    store.jobs.markEnded(
      ids.map((id) => ({ id, state, outcome, error: null, ...(isDone && { sizeBytes: 100 }) })),
      clock.nowMs(),
    )
  }
  return { store, batch, add, end, downloads: createDownloads(store, clock), ids: () => store.jobs.ids({}, 0, 10_000) }
}

test('jobs are changed in slices of a thousand, each of them once', async () => {
  const { downloads, ids } = queueDownloads(2001)
  const changedBy = async (which: Parameters<typeof downloads.change>[0]) => {
    const slices: (readonly number[])[] = []
    const changed = await downloads.change(which, (slice) => slices.push(slice) && slice.length, signal)
    expect(slices.map(({ length }) => length)).toEqual([1000, 1000, 1])
    expect(slices.flat()).toEqual(ids())
    return changed
  }
  expect(await changedBy({ filter: {} })).toBe(2001)
  expect(await changedBy({ ids: ids() })).toBe(2001)
  expect(await downloads.change({ filter: { states: ['failed'] } }, () => 1, signal)).toBe(0)
  expect(await downloads.change({ ids: [] }, () => 1, signal)).toBe(0)
})

test('a change that is cancelled ends after the slice that was running', async () => {
  const { downloads } = queueDownloads(2001)
  const controller = new AbortController()
  let slices = 0
  const changing = downloads.change({ filter: {} }, () => (controller.abort(), ++slices), controller.signal)
  await expect(changing).rejects.toThrow('aborted')
  expect(slices).toBe(1)
})

test('requests with files left are summed up, the latest first, and those that are over are not', async () => {
  const { store, add, end, downloads, batch, ids } = queueDownloads(3, 'first')
  const over = add(1, 'over', 'Y')
  const second = add(2, 'second', 'Z')
  const [a, b, , y] = ids()
  end([a, y], 'done')
  end([b], 'failed')
  expect(await downloads.openRequests(10, signal)).toEqual([
    {
      ...{ batchId: second, label: 'second', createdAt: 7, doneBytes: 0, knownBytes: 0 },
      files: { queued: 2, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 },
    },
    {
      ...{ batchId: batch, label: 'first', createdAt: 7, doneBytes: 100, knownBytes: 100 },
      files: { queued: 1, running: 0, waiting: 0, paused: 0, done: 1, failed: 1, cancelled: 0 },
    },
  ])
  expect(over).toBe(batch + 1)
  // Only the latest requests are considered.
  expect((await downloads.openRequests(1, signal)).map(({ label }) => label)).toEqual(['second'])
  store.jobs.pause(ids())
  expect((await downloads.openRequests(10, signal)).map(({ files }) => files.paused)).toEqual([2, 1])
})

test('ended jobs are forgotten, all of them, and the others stay', async () => {
  const { store, end, downloads, ids } = queueDownloads(1203)
  end(ids().slice(0, 1201), 'done')
  expect(await downloads.forgetEnded(signal)).toBe(1201)
  expect(store.jobs.counts().now).toMatchObject({ queued: 2, done: 0 })
  expect(await downloads.forgetEnded(signal)).toBe(0)
  const controller = new AbortController()
  controller.abort()
  await expect(downloads.forgetEnded(controller.signal)).rejects.toThrow('aborted')
})

test('a download has the path of its file only if it brought one', () => {
  const { store, end, ids } = queueDownloads(3)
  const [done, failed, waiting] = ids()
  end([done], 'done')
  end([failed], 'failed')
  const pathOf = (id: number) => downloadOf(store, store.jobs.find(id)!).path
  expect(pathOf(done)).toBe(store.folder.pathOf(flowSeries({ symbol: 'X' }), '2020-01-01'))
  expect([pathOf(failed), pathOf(waiting)]).toEqual([null, null])
})
