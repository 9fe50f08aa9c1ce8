import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import type { HttpClient, OpenResponse } from '#core/clients/http.ts'
import { RequestError } from '#core/clients/httpErrors.ts'
import { createRefusals, ServicePausedError } from '#core/downloads/retryPolicy.ts'
import type { PeriodListing, SignedUrls } from '#core/downloads/signedUrls.ts'
import { createOrphanFiles, runTransferJob, type TransferJobDeps } from '#core/downloads/transferJob.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import { validateParquet, writeCommit } from '#core/downloads/verifyFile.ts'
import type { SharedStore } from '#core/sharedStore/sharedStores.ts'
import type { StoreCopy } from '#core/sharedStore/storeCatalog.ts'
import { commitPart, PART_SUFFIX } from '#core/store/cacheFolder.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Job } from '#core/store/jobTable.ts'
import { cachedFile, flowSeries, minuteFacts } from '../../fakes/cachedFiles.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const series = flowSeries({ interval: '1h' })
const period = '2026-08-31'
const startMs = Date.UTC(2026, 7, 31)
const hourMs = 3_600_000

/** Returns a file with the first `hours` hours of the day. */
const dayFile = (hours = 24, value = 1) =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        {
          name: 'time',
          type: 'INT64',
          data: BigInt64Array.from({ length: hours }, (_, i) => BigInt(startMs + i * hourMs)),
        },
        { name: 'value', type: 'DOUBLE', data: new Float64Array(hours).fill(value) },
      ],
    }),
  )

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const responseOf = (bytes: Uint8Array, etag = '"v1"'): OpenResponse => ({
  status: 200,
  headers: { get: (name) => ({ etag, 'content-length': String(bytes.length) })[name] ?? null },

  body: (async function* () {
    yield bytes.slice()
  })(),
  cancel: () => Promise.resolve(),
})

