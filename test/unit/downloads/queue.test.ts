import { writeFileSync, mkdirSync, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { addDays } from '#shared/time.ts'
import { dayNumberOf, periodDays } from '#shared/time/periods.ts'
import type { HttpClient } from '#core/clients/http.ts'
import { RequestError } from '#core/clients/httpErrors.ts'
import type { FileListing, OfferedFile } from '#core/clients/fileListing.ts'
import type { MetricsService } from '#core/clients/metricsService.ts'
import { createDownloadQueue, type QueueSettings } from '#core/downloads/scheduler.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import { validateParquet, writeCommit } from '#core/downloads/verifyFile.ts'
import { commitPart, PART_SUFFIX } from '#core/store/cacheFolder.ts'
import { createLease, type Lease } from '#core/store/lease.ts'
import type { JobState } from '#core/store/jobTable.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const dayMs = 86_400_000
const firstDay = '2026-08-01'
const nowMs = Date.UTC(2026, 8, 1, 12)

/** Returns a file with the hours of a day; `shiftMs` moves some of its rows into the neighbouring days. */
function dayFile(period: string, shiftMs = 0): Uint8Array {
  const startMs = periodDays(period)!.start * dayMs + shiftMs
  const data = BigInt64Array.from({ length: 24 }, (_, hour) => BigInt(startMs + hour * 3_600_000))
  return new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'time', type: 'INT64', data }] }))
}

/**
 * Returns the file for a symbol and period, or the error of its download; an endless download lasts until it is
 * aborted.
 */
type Answer = (symbol: string, period: string) => Uint8Array | Error | 'endless'

interface World {
  answer?: Answer
  settings?: Partial<QueueSettings>
  commit?: ValidationPool['commit']
  lease?: Lease
  files?: MetricsService['files']
}

function commitHere(task: Parameters<ValidationPool['commit']>[0]): ReturnType<ValidationPool['commit']> {
  writeCommit(task)
  const validated = validateParquet(task.path + PART_SUFFIX, task)
  commitPart(task.path, task.root)
  return Promise.resolve(validated)
}

/** Creates a queue whose service is in this process. */
function world({
  answer = (_, period) => dayFile(period),
  settings: given = {},
  commit = commitHere,
  lease,
  files,
}: World = {}) {
  const store = openTestStore()
  const clock = fakeClock(nowMs)
  const log = fakeLog()
  const settings: QueueSettings = { concurrency: 4, serverConcurrency: null, rateCapMb: null, ...given }
  const state = { answer, isOffline: false, running: 0, most: 0 }
  const requestedFiles: string[] = []
  const listedRanges: string[] = []
  const callCounts = { change: 0, pause: 0, progress: 0 }
  const http = {
    async open({ url, signal }) {
      const [symbol, period] = new URL(url).pathname.slice(1).split('/')
      requestedFiles.push(`${symbol} ${period}`)
      state.running++
      state.most = Math.max(state.most, state.running)
      try {
        await sleep(1)
        const content = state.answer(symbol, period)
        if (content === 'endless') await sleep(3_600_000, undefined, { signal })
        if (!(content instanceof Uint8Array)) throw content
        const headers = new Map([['content-length', String(content.length)]])
        return {
          status: 200,
          headers: { get: (name: string) => headers.get(name) ?? null },
          body: (async function* () {
            await Promise.resolve()
            yield content
          })(),
          cancel: () => Promise.resolve(),
        }
      } catch (thrown) {
        if (signal?.aborted) throw new AppError('cancelled')
        throw thrown
      } finally {
        state.running--
      }
    },
  } as Pick<HttpClient, 'open'>
  const listFiles: MetricsService['files'] = async ({ symbol, startDay, endDay }) => {
    await Promise.resolve()
    listedRanges.push(`${symbol} ${startDay}..${endDay}`)
    const found: OfferedFile[] = []
    for (let day = startDay; day <= endDay; day = addDays(day, 1))
      found.push({ period: day, url: `https://files.example/${symbol}/${day}` })
    return { files: found, missing: [], expiresInMs: null }
  }
  const queue = createDownloadQueue({
    ...{ store, clock, log, settings: () => settings },
    http: http as HttpClient,
    lease: lease ?? createLease({ database: store.database, clock, name: 'queue', holder: 'here' }),
    pool: { commit, validate: () => Promise.reject(new AppError('corrupt-file')) } as unknown as ValidationPool,
    stores: {
      storeOf: () => null,
      open: () => {
        throw new AppError('unsupported')
      },
    },
    openService: () => Promise.resolve({ files: files ?? listFiles } as MetricsService),
    isOffline: () => state.isOffline,
    onChange: () => void callCounts.change++,
    onPause: () => void callCounts.pause++,
    onProgress: () => void callCounts.progress++,
    random: () => 0,
  })
  onTestFinished(() => queue.stop())
  /** Queues the first `days` days of a symbol. */
  function enqueue(days: number, { symbol = 'X', connectionId = 'desk', priority = 0, ...more } = {}): number {
    const batch = store.jobs.newBatch('test', 1)
    const series = flowSeries({ symbol, connectionId, interval: '1h' })
    const wanted = Array.from({ length: days }, (_, index) => ({
      series,
      period: addDays(firstDay, index),
      refresh: false,
      ...more,
    }))
    store.jobs.add(batch, wanted, { priority, nowMs: clock.nowMs() })
    queue.refresh()
    return batch
  }
  const counts = () => store.jobs.counts().now
  /** Waits until these numbers of jobs are in these states. */
  const until = (wanted: Partial<Record<JobState, number>>) =>
    vi.waitFor(() => expect(counts()).toMatchObject(wanted), { timeout: 10_000, interval: 5 })
  return {
    store,
    clock,
    log,
    settings,
    state,
    asked: requestedFiles,
    listed: listedRanges,
    told: callCounts,
    queue,
    enqueue,
    counts,
    until,
  }
}

