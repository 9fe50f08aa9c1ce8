import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createApp } from '#core/app.ts'
import { removeFiles } from '#core/cache/makeRoom.ts'
import { createQuotaEnforcer } from '#core/cache/quotaEnforcer.ts'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import type { Store } from '#core/store/store.ts'
import { AppError } from '#shared/contract/errors.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { cachedFile, flowSeries } from '../../fakes/cachedFiles.ts'
import { startScript } from '../../fakes/childProcess.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { addCachedFile, writeCachedFile } from '../../fakes/parquetCache.ts'
import { openTestCache } from '../../fakes/openTestCache.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'

const btc = flowSeries()
const signal = new AbortController().signal
const script = join(import.meta.dirname, '../../fakes/cacheProcess.ts')

function setUp() {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  return { dataDir, store, cache: openTestCache(store, dataDir) }
}

/** Creates `count` files with the same content by copying the first one. */
function fill(dataDir: string, store: Store | null, count: number): void {
  const first = writeCachedFile(dataDir, btc, '2020-01-01')
  const { sizeBytes, sha256, facts } = validateParquet(first)
  const files = Array.from({ length: count }, (_, i) => {
    const period = dayFromNumber(18_262 + i)
    const path = join(dirname(first), `${period}.parquet`)
    if (path !== first) copyFileSync(first, path)
    return { file: cachedFile(btc, period, { sizeBytes, sha256, usedAtMs: i }), facts }
  })
  store?.files.record(files)
}

const listedPeriods = (store: Store) => store.files.page({}, null, 5000).map(({ period }) => period)
const periodsOnDisk = (path: string) => readdirSync(dirname(path)).map((name) => name.replace('.parquet', ''))