/** Creates a pool that does in this thread the work of threads and guarded processes. */
function poolHere(): ValidationPool {
  return {
    async commit(task) {
      writeCommit(task)
      const validated = validateParquet(task.path + PART_SUFFIX, task)
      commitPart(task.path, task.root)
      return validated
    },

    validate: async (path, _signal, deep = false, limits = {}) => validateParquet(path, { deep, ...limits }),
    validateAll: () => Promise.reject(new Error('only a check of the cache needs it')),
    checkTable: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

interface World {
  /** Responses to consecutive requests; an error rejects the request. */
  responses?: (Uint8Array | Error)[]
  /** Listings of the service, one per request; by default a link to the file. */
  offers?: PeriodListing[]
  store?: SharedStore
  nowMs?: number
  pool?: Partial<ValidationPool>
  pause?: { error: AppError; untilMs: number } | null
}

function world({ responses = [dayFile()], offers, store: sharedStore, nowMs, pool, pause = null }: World = {}) {
  const store = openTestStore()
  const clock = fakeClock(nowMs)
  const requestedUrls: string[] = []
  const http: Pick<HttpClient, 'open'> = {
    open({ url }) {
      requestedUrls.push(url)
      const next = responses.shift() ?? new AppError('internal', 'an unexpected request')
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(responseOf(next))
    },
  }
  let listings = 0
  const urls: Pick<SignedUrls, 'find'> = {
    find(_series, _period, renew) {
      listings++
      return Promise.resolve(
        offers?.shift() ?? { kind: 'url', url: renew ? 'https://new.example/1' : 'https://a.example/1' },
      )
    },
  }
  const deps: TransferJobDeps = {
    ...{
      files: store.files,
      unavailable: store.unavailable,
      folder: store.folder,
      parts: store.parts,
      kept: store.kept,
    },
    ...{ http, clock, throttle: () => null, refusals: createRefusals(store.unavailable) },
    urls: urls as SignedUrls,
    pool: { ...poolHere(), ...pool },
    orphanFiles: createOrphanFiles(store.folder),
    stores: { storeOf: () => sharedStore ?? null, open: () => sharedStore!.files },
    pauses: { shortPause: () => pause },
  }
  const path = store.folder.pathOf(series, period)
  const stages: string[] = []
  const run = (changes: Partial<Job> = {}, signal = new AbortController().signal) =>
    runTransferJob(deps, { series, period, refresh: false, storeOnly: false, createdAtMs: 5, ...changes } as Job, {
      signal,
      onBytes: (done, total) => void stages.push(`${done}/${total}`),
      onReceived: () => void stages.push('received'),
      onStoreProblem: () => undefined,
    })
  /** Writes a file where a download would, with or without its row in the index. */
  function place(bytes: Uint8Array, row: Partial<CachedFile> | null = {}): void {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    const file = cachedFile(series, period, { sha256: sha256Of(bytes), sizeBytes: bytes.length, ...row })
    if (row) store.files.record([{ file, facts: minuteFacts }])
  }
  return { store, clock, path, run, place, asked: requestedUrls, stages, listed: () => listings }
}

const failureOf = (running: Promise<unknown>) =>
  running.then(
    () => null,
    (thrown: AppError) => ({ code: thrown.code, detail: thrown.detail }),
  )

describe('a file of the service', () => {
  test('is validated, put in its place, and told with what was found in it', async () => {
    const { run, path, stages, clock } = world()
    const bytes = dayFile()
    const result = await run()
    expect(result).toMatchObject({ outcome: 'downloaded', otherPeriods: [], storeProblem: null })
    expect(result.file).toMatchObject({
      file: {
        ...{
          series,
          period,
          state: 'final',
          origin: 'service',
          etag: '"v1"',
          pinned: false,
          changedUpstreamAtMs: null,
        },
        ...{ startDay: dayNumberOf(period), endDay: dayNumberOf(period) + 1 },
        ...{ sizeBytes: bytes.length, sha256: sha256Of(bytes), fetchedAtMs: clock.nowMs(), usedAtMs: clock.nowMs() },
      },
      facts: { rows: 24, firstTimeMs: startMs },
    })
    expect(readFileSync(path)).toEqual(Buffer.from(bytes))
    expect(stages).toEqual([`0/${bytes.length}`, `${bytes.length}/${bytes.length}`, 'received'])
  })

  test('that is here is not asked for, unless it is asked for again', async () => {
    const bytes = dayFile()
    const { run, place, asked } = world({ responses: [bytes] })
    place(bytes)
    expect(await run()).toMatchObject({ outcome: 'already here', file: null, otherPeriods: [] })
    expect(asked).toEqual([])
    expect(await run({ refresh: true })).toMatchObject({ outcome: 'unchanged' })
  })

  test('that changed at the service is reported, keeps its pin, and leaves its bytes where a replay finds them', async () => {
    const { run, place, clock, store } = world({ responses: [dayFile(24, 2)] })
    place(dayFile(), { pinned: true, usedAtMs: 77 })
    expect(await run({ refresh: true })).toMatchObject({
      outcome: 'changed upstream',
      file: { file: { pinned: true, usedAtMs: 77, changedUpstreamAtMs: clock.nowMs() } },
    })
    expect(readFileSync(store.kept.pathOf(sha256Of(dayFile())))).toEqual(Buffer.from(dayFile()))
  })

  test('that was not pinned leaves no bytes', async () => {
    const { run, place, store } = world({ responses: [dayFile(24, 2)] })
    place(dayFile(), { changedUpstreamAtMs: 3 })
    await run({ refresh: true })
    expect(existsSync(store.kept.pathOf(sha256Of(dayFile())))).toBe(false)
  })

  test('of which there was only a part is downloaded, not changed', async () => {
    const { run, place } = world()
    place(dayFile(10), { state: 'partial', changedUpstreamAtMs: 3 })
    expect(await run()).toMatchObject({
      outcome: 'downloaded',
      file: { file: { state: 'final', changedUpstreamAtMs: 3 } },
    })
  })

  test.each([
    ['before its day is over', 24, -1, 'partial'],
    ['with its last hour just after its day', 24, 0, 'final'],
    ['without its last hour after its day', 23, 0, 'partial'],
    ['without its last hour almost a day later', 23, 24 * hourMs - 1, 'partial'],
    ['without its last hour a day later', 23, 24 * hourMs, 'final'],
    ['without any row after its day', 0, 0, 'partial'],
  ])('%s is final or partial', async (_, hours, lateMs, state) => {
    const { run } = world({ responses: [dayFile(hours)], nowMs: startMs + 24 * hourMs + lateMs })
    expect((await run()).file?.file.state).toBe(state)
  })

  test('that the service does not have is absent, and remembered', async () => {
    const { run, store, clock } = world({ offers: [{ kind: 'absent' }] })
    expect(await run()).toMatchObject({ outcome: 'absent', file: null, otherPeriods: [] })
    const day = dayNumberOf(period)
    expect(store.unavailable.absentPeriods(series, day, day + 1)).toEqual([{ period, seenAtMs: clock.nowMs() }])
  })

  test('that the service has as other periods is replaced by them', async () => {
    const { run } = world({ offers: [{ kind: 'other periods', periods: ['2026-08'] }] })
    expect(await run()).toMatchObject({ outcome: 'listed otherwise', file: null, otherPeriods: ['2026-08'] })
  })

  test('of no period is refused', async () => {
    expect(await failureOf(world().run({ period: 'soon' }))).toEqual({
      code: 'bad-input',
      detail: '“soon” is not a period',
    })
  })
})

describe('a link', () => {
  const refused = () =>
    new RequestError('forbidden', 'GET', { service: { message: 'expired', status: 403, requestId: null } })

  test('that is refused is renewed once', async () => {
    const { run, asked } = world({ responses: [refused(), dayFile()] })
    expect(await run()).toMatchObject({ outcome: 'downloaded' })
    expect(asked).toEqual(['https://a.example/1', 'https://new.example/1'])
  })

  test('that is refused twice fails with its period, and locks nothing', async () => {
    const { run, listed } = world({ responses: [refused(), refused()] })
    await expect(run()).rejects.toMatchObject({
      code: 'rejected',
      detail: `The download link for ${period} was refused, and so was a new one.`,
      service: { message: 'expired' },
    })
    expect(listed()).toBe(2)
  })

  test('that fails otherwise is not renewed', async () => {
    const { run, listed } = world({ responses: [new RequestError('service', 'GET')] })
    expect(await failureOf(run())).toMatchObject({ code: 'service' })
    expect(listed()).toBe(1)
  })
})

describe('a refusal of the dataset', () => {
  const refusal = {
    connectionId: series.connectionId,
    kind: series.kind,
    dataset: series.dataset,
    interval: '',
    message: 'Tier 1',
    atMs: 10,
  }

  test('answers the jobs that were queued before it, and nothing is asked', async () => {
    const { run, store, listed } = world()
    store.unavailable.recordRefusal(refusal)
    expect(await failureOf(run({ createdAtMs: 10 }))).toMatchObject({ code: 'forbidden' })
    expect(listed()).toBe(0)
  })

  test('is forgotten when a later job gets its file', async () => {
    const { run, store } = world()
    store.unavailable.recordRefusal(refusal)
    expect(await run({ createdAtMs: 11 })).toMatchObject({ outcome: 'downloaded' })
    expect(store.unavailable.refusals(series.connectionId)).toEqual([])
  })
})

describe('a damaged download', () => {
  test('is reported as the answer of the service, and leaves nothing', async () => {
    const { run, path } = world({ responses: [Buffer.from('<html>not today</html>')] })
    expect(await failureOf(run())).toEqual({
      code: 'bad-answer',
      detail: `The downloaded file for ${period} cannot be used: this is not a Parquet file.`,
    })
    expect(readdirSync(dirname(path))).toEqual([])
  })

  test('with rows of another day is one', async () => {
    const { run } = world()
    expect(await failureOf(run({ period: '2026-08-30' }))).toMatchObject({
      code: 'bad-answer',
      detail: expect.stringContaining('none of its rows is in its period') as string,
    })
  })

  test('is none if this machine could not store it', async () => {
    const { run } = world({ pool: { commit: () => Promise.reject(new AppError('disk-full', 'The folder is full')) } })
    expect(await failureOf(run())).toEqual({ code: 'disk-full', detail: 'The folder is full' })
  })
})

describe('a file without a row, left by a program that ended', () => {
  test('is taken as it is', async () => {
    const { run, place, asked } = world()
    place(dayFile(), null)
    expect(await run()).toMatchObject({ outcome: 'downloaded', file: { file: { state: 'final', etag: null } } })
    expect(asked).toEqual([])
  })

  test.each([
    ['incomplete', dayFile(10), {}, startMs + 25 * hourMs],
    ['damaged', dayFile().subarray(0, 300), {}, undefined],
    ['asked for again', dayFile(), { refresh: true }, undefined],
  ])('is downloaded if it is %s', async (_, bytes, job, nowMs) => {
    const { run, place, asked } = world({ nowMs })
    place(bytes, null)
    expect(await run(job)).toMatchObject({ outcome: 'downloaded', file: { file: { etag: '"v1"' } } })
    expect(asked).toHaveLength(1)
  })

  test('fails its job if this machine cannot read it', async () => {
    const { run, place } = world({ pool: { validate: () => Promise.reject(new AppError('read-only', 'No entry')) } })
    place(dayFile(), null)
    expect(await failureOf(run())).toEqual({ code: 'read-only', detail: 'No entry' })
  })

  test('that is gone again is downloaded', async () => {
    const { run, place, path, asked } = world({ responses: [new AppError('network'), dayFile()] })
    place(dayFile(), null)
    const away = join(dirname(path), 'away')
    const first = run({ period: '2026-08-30' }).catch(() => null)
    renameSync(path, away)
    await first
    expect(await run()).toMatchObject({ outcome: 'downloaded' })
    expect(asked).toHaveLength(2)
  })
})

describe('a shared store', () => {
  const location = '/mnt/team'
  const bytes = dayFile()
  const copyOf = (changes: Partial<StoreCopy> = {}): StoreCopy => ({
    ...{ path: 'day.parquet', sizeBytes: bytes.length, sha256: sha256Of(bytes) },
    ...changes,
  })

  /** Creates a store with these copies, each with the bytes that it really has. */
  function storeOf(copies: [StoreCopy, Uint8Array | AppError][], { trouble }: { trouble?: AppError } = {}) {
    const noted: string[] = []
    const store = {
      location,
      isLocal: true,
      files: {
        read: async (path: string) => {
          const content = copies.find(([copy]) => copy.path === path)![1]
          if (content instanceof AppError) throw content

          return (async function* () {
            yield content.slice(0, 100)
            yield content.slice(100)
          })()
        },
      },
      catalog: {
        find: () => (trouble ? Promise.reject(trouble) : Promise.resolve(copies.map(([copy]) => copy))),
      },
      trouble: () => null,
      noteSuccess: () => void noted.push('success'),
      noteTrouble: (thrown: AppError) => {
        noted.push('trouble')
        return thrown
      },
    } as unknown as SharedStore
    return { store, noted }
  }

  test('is copied from first, and its copy is final', async () => {
    const { store, noted } = storeOf([[copyOf(), bytes]])
    const { run, path, asked, stages } = world({ store, nowMs: startMs + 20 * hourMs })
    expect(await run()).toMatchObject({
      outcome: 'copied',
      store: location,
      file: { file: { state: 'final', etag: null, sha256: sha256Of(bytes) } },
    })
    expect(readFileSync(path)).toEqual(Buffer.from(bytes))
    expect([asked, noted]).toEqual([[], ['success']])
    expect(stages).toEqual([`0/${bytes.length}`, `100/${bytes.length}`, `${bytes.length}/${bytes.length}`, 'received'])
  })

  test('is not used for a file that is asked for again', async () => {
    const { run, asked } = world({ store: storeOf([[copyOf(), bytes]]).store })
    expect(await run({ refresh: true })).toMatchObject({ outcome: 'downloaded' })
    expect(asked).toHaveLength(1)
  })

  test('without the file leaves it to the service', async () => {
    const { store, noted } = storeOf([])
    const { run } = world({ store })
    expect(await run()).toMatchObject({ outcome: 'downloaded', storeProblem: null })
    expect(noted).toEqual(['success'])
  })

  const damaged = `The store ${location} has a damaged file, day.parquet: `

  test.each([
    ['other bytes', copyOf(), dayFile(24, 2), 'its SHA-256 differs from the one it had when it was published'],
    ['fewer bytes', copyOf(), bytes.subarray(0, 200), `it has 200 bytes instead of ${bytes.length}`],
    ['no Parquet', copyOf({ sizeBytes: 150, sha256: null }), Buffer.alloc(150), 'this is not a Parquet file'],
    ['a size beyond any file', copyOf({ sizeBytes: 2e9 }), bytes, 'it has 2000000000 bytes'],
  ])('with a copy of %s is reported, and the service is used', async (_, copy, content, why) => {
    const { store, noted } = storeOf([[copy, content]])
    const { run, path } = world({ store })
    expect(await run()).toMatchObject({ outcome: 'downloaded', storeProblem: damaged + why })
    expect(readFileSync(path)).toEqual(Buffer.from(bytes))
    expect(noted).toEqual(['success'])
  })

  test('with several copies uses the first whole one, and reports the damaged one before it', async () => {
    const { store } = storeOf([
      [copyOf({ path: 'gone.parquet' }), new AppError('not-found')],
      [copyOf(), dayFile(24, 2)],
      [copyOf({ path: 'whole.parquet', sha256: sha256Of(bytes).slice(0, 16) }), bytes],
    ])
    const { run, asked } = world({ store })
    expect(await run()).toMatchObject({ outcome: 'copied' })
    expect(asked).toEqual([])
  })

  test('whose copy is gone meanwhile is not reported', async () => {
    const { run } = world({ store: storeOf([[copyOf(), new AppError('not-found')]]).store })
    expect(await run()).toMatchObject({ outcome: 'downloaded', storeProblem: null })
  })

  test('that cannot be used is reported, and the service is used', async () => {
    const { store, noted } = storeOf([], { trouble: new AppError('network', 'It is not mounted.') })
    const { run } = world({ store })
    const storeProblem = `The store ${location} could not be used: It is not mounted`
    expect(await run()).toMatchObject({ outcome: 'downloaded', storeProblem })
    expect(noted).toEqual(['trouble'])
  })

  test('is copied from while the service is paused, which is not asked for what the store lacks', async () => {
    const pause = { error: new RequestError('service', 'GET: 500'), untilMs: startMs + 90_000 }
    const copied = world({ store: storeOf([[copyOf(), bytes]]).store, pause })
    expect(await copied.run()).toMatchObject({ outcome: 'copied' })
    const lacking = world({ store: storeOf([[copyOf(), dayFile(24, 2)]]).store, pause })
    const failure = await lacking.run().catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(ServicePausedError)
    expect(failure).toMatchObject({ code: 'service', untilMs: startMs + 90_000 })
    expect((failure as AppError).detail).toContain(damaged)
    expect([copied, lacking].flatMap(({ asked }) => asked)).toEqual([])
  })

  test('says with the failure of the service that it could not be used either', async () => {
    const trouble = new AppError('network', `The store ${location} is not mounted.`)
    const failing = (error: AppError) => world({ store: storeOf([], { trouble }).store, responses: [error] }).run()
    await expect(failing(new RequestError('service', 'GET: 500.'))).rejects.toMatchObject({
      code: 'service',
      detail: `GET: 500. The store ${location} is not mounted`,
    })
    const withoutDetail = await failing(new AppError('offline')).catch((thrown: AppError) => thrown)
    expect(withoutDetail).toMatchObject({ code: 'offline', detail: `The store ${location} is not mounted` })
    expect((withoutDetail as AppError).message).toContain('is not mounted')
    // The error keeps its class, which decides how the app reacts to it.
    expect(await failing(new RequestError('service', 'GET')).catch((thrown: unknown) => thrown)).toBeInstanceOf(
      RequestError,
    )
  })

  test('that alone is asked fails at once for what it lacks', async () => {
    const only = { storeOnly: true }
    const lacking = world({ store: storeOf([]).store })
    expect(await failureOf(lacking.run(only))).toEqual({
      code: 'not-here',
      detail: `The store ${location} does not have this file.`,
    })
    const withDamagedCopy = world({ store: storeOf([[copyOf(), bytes.subarray(0, 200)]]).store })
    expect(await failureOf(withDamagedCopy.run(only))).toMatchObject({
      code: 'not-here',
      detail: expect.stringContaining(damaged) as string,
    })
    const without = world()
    expect(await failureOf(without.run(only))).toEqual({ code: 'not-here', detail: null })
    expect([lacking, withDamagedCopy, without].flatMap(({ asked }) => asked)).toEqual([])
  })

  test('is not left for the service if this machine cannot store anything', async () => {
    const full = new AppError('disk-full', 'The folder is full')
    const { store, noted } = storeOf([[copyOf(), bytes]])
    const { run, asked } = world({ store, pool: { commit: () => Promise.reject(full) } })
    expect(await failureOf(run())).toEqual({ code: 'disk-full', detail: 'The folder is full' })
    expect([asked, noted]).toEqual([[], []])
  })

  test('is not left for the service if the job was cancelled', async () => {
    const { store, noted } = storeOf([[copyOf(), new AppError('network')]])
    const { run, asked } = world({ store })
    const controller = new AbortController()
    controller.abort()
    expect(await failureOf(run({}, controller.signal))).toMatchObject({ code: 'network' })
    expect([asked, noted]).toEqual([[], []])
  })
})