const fieldsOf = (server: string, name = server) => ({
  ...{ name, metricsUrl: `https://${server}`, portfolioUrl: '', catalogLocation: '', tier: null },
})

describe('the queue', () => {
  test('downloads everything, so many at a time as the settings say, and lists few times', async () => {
    const { queue, enqueue, until, state, store, listed, asked, told } = world()
    queue.start()
    enqueue(20)
    await until({ done: 20, queued: 0, running: 0 })
    expect(state.most).toBe(4)
    expect(asked.toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => `X ${addDays(firstDay, index)}`))
    expect(listed).toEqual([`X ${firstDay}..${addDays(firstDay, 19)}`])
    expect(store.files.totals({})).toMatchObject({ files: 20 })
    expect([told.change > 0, told.progress > 0, told.pause]).toEqual([true, true, 0])
    expect([queue.running(), queue.isStoring('desk'), queue.isRunningHere()]).toEqual([[], false, true])
  })

  test('starts the jobs of the highest priority first, then a job of each server in turn, in their order', async () => {
    const { queue, enqueue, until, asked } = world({ settings: { concurrency: 1 } })
    enqueue(3, { symbol: 'LATE', connectionId: 'b' })
    enqueue(2, { symbol: 'SOON', connectionId: 'a' })
    enqueue(1, { symbol: 'FIRST', connectionId: 'c', priority: 9 })
    queue.start()
    await until({ done: 6 })
    const [second, third] = [addDays(firstDay, 1), addDays(firstDay, 2)]
    expect(asked).toEqual([
      `FIRST ${firstDay}`,
      `LATE ${firstDay}`,
      `SOON ${firstDay}`,
      `LATE ${second}`,
      `SOON ${second}`,
      `LATE ${third}`,
    ])
  })

  test('lets a new small request take turns with what is left of a large one', async () => {
    const { queue, enqueue, until, asked, settings } = world({ settings: { concurrency: 1 } })
    enqueue(1)
    queue.start()
    await until({ done: 1 })
    settings.concurrency = 0
    enqueue(40, { symbol: 'LARGE' })
    enqueue(3, { symbol: 'SMALL' })
    settings.concurrency = 1
    queue.refresh()
    await until({ done: 44 })
    const turns = asked.slice(1, 8).map((each) => each.split(' ')[0])
    expect(turns).toEqual(['LARGE', 'SMALL', 'LARGE', 'SMALL', 'LARGE', 'SMALL', 'LARGE'])
  })

  test('gives the slots to the server that holds fewest of them', async () => {
    const { queue, enqueue, until, asked, settings } = world({ answer: () => 'endless', settings: { concurrency: 3 } })
    queue.start()
    enqueue(9, { symbol: 'SLOW', connectionId: 'slow' })
    await until({ running: 3 })
    settings.concurrency = 5
    enqueue(9, { symbol: 'OTHER', connectionId: 'other' })
    await until({ running: 5 })
    await vi.waitUntil(() => asked.length === 5, { timeout: 10_000, interval: 5 })
    expect(asked.filter((each) => each.startsWith('OTHER'))).toHaveLength(2)
  })

  test('runs no more transfers with one server than the settings say, whatever the connection', async () => {
    const { queue, enqueue, until, state, store, settings } = world({
      answer: () => 'endless',
      settings: { concurrency: 6, serverConcurrency: 2 },
    })
    const [one, same, other] = ['a.example', 'a.example', 'b.example'].map(
      (server, index) => store.connections.add(fieldsOf(server, `connection ${index}`)).id,
    )
    queue.start()
    for (const connectionId of [one, same, other]) enqueue(3, { connectionId })
    await until({ running: 4 })
    await vi.waitUntil(() => state.running === 4, { timeout: 10_000, interval: 5 })
    const servers = queue.running().map(({ job }) => (job.series.connectionId === other ? 'b' : 'a'))
    expect(servers.toSorted()).toEqual(['a', 'a', 'b', 'b'])
    settings.serverConcurrency = null
    queue.refresh()
    await until({ running: 6 })
  })

  test('stops what was paused, keeps it paused, and goes on with it when asked', async () => {
    const { queue, enqueue, until, store, state } = world({ answer: () => 'endless' })
    queue.start()
    enqueue(2)
    await until({ running: 2 })
    await vi.waitUntil(() => state.running === 2, { timeout: 10_000, interval: 5 })
    const ids = store.jobs.ids({}, 0, 9)
    store.jobs.pause([ids[0]])
    queue.refresh()
    await vi.waitUntil(() => queue.running().length === 1, { timeout: 10_000, interval: 5 })
    await until({ paused: 1, running: 1 })
    state.answer = (_, period) => dayFile(period)
    store.jobs.resume([ids[0]])
    queue.refresh()
    await until({ done: 1, running: 1 })
  })

  test('gives its jobs back when it stops, and another process may take over', async () => {
    const { queue, enqueue, until, store, clock } = world({ answer: () => 'endless' })
    queue.start()
    enqueue(3)
    await until({ running: 3 })
    await queue.stop()
    expect([store.jobs.counts().now.queued, queue.isRunningHere(), queue.running()]).toEqual([3, false, []])
    const next = createLease({ database: store.database, clock, name: 'queue', holder: 'elsewhere' })
    expect(next.take()).toBe(true)
    next.release()
  })

  test('stands by while another process runs it', async () => {
    const lease: Lease = { take: () => false, isOurs: () => false, holder: () => null, release() {} }
    const { queue, enqueue, counts, asked } = world({ lease })
    queue.start()
    enqueue(2)
    queue.refresh()
    await sleep(20)
    expect([queue.isRunningHere(), counts().queued, asked]).toEqual([false, 2, []])
  })

  test('takes what a process that ended was running, and removes old beginnings that nothing waits for', async () => {
    const { queue, enqueue, until, store, clock } = world()
    enqueue(1)
    store.jobs.markRunning(store.jobs.ids({}, 0, 9))
    const leave = (period: string, daysAgo: number) => {
      const series = flowSeries({ symbol: 'OLD' })
      const path = store.parts.pathOf(series, period)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, 'beginning')
      store.parts.begin(series, period, '"1"', clock.nowMs() - daysAgo * dayMs)
      return path
    }
    const [old, young] = [leave('2026-07-01', 7.5), leave('2026-07-02', 6.5)]
    store.pauses.set({ connectionId: 'desk', error: new AppError('network').toShape(), untilMs: null })
    queue.start()
    await until({ done: 1 })
    expect([existsSync(old), existsSync(young), store.pauses.list()]).toEqual([false, true, []])
  })
})