describe('making room', () => {
  it('works on a full disk, where only the removal of files makes room for the index to forget them', async () => {
    const { dataDir, store, cache } = setUp()
    fill(dataDir, store, 8)
    store.files.touch(btc, '2020-01-01', 1e6)
    const full = () => {
      throw new AppError('disk-full', 'The folder is /data')
    }
    const flush = vi.spyOn(store.database.writes, 'inTransaction').mockImplementationOnce(full)
    const { forget } = store.files
    const folder = dirname(store.folder.pathOf(btc, '2020-01-01'))
    // The index can be written again once two files are removed.
    const isFull = () => readdirSync(folder).length > 6
    const forgetting = vi
      .spyOn(store.files, 'forget')
      .mockImplementation((files) => (isFull() ? full() : forget(files)))
    expect(await cache.makeRoom(0, { signal })).toMatchObject({ files: 8 })
    expect([flush.mock.calls.length > 0, listedPeriods(store), readdirSync(folder)]).toEqual([true, [], []])
    expect(forgetting.mock.calls.map(([files]) => files.length)).toEqual([8, 1, 2, 6])
  })

  it('says so where files are removed but the index cannot forget them', async () => {
    const { dataDir, store, cache } = setUp()
    fill(dataDir, store, 2)
    vi.spyOn(store.files, 'forget').mockImplementation(() => {
      throw new AppError('disk-full', 'The folder is /data')
    })
    await expect(cache.makeRoom(0, { signal })).rejects.toMatchObject({
      code: 'disk-full',
      detail: expect.stringContaining('2 files were removed but are still in the index') as string,
    })
  })

  it('removes no file for the sake of an index on another disk', async () => {
    const { dataDir, store } = setUp()
    fill(dataDir, store, 2)
    vi.spyOn(store.files, 'forget').mockImplementation(() => {
      throw new AppError('disk-full', 'The folder is /data')
    })
    const { files, folder } = store
    const removal = removeFiles({ files, folder, isOnIndexDisk: () => false }, files.page({}, null, 10))
    await expect(removal).rejects.toMatchObject({ code: 'disk-full' })
    expect(periodsOnDisk(folder.pathOf(btc, '2020-01-01'))).toHaveLength(2)
  })

  it('removes the least recently used files, no more than needed, and never pinned or awaited ones', async () => {
    const { dataDir, store, cache } = setUp()
    fill(dataDir, store, 8)
    const [{ sizeBytes }] = store.files.page({}, null, 1)
    store.cacheUse.setPinned({ endDay: 18_263 }, true)
    store.jobs.add(store.jobs.newBatch('b', 1), [{ series: btc, period: '2020-01-02', refresh: true }], {
      priority: 0,
      nowMs: 1,
    })
    store.files.touch(btc, '2020-01-03', 1e6)
    const names: string[] = []
    const preview = await cache.previewRoom(4.5 * sizeBytes, {
      signal,
      onBatch: (batch) => names.push(...batch.map(({ period }) => period)),
    })
    expect(preview).toEqual({ files: 4, sizeBytes: 4 * sizeBytes })
    expect(names).toEqual(['2020-01-04', '2020-01-05', '2020-01-06', '2020-01-07'])
    expect(store.files.totals({}).files).toBe(8)

    expect(await cache.makeRoom(4.5 * sizeBytes, { signal })).toEqual(preview)
    const left = ['2020-01-01', '2020-01-02', '2020-01-03', '2020-01-08']
    expect(listedPeriods(store)).toEqual(left)
    expect(periodsOnDisk(store.folder.pathOf(btc, '2020-01-01')).sort()).toEqual(left)
    expect(await cache.makeRoom(0, { signal })).toMatchObject({ files: 2 })
    expect(await cache.makeRoom(0, { signal })).toEqual({ files: 0, sizeBytes: 0 })
  })

  it('counts parts of transfers, removes first those that nobody waits for, and never one that is awaited', async () => {
    const { dataDir, store, cache } = setUp()
    fill(dataDir, store, 4)
    const [{ sizeBytes }] = store.files.page({}, null, 1)
    const leavePart = (period: string, isRecorded: boolean, isOld: boolean) => {
      if (isRecorded) store.parts.begin(btc, period, '"1"', 1)
      const path = store.parts.pathOf(btc, period)
      writeFileSync(path, new Uint8Array(sizeBytes))
      if (isOld) utimesSync(path, 1, 1)
      return path
    }
    const awaited = leavePart('2020-02-01', true, true)
    store.jobs.add(store.jobs.newBatch('b', 1), [{ series: btc, period: '2020-02-01', refresh: false }], {
      priority: 0,
      nowMs: 1,
    })
    const idle = leavePart('2020-02-02', true, false)
    const unknown = leavePart('2020-02-03', false, true)
    const justWritten = leavePart('2020-02-04', false, false)
    const computed = leavePart('2020-02-05', false, true).replace('.part', '.123.part')
    renameSync(store.parts.pathOf(btc, '2020-02-05'), computed)
    expect(cache.usedSpace()).toEqual({ files: 4, sizeBytes: 6 * sizeBytes })

    // In the background, room is made without a search of the disk, so the file that the index does not list stays.
    expect(await cache.makeRoom(4.5 * sizeBytes, { signal })).toEqual({ files: 2, sizeBytes: 2 * sizeBytes })
    expect([existsSync(idle), existsSync(unknown), listedPeriods(store).length]).toEqual([false, true, 3])

    const preview = await cache.previewRoom(2.5 * sizeBytes, { signal, searchDisk: true })
    expect(preview).toEqual({ files: 4, sizeBytes: 4 * sizeBytes })
    expect(await cache.makeRoom(2.5 * sizeBytes, { signal, searchDisk: true })).toEqual(preview)
    expect([existsSync(unknown), existsSync(computed), listedPeriods(store).length]).toEqual([false, false, 1])
    expect([existsSync(awaited), existsSync(justWritten)]).toEqual([true, true])
    await cache.makeRoom(0, { signal, searchDisk: true })
    expect([existsSync(awaited), existsSync(justWritten), listedPeriods(store).length]).toEqual([true, true, 0])
  })

  it('killed on the way leaves no row without a file; a repair makes index and folder agree', async () => {
    const { dataDir, store } = setUp()
    fill(dataDir, store, 2500)
    store.cacheUse.setPinned({ endDay: 18_262 + 10 }, true)
    const { child, says } = startScript(script, [dataDir, 'prune'])
    await says('at work')
    child.kill('SIGKILL')
    await new Promise((resolve) =>
      child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(0),
    )

    const path = store.folder.pathOf(btc, '2020-01-01')
    const listed = listedPeriods(store)
    const onDisk = new Set(periodsOnDisk(path))
    expect(listed.length).toBeLessThan(2500)
    expect(listed.filter((period) => !onDisk.has(period))).toEqual([])
    expect(listed.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, i) => dayFromNumber(18_262 + i)))

    const second = startScript(script, [dataDir, 'repair'])
    await second.says('finished')
    expect(listedPeriods(store).sort()).toEqual(periodsOnDisk(path).sort())
  })

  it('a repair killed on the way is finished by the next one', async () => {
    const { dataDir, store, cache } = setUp()
    fill(dataDir, null, 800)
    const damaged = store.folder.pathOf(btc, '2022-03-10')
    const { child, says } = startScript(script, [dataDir, 'repair'])
    await says('at work')
    child.kill('SIGKILL')
    await new Promise((resolve) =>
      child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(0),
    )
    const report = await cache.verify({ repair: true, signal, onProgress: () => {} })
    expect(report.broken).toBe(report.repaired)
    expect(store.files.totals({}).files).toBe(800)
    expect(existsSync(damaged)).toBe(true)
    expect(await cache.verify({ repair: false, signal, onProgress: () => {} })).toMatchObject({ broken: 0 })
  })

  it('two processes at once remove what is needed and trip over nothing', async () => {
    const { dataDir, store } = setUp()
    fill(dataDir, store, 1200)
    const processes = [startScript(script, [dataDir, 'prune']), startScript(script, [dataDir, 'prune'])]
    await Promise.all(processes.map(({ says }) => says('finished')))
    expect(store.files.totals({})).toEqual({ files: 0, sizeBytes: 0 })
    expect(periodsOnDisk(store.folder.pathOf(btc, '2020-01-01'))).toEqual([])
  })
})

