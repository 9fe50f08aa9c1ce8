import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import type { JobStore } from '#core/store/jobStore.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const trouble = new AppError('service', 'metrics service', {
  service: { message: 'Überlast', status: 503, requestId: null },
}).toShape()
const days = ['2026-08-01', '2026-08-02', '2026-08-03', '2026-08-04']

function add(
  jobs: JobStore,
  periods: readonly string[],
  { priority = 0, refresh = false, symbol = 'perpetual-BTC-USDT:USDT' } = {},
): number {
  const series = flowSeries({ symbol })
  return jobs.add(
    jobs.newBatch('test', 1),
    periods.map((period) => ({ series, period, refresh })),
    { priority, nowMs: 1 },
  )
}

const inOrder = (jobs: JobStore) => jobs.list({}, 0, 100).jobs.map(({ period, state }) => `${period} ${state}`)
const idOf = (jobs: JobStore, period: string) =>
  jobs.list({}, 0, 100).jobs.find((job) => job.period === period)?.id ?? -1

describe('the queue on disk', () => {
  test('runs by priority, then in the order of adding', () => {
    const { jobs } = openTestStore()
    add(jobs, ['2026-08-03', '2026-08-01'])
    add(jobs, ['2026-08-02'], { priority: 5 })
    expect(jobs.nextRunnable('sandbox', 1, 10).map(({ period }) => period)).toEqual([
      '2026-08-02',
      '2026-08-03',
      '2026-08-01',
    ])
    expect(jobs.nextRunnable('another', 1, 10)).toEqual([])
    expect(jobs.runnableConnections()).toEqual(['sandbox'])
  })

  test('a file is fetched by one job at a time; asking again raises it', () => {
    const { jobs } = openTestStore()
    expect(add(jobs, days)).toBe(4)
    expect(add(jobs, ['2026-08-04', '2026-08-05'], { priority: 3, refresh: true })).toBe(1)
    expect(jobs.counts().now.queued).toBe(5)
    expect(jobs.nextRunnable('sandbox', 1, 1)[0]).toMatchObject({ period: '2026-08-04', priority: 3, refresh: true })
  })

  test('waits until its time, with the reason', () => {
    const { jobs } = openTestStore()
    add(jobs, ['2026-08-01'])
    const id = idOf(jobs, '2026-08-01')
    jobs.markRunning([id])
    jobs.markWaiting(id, trouble, 500)
    expect(jobs.find(id)).toMatchObject({ state: 'waiting', notBeforeMs: 500, attempts: 1, error: trouble })
    expect(jobs.nextRunnable('sandbox', 499, 10)).toEqual([])
    expect(jobs.nextWakeMs()).toBe(500)
    expect(jobs.nextRunnable('sandbox', 500, 10)).toHaveLength(1)
  })

  test('what ran in a process that is gone is queued again', () => {
    const dataDir = temporaryFolder()
    const { jobs } = openTestStore(dataDir)
    add(jobs, days)
    for (const job of jobs.nextRunnable('sandbox', 1, 2)) jobs.markRunning([job.id])
    expect(jobs.counts().now.running).toBe(2)
    const after = openTestStore(dataDir).jobs
    expect(after.requeueRunning()).toBe(2)
    expect(after.counts().now).toMatchObject({ running: 0, queued: 4 })
  })

  test('a job that was paused or cancelled while running ends only with its file, and cannot fail any more', () => {
    const { jobs } = openTestStore()
    add(jobs, days)
    const ids = jobs.nextRunnable('sandbox', 1, 3).map(({ id }) => id)
    const [first, second, third] = ids
    for (const id of ids) jobs.markRunning([id])
    jobs.pause([first])
    jobs.cancel([second], 8)
    expect(jobs.stillRunning(ids)).toEqual(new Set([third]))
    jobs.markProgress([{ id: first, doneBytes: 10, totalBytes: 20 }])
    jobs.markEnded(
      ids.map((id) => ({ id, state: 'failed', outcome: null, error: trouble })),
      9,
    )
    expect(jobs.find(first)).toMatchObject({ state: 'paused', doneBytes: 0, endedAtMs: null })
    expect(jobs.find(second)).toMatchObject({ state: 'cancelled', endedAtMs: 8 })
    expect(jobs.find(third)).toMatchObject({ state: 'failed', endedAtMs: 9 })
    jobs.markEnded(
      [first, second].map((id) => ({ id, state: 'done', outcome: 'downloaded', error: null })),
      10,
    )
    for (const id of [first, second]) expect(jobs.find(id)).toMatchObject({ state: 'done', outcome: 'downloaded' })
  })

  test('failed and cancelled ones can be tried again, unless the file is being fetched already', () => {
    const { jobs } = openTestStore()
    add(jobs, ['2026-08-01', '2026-08-02'])
    const ids = jobs.ids({}, 0, 10)
    for (const id of ids) jobs.markRunning([id])
    jobs.markEnded(
      ids.map((id) => ({ id, state: 'failed', outcome: null, error: trouble })),
      5,
    )
    add(jobs, ['2026-08-01'])
    expect(jobs.retry(ids, 6)).toBe(1)
    expect(jobs.counts().now).toMatchObject({ queued: 2, failed: 1 })
    expect(jobs.find(ids[1])).toMatchObject({ state: 'queued', attempts: 0, error: null })
  })

  test('paused ones do not run until resumed; ended ones stay ended', () => {
    const { jobs } = openTestStore()
    add(jobs, days)
    const ids = jobs.ids({}, 0, 10)
    jobs.cancel(ids.slice(0, 1), 2)
    expect(jobs.pause(ids)).toBe(3)
    expect(jobs.nextRunnable('sandbox', 1, 10)).toEqual([])
    expect(jobs.resume(ids)).toBe(3)
    expect(jobs.counts().now).toMatchObject({ queued: 3, cancelled: 1 })
  })

  test('can be put before another one, also into another priority', () => {
    const { jobs } = openTestStore()
    add(jobs, days)
    add(jobs, ['2026-08-09'], { priority: 2 })
    jobs.reorder([idOf(jobs, '2026-08-04'), idOf(jobs, '2026-08-03')], idOf(jobs, '2026-08-01'))
    expect(inOrder(jobs).map((line) => line.slice(8, 10))).toEqual(['09', '04', '03', '01', '02'])
    jobs.reorder([idOf(jobs, '2026-08-02')], idOf(jobs, '2026-08-09'))
    expect(inOrder(jobs).map((line) => line.slice(8, 10))).toEqual(['02', '09', '04', '03', '01'])
    jobs.reorder([idOf(jobs, '2026-08-02')], null)
    expect(inOrder(jobs).map((line) => line.slice(8, 10))).toEqual(['09', '04', '03', '01', '02'])
  })

  test('pages run from open jobs in order into ended ones, newest first, without a seam', () => {
    const { jobs } = openTestStore()
    add(jobs, days)
    const ids = jobs.ids({}, 0, 10)
    jobs.cancel([ids[0]], 5)
    jobs.cancel([ids[2]], 9)
    const whole = ['2026-08-02 queued', '2026-08-04 queued', '2026-08-03 cancelled', '2026-08-01 cancelled']
    expect(inOrder(jobs)).toEqual(whole)
    const byOnes = [0, 1, 2, 3, 4]
      .flatMap((offset) => jobs.list({}, offset, 1).jobs)
      .map(({ period, state }) => `${period} ${state}`)
    expect(byOnes).toEqual(whole)
    expect(jobs.list({}, 0, 0).total).toBe(4)
  })

  test('is searched by words in any order, any script, and by the words of an error', () => {
    const { jobs } = openTestStore()
    add(jobs, ['2026-08-01'], { symbol: 'perpetual-龙-USDT:USDT' })
    add(jobs, ['2026-08-02'], { symbol: 'perpetual-100%_X-USDT:USDT' })
    const found = (text: string) => jobs.list({ text }, 0, 0).total
    expect([
      found('龙'),
      found('FLOW 2026-08'),
      found('venuea 龙 08-02'),
      found('100%_x'),
      found('100%%'),
      found(''),
    ]).toEqual([1, 2, 0, 1, 0, 2])
    const [first] = jobs.ids({}, 0, 1)
    jobs.markRunning([first])
    jobs.markEnded([{ id: first, state: 'failed', outcome: null, error: trouble }], 3)
    expect(found('metrics service')).toBe(1)
    expect(jobs.list({ states: ['failed'], text: '龙' }, 0, 5).jobs).toHaveLength(1)
  })

  test('old history can be forgotten; open jobs never are', () => {
    const { jobs } = openTestStore()
    add(jobs, days)
    jobs.cancel(jobs.ids({}, 0, 2), 100)
    expect(jobs.trimHistory(100, 10)).toBe(0)
    expect(jobs.trimHistory(101, 10)).toBe(2)
    expect(jobs.counts().now.queued).toBe(2)
  })

  test('counts are exact whatever happened, and say how many ever ended', () => {
    const { jobs } = openTestStore()
    add(jobs, days)
    const ids = jobs.ids({}, 0, 10)
    jobs.markRunning(ids)
    jobs.markProgress(ids.map((id) => ({ id, doneBytes: 10, totalBytes: 10 })))
    jobs.markEnded(
      ids.slice(0, 3).map((id, at) => ({ id, state: at < 2 ? 'done' : 'failed', outcome: null, error: null })),
      5,
    )
    expect(jobs.counts()).toMatchObject({ now: { done: 2, failed: 1, running: 1, queued: 0 }, doneBytes: 20 })
    expect(jobs.trimHistory(100, 10)).toBe(3)
    expect(jobs.counts()).toMatchObject({
      now: { done: 0, failed: 0, running: 1 },
      ever: { done: 2, failed: 1 },
      doneBytes: 0,
    })
  })
})