test('the progress of a transfer that stalls is reported at every beat', async () => {
  let beat = (): void => {}
  vi.spyOn(globalThis, 'setInterval').mockImplementation(((work: () => void, everyMs: number) => {
    if (everyMs === 1000) beat = work
    return { unref: () => null }
  }) as never)
  onTestFinished(() => void vi.restoreAllMocks())
  const { queue, enqueue, until, told } = world({ answer: () => 'endless' })
  queue.start()
  beat()
  expect(told.progress).toBe(0)
  enqueue(1)
  beat()
  await until({ running: 1 })
  const before = told.progress
  beat()
  expect(told.progress).toBe(before + 1)
  await queue.stop()
  beat()
  expect(told.progress).toBe(before + 1)
})

describe('offline', () => {
  test('what runs is given up without a failure, and goes on when the network is back', async () => {
    const { queue, enqueue, until, state, asked } = world({ answer: () => 'endless' })
    queue.start()
    enqueue(2)
    await until({ running: 2 })
    await vi.waitUntil(() => state.running === 2, { timeout: 10_000, interval: 5 })
    state.isOffline = true
    queue.refresh()
    await until({ queued: 2, running: 0, failed: 0 })
    expect(asked).toHaveLength(2)
    state.isOffline = false
    state.answer = (_, period) => dayFile(period)
    queue.refresh()
    await until({ done: 2 })
  })
})