describe('a connection’s data', () => {
  it('goes as a whole, pinned or not, and no other connection’s', async () => {
    const { dataDir, store, cache } = setUp()
    const other = flowSeries({ connectionId: 'other' })
    for (const series of [btc, other]) addCachedFile(store, dataDir, series, '2026-08-01')
    store.cacheUse.setPinned({}, true)
    mkdirSync(join(dataDir, 'quarantine', 'sandbox'), { recursive: true })
    expect(await cache.removeConnection('sandbox', { signal })).toMatchObject({ files: 1 })
    expect(store.cacheUse.usage('connection', {})).toMatchObject([{ name: 'other', files: 1, pinned: 1 }])
    expect(readdirSync(join(dataDir, 'files'))).toEqual(['other'])
    expect(existsSync(join(dataDir, 'quarantine', 'sandbox'))).toBe(false)
  })

  it('stays while downloads of it are not finished', async () => {
    const { store, cache } = setUp()
    store.jobs.add(store.jobs.newBatch('b', 1), [{ series: btc, period: '2020-01-02', refresh: true }], {
      priority: 0,
      nowMs: 1,
    })
    await expect(cache.removeConnection('sandbox', { signal })).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('the limit of the settings', () => {
  it('is kept when it is set', async () => {
    const dataDir = dataFolder()
    const store = openTestStore(dataDir)
    fill(dataDir, store, 5)
    const app = createApp(fakePorts(), { version: '1', dataDir })
    const client = app.clientFor(fakeHost())
    const removed = new Promise((resolve) => client.on('cache.changed', resolve))
    await client.call('settings.change', { cacheLimitGb: 1e-9 })
    await removed
    expect(await client.call('cache.usage', { by: 'connection' })).toEqual({
      rows: [],
      total: { files: 0, sizeBytes: 0 },
    })
    await app.close()
  })

  it('is enforced once in a while as files arrive, and a failure is logged', async () => {
    const clock = fakeClock()
    const log = fakeLog()
    const makeRoom = vi.fn(() => Promise.reject(new Error('the disk is gone')))
    const enforcer = createQuotaEnforcer({ limitBytes: () => 1, makeRoom, clock, log, onRemoved: () => {} })
    enforcer.enforceOccasionally()
    await vi.waitFor(() => expect(makeRoom).toHaveBeenCalledTimes(1))
    enforcer.enforceOccasionally()
    clock.advance(60_000)
    await vi.waitFor(() => {
      enforcer.enforceOccasionally()
      expect(makeRoom).toHaveBeenCalledTimes(2)
    })
    await enforcer.stop()
    expect(JSON.stringify(log)).toContain('the disk is gone')
  })
})
