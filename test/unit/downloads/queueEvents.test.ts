import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { createQueueEvents } from '#core/downloads/queueEvents.ts'
import type { DownloadQueue } from '#core/downloads/scheduler.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Creates a queue of three files that runs here or in another process, and records the events that windows receive. */
function observeQueue({ runsHere = true } = {}) {
  const store = openTestStore()
  const batchId = store.jobs.newBatch('test', 1)
  const wanted = ['2026-08-01', '2026-08-02', '2026-08-03'].map((period) => ({
    series: flowSeries(),
    period,
    refresh: false,
  }))
  store.jobs.add(batchId, wanted, { priority: 0, nowMs: 1 })
  const ids = store.jobs.ids({}, 0, 10)
  const emitted: { name: string; payload: unknown }[] = []
  const queue = {
    isRunningHere: () => runsHere,
    running: () => [],
    bytesPerSecond: () => 0,
    unstoredPauses: () => [],
  } satisfies Partial<DownloadQueue>
  const events = createQueueEvents({
    store,
    queue: () => queue as unknown as DownloadQueue,
    emit: (name, payload) => void emitted.push({ name, payload }),
  })
  onTestFinished(() => events.stop())
  /** Returns the names of the events of the next tenth of a second. */
  const next = () => {
    vi.advanceTimersByTime(100)
    return emitted.splice(0).map(({ name }) => name)
  }
  const end = (index: number, state: 'done' | 'failed') => {
    store.jobs.markRunning([ids[index]])
    store.jobs.markEnded([{ id: ids[index], state, outcome: null, error: null }], 2)
  }
  return { store, ids, events, emitted, next, end }
}

test('changes within a tenth of a second are reported once, and progress alone does not change the list', () => {
  const { events, emitted, next } = observeQueue()
  events.jobsChanged()
  events.jobsChanged()
  events.progressed()
  expect(emitted).toEqual([])
  expect(next()).toEqual(['downloads.changed', 'downloads.progressed'])
  events.progressed()
  expect(next()).toEqual(['downloads.progressed'])
  expect(next()).toEqual([])
  events.jobsChanged()
  expect(next()).toEqual(['downloads.changed', 'downloads.progressed'])
})

test('nothing is reported after the end', () => {
  const { events, next } = observeQueue()
  events.jobsChanged()
  events.stop()
  events.jobsChanged()
  expect(next()).toEqual([])
})

test('a pause that waits for the user is reported at once and only once, and again if it recurs', () => {
  const { store, events, emitted, next } = observeQueue()
  const refused = new AppError('unauthorized').toShape()
  const held = [{ connectionId: 'sandbox', code: 'unauthorized', message: refused.sentence }]
  const heldPayloads = () =>
    emitted
      .splice(0)
      .filter(({ name }) => name === 'downloads.held')
      .map(({ payload }) => payload)
  store.pauses.set({ connectionId: 'other', error: refused, untilMs: 5000 })
  store.pauses.set({ connectionId: 'sandbox', error: refused, untilMs: null })
  events.connectionPaused()
  expect(heldPayloads()).toEqual(held)
  events.connectionPaused()
  events.progressed()
  vi.advanceTimersByTime(100)
  expect(heldPayloads()).toEqual([])
  store.pauses.clear('sandbox')
  events.progressed()
  next()
  store.pauses.set({ connectionId: 'sandbox', error: refused, untilMs: null })
  events.connectionPaused()
  expect(heldPayloads()).toEqual(held)
})

test('the end of all downloads is reported once, with their outcomes', () => {
  const { events, emitted, next, end } = observeQueue()
  const finishedPayloads = () => {
    vi.advanceTimersByTime(100)
    return emitted
      .splice(0)
      .filter(({ name }) => name === 'downloads.finished')
      .map(({ payload }) => payload)
  }
  end(0, 'done')
  events.jobsChanged()
  expect(finishedPayloads()).toEqual([])
  end(1, 'done')
  end(2, 'failed')
  events.jobsChanged()
  expect(finishedPayloads()).toEqual([{ done: 2, failed: 1 }])
  events.jobsChanged()
  expect(next()).toEqual(['downloads.changed', 'downloads.progressed'])
})

test('the rate of another process is taken from what its downloads gained since they were first seen', () => {
  const { store, ids, events } = observeQueue({ runsHere: false })
  store.jobs.markRunning(ids)
  const progressAt = (doneBytes: number) => {
    store.jobs.markProgress([{ id: ids[0], doneBytes, totalBytes: 100_000 }])
    return events.progress()
  }
  expect(progressAt(40_000)).toMatchObject({ bytesPerSecond: 0, here: false })
  vi.advanceTimersByTime(1000)
  expect(progressAt(45_000).bytesPerSecond).toBe(10_000)
  vi.advanceTimersByTime(1000)
  expect(progressAt(50_000)).toMatchObject({
    bytesPerSecond: 10_000,
    running: [{ doneBytes: 50_000, totalBytes: 100_000 }, {}, {}],
  })
  vi.advanceTimersByTime(60_000)
  expect(events.progress().bytesPerSecond).toBe(0)
})

test('a process that runs the queue says its own rate', () => {
  const { store, ids, events } = observeQueue()
  store.jobs.markRunning(ids)
  store.jobs.markProgress([{ id: ids[0], doneBytes: 5000, totalBytes: null }])
  expect(events.progress()).toMatchObject({ bytesPerSecond: 0, here: true, running: [] })
})