describe('a failure', () => {
  const failing = (times: number, error: Error): Answer => {
    let left = times
    return (_, period) => (left-- > 0 ? error : dayFile(period))
  }

  test('that may pass is waited for, and the file comes in the end', async () => {
    const { queue, enqueue, until, store, clock } = world({
      answer: failing(1, new RequestError('service', 'GET: 500')),
    })
    queue.start()
    enqueue(1)
    await until({ waiting: 1 })
    const [job] = store.jobs.list({}, 0, 9).jobs
    expect(job).toMatchObject({ error: { code: 'service', detail: 'GET: 500' }, notBeforeMs: clock.nowMs() + 250 })
    clock.advance(251)
    queue.refresh()
    await until({ done: 1 })
    expect(store.jobs.list({}, 0, 9).jobs[0]).toMatchObject({ attempts: 2, outcome: 'downloaded', error: null })
  })

  test('that is over soon is not waited for until the next beat, whatever others wait for', async () => {
    vi.spyOn(globalThis, 'setInterval').mockReturnValue({ unref: () => null } as unknown as NodeJS.Timeout)
    onTestFinished(() => void vi.restoreAllMocks())
    let isDown = true
    const { queue, enqueue, until, clock } = world({
      answer(symbol, period) {
        if (symbol === 'LATE') return new RequestError('service', 'GET: 500', { retryAfterMs: 600_000 })
        return isDown ? new RequestError('service', 'GET: 500') : dayFile(period)
      },
    })
    queue.start()
    enqueue(1, { symbol: 'LATE' })
    await until({ waiting: 1, running: 0 })
    enqueue(1)
    await until({ waiting: 2, running: 0 })
    isDown = false
    clock.advance(250)
    await until({ done: 1, waiting: 1 })
  })

  test('that stays ends the job with its reason', async () => {
    const { queue, enqueue, until, store, log } = world({ answer: () => new RequestError('rejected', 'GET: 400') })
    queue.start()
    enqueue(2)
    await until({ failed: 2, running: 0 })
    expect(store.jobs.list({}, 0, 9).jobs.map(({ error }) => error?.detail)).toEqual(['GET: 400', 'GET: 400'])
    expect(log.lines).toContainEqual(expect.stringContaining(`download of flow X ${firstDay}: fail: `))
    expect(queue.running()).toEqual([])
  })

  test('of the key pauses its connection until the person acts, and no other', async () => {
    const { queue, enqueue, until, state, store, asked, told } = world({
      answer: (symbol, period) => (symbol === 'X' ? new RequestError('unauthorized', 'GET: 401') : dayFile(period)),
      settings: { concurrency: 2 },
    })
    queue.start()
    enqueue(6)
    enqueue(2, { symbol: 'Y', connectionId: 'other' })
    await vi.waitUntil(() => store.pauses.list().length > 0, { timeout: 10_000, interval: 5 })
    await until({ queued: 6, done: 2, running: 0, failed: 0 })
    expect(store.pauses.list()).toMatchObject([
      { connectionId: 'desk', error: { code: 'unauthorized' }, untilMs: null },
    ])
    expect(told.pause).toBeGreaterThan(0)
    expect(asked.filter((each) => each.startsWith('X')).length).toBeLessThanOrEqual(2)
    state.answer = (_, period) => dayFile(period)
    queue.resumeConnection('desk')
    await until({ done: 8 })
    expect(store.pauses.list()).toEqual([])
  })

  test('of the key that comes after a new key pauses nothing', async () => {
    let refuse = (): void => {}
    const refused = new Promise<void>((resolve) => (refuse = resolve))
    let key = 'old'
    const files: MetricsService['files'] = async ({ startDay }) => {
      const used = key
      await refused
      if (used === 'old') throw new RequestError('unauthorized', 'GET: 401')
      const found = [{ period: startDay, url: `https://files.example/X/${startDay}` }]
      return { files: found, missing: [], expiresInMs: null }
    }
    const { queue, enqueue, until, store, told } = world({ files })
    queue.start()
    enqueue(1)
    await until({ running: 1 })
    key = 'new'
    queue.connectionsChanged()
    refuse()
    await until({ done: 1 })
    expect([told.pause, store.pauses.list()]).toEqual([0, []])
  })

  test('of the disk pauses everything for a while', async () => {
    let isFull = true
    const { queue, enqueue, until, store, clock } = world({
      commit: (task) => (isFull ? Promise.reject(new AppError('disk-full', 'The folder is full')) : commitHere(task)),
    })
    queue.start()
    enqueue(3)
    await vi.waitUntil(() => store.pauses.list().length > 0, { timeout: 10_000, interval: 5 })
    await until({ queued: 3, running: 0, failed: 0 })
    expect(store.pauses.list()).toMatchObject([{ connectionId: '', untilMs: clock.nowMs() + 30_000 }])
    isFull = false
    clock.advance(30_001)
    queue.refresh()
    await until({ done: 3 })
  })

  test('of access is remembered with the service’s message, and nothing more of the dataset is asked', async () => {
    const service = { message: 'Tier 3 only', status: 403, requestId: null }
    const files = () => Promise.reject(new RequestError('forbidden', 'GET: 403', { service }))
    const { queue, enqueue, until, store } = world({ files, settings: { concurrency: 1 } })
    queue.start()
    enqueue(10)
    await until({ failed: 10 })
    expect(store.unavailable.refusals('desk')).toMatchObject([
      { dataset: 'flow', interval: '', message: 'Tier 3 only' },
    ])
    const errors = store.jobs.list({}, 0, 99).jobs.map(({ error }) => error?.code)
    expect(new Set(errors)).toEqual(new Set(['forbidden']))
  })

  test('three in a row leave one job at a time to the connection, until one succeeds', async () => {
    let isDown = true
    const { queue, enqueue, until, state, clock, store, settings } = world({
      answer: (_, period) => (isDown ? new RequestError('service', 'GET: 500') : dayFile(period)),
      settings: { concurrency: 1 },
    })
    queue.start()
    enqueue(9)
    await until({ waiting: 3, running: 0 })
    expect(store.pauses.list()).toMatchObject([{ connectionId: 'desk', untilMs: clock.nowMs() + 250 }])
    Object.assign(settings, { concurrency: 3 })
    state.most = 0
    clock.advance(251)
    queue.refresh()
    await vi.waitUntil(() => store.pauses.list().some(({ untilMs }) => untilMs! > clock.nowMs()), {
      timeout: 10_000,
      interval: 5,
    })
    expect(state.most).toBe(1)
    isDown = false
    clock.advance(60_000)
    queue.refresh()
    await until({ done: 9 })
    expect(state.most).toBe(3)
  })

  test('of the store itself is reported as a pause that could not be stored, and nothing is lost', async () => {
    const { queue, enqueue, until, store, clock, log } = world()
    queue.start()
    const broken = vi.spyOn(store.jobs, 'markEnded').mockImplementation(() => {
      throw new AppError('disk-full', 'The index cannot be written')
    })
    enqueue(1)
    await vi.waitUntil(() => queue.unstoredPauses().length > 0, { timeout: 10_000, interval: 5 })
    expect(queue.unstoredPauses()).toMatchObject([{ connectionId: '', error: { code: 'disk-full' } }])
    expect(log.lines).toContainEqual(expect.stringContaining('the queue cannot write to its store'))
    broken.mockRestore()
    clock.advance(5001)
    queue.refresh()
    await until({ done: 1, running: 0 })
    expect(queue.unstoredPauses()).toEqual([])
  })
})

describe('a file', () => {
  test('with some rows outside its period is stored, and the log says so', async () => {
    const { queue, enqueue, until, log } = world({
      answer: (_, period) => dayFile(period, period === firstDay ? 3_600_000 : 0),
    })
    queue.start()
    enqueue(2)
    await until({ done: 2 })
    expect(log.lines.filter((line) => line.includes('outside its period'))).toEqual([
      `warn flow X ${firstDay} has rows outside its period`,
    ])
  })

  test('that the service has under another period is queued under that one, for the same request', async () => {
    const { queue, enqueue, until, store } = world({
      files: () =>
        Promise.resolve({
          files: [{ period: '2026-08', url: 'https://files.example/X/2026-08' }],
          missing: [],
          expiresInMs: null,
        }),
    })
    queue.start()
    const batch = enqueue(2)
    await until({ done: 3 })
    const outcomes = store.jobs.list({}, 0, 9).jobs.map(({ period, outcome }) => `${period} ${outcome}`)
    expect(outcomes.toSorted()).toEqual([
      '2026-08 downloaded',
      '2026-08-01 listed otherwise',
      '2026-08-02 listed otherwise',
    ])
    expect(store.jobs.batchSize(batch)).toBe(3)
    expect(
      store.files.find(flowSeries({ symbol: 'X', connectionId: 'desk', interval: '1h' }), '2026-08'),
    ).toMatchObject({
      startDay: dayNumberOf('2026-08-01'),
    })
  })

  test('follows the one before at once, and not only at the next beat', async () => {
    vi.spyOn(globalThis, 'setInterval').mockReturnValue({ unref: () => null } as unknown as NodeJS.Timeout)
    onTestFinished(() => void vi.restoreAllMocks())
    const { queue, enqueue, until } = world({
      answer: (symbol, period) => (symbol === 'BAD' ? new RequestError('rejected', 'GET: 400') : dayFile(period)),
      settings: { concurrency: 1 },
    })
    queue.start()
    enqueue(150)
    enqueue(4, { symbol: 'BAD' })
    await until({ done: 150, failed: 4 })
  })

  test('waits for the network while too many others wait to be stored', async () => {
    const { store, queue, enqueue, until, asked } = world({
      settings: { concurrency: 8 },
      commit: () => allowed.promise,
    })
    const allowed = Promise.withResolvers<never>()
    queue.start()
    enqueue(300)
    await vi.waitUntil(() => asked.length >= 256, { timeout: 20_000, interval: 5 })
    queue.refresh()
    await sleep(10)
    // Requests that were on the network when the limit was reached still arrive.
    expect(asked.length).toBeLessThan(256 + 8)
    allowed.reject(new RequestError('rejected', 'a test'))
    await until({ failed: 300 })
    expect(store.jobs.counts().now.queued).toBe(0)
  })

  test('waits for the network while the others fill the memory', async () => {
    const large = new Uint8Array(4 * 2 ** 20)
    const allowed = Promise.withResolvers<never>()
    const { queue, enqueue, until, asked } = world({
      ...{ answer: () => large, settings: { concurrency: 1 }, commit: () => allowed.promise },
    })
    queue.start()
    enqueue(30)
    await vi.waitUntil(() => asked.length >= 24, { timeout: 20_000, interval: 5 })
    queue.refresh()
    await sleep(10)
    expect(asked).toHaveLength(24)
    allowed.reject(new RequestError('rejected', 'a test'))
    await until({ failed: 30 })
  })

  test('that is being stored frees its place on the network, and its connection says that it is storing', async () => {
    let store = (): void => {}
    const allowed = new Promise<void>((resolve) => (store = resolve))
    const { queue, enqueue, until, asked } = world({
      settings: { concurrency: 1 },
      commit: async (task) => {
        await allowed
        return commitHere(task)
      },
    })
    queue.start()
    enqueue(3)
    await vi.waitUntil(() => asked.length === 3, { timeout: 10_000, interval: 5 })
    await vi.waitUntil(() => queue.isStoring('desk'), { timeout: 10_000, interval: 5 })
    expect(queue.isStoring('other')).toBe(false)
    // The start of each download was recorded long before its end.
    await until({ running: 3 })
    store()
    await until({ done: 3 })
  })

  test.each(['cancel', 'pause'] as const)('that was stored wins over the %s of its job', async (action) => {
    const allowed = Promise.withResolvers<void>()
    const { queue, enqueue, until, store, clock } = world({
      commit: async (task) => {
        await allowed.promise
        return commitHere(task)
      },
    })
    queue.start()
    enqueue(2)
    await vi.waitUntil(() => queue.isStoring('desk'), { timeout: 10_000, interval: 5 })
    await until({ running: 2 })
    store.jobs[action](store.jobs.ids({}, 0, 9), clock.nowMs())
    queue.refresh()
    allowed.resolve()
    await vi.waitUntil(() => queue.running().length === 0, { timeout: 10_000, interval: 5 })
    expect(store.files.totals({})).toMatchObject({ files: 2 })
    const jobs = store.jobs.list({}, 0, 9).jobs
    expect(jobs.map(({ state, outcome }) => `${state} ${outcome}`)).toEqual(['done downloaded', 'done downloaded'])
  })

  test('that was listed for a cancelled job is not queued any more', async () => {
    const listing = Promise.withResolvers<FileListing>()
    const { queue, enqueue, store, clock } = world({ files: () => listing.promise })
    queue.start()
    enqueue(1)
    await vi.waitUntil(() => queue.running().length === 1, { timeout: 10_000, interval: 5 })
    const files = [{ period: '2026-08', url: 'https://files.example/X/2026-08' }]
    listing.resolve({ files, missing: [], expiresInMs: null })
    store.jobs.cancel(store.jobs.ids({}, 0, 9), clock.nowMs())
    await vi.waitUntil(() => queue.running().length === 0, { timeout: 10_000, interval: 5 })
    expect(store.jobs.list({}, 0, 9).jobs).toMatchObject([{ period: firstDay, state: 'cancelled' }])
  })

  test('of a connection that changed its service while it came is not stored', async () => {
    let isMoved = false
    const { queue, enqueue, until, store, state } = world({
      answer: (_, period) => {
        if (!isMoved) store.connections.edit(id, { metricsUrl: 'https://b.example' })
        if (!isMoved) queue.refresh()
        isMoved = true
        return dayFile(period)
      },
    })
    const { id } = store.connections.add(fieldsOf('a.example'))
    queue.start()
    enqueue(1, { connectionId: id })
    await until({ done: 1 })
    // The first attempt came from the previous service.
    expect(store.jobs.list({}, 0, 9).jobs[0].attempts).toBe(2)
    expect(state.running).toBe(0)
  })
})
