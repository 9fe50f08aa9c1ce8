import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { indexFile, addCachedFile, writeCachedFile } from '../../fakes/parquetCache.ts'
import { openTestCache } from '../../fakes/openTestCache.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'

function setUp() {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const cache = openTestCache(store, dataDir)
  const look = (repair: boolean, deep = false) =>
    cache.verify({ repair, deep, signal: new AbortController().signal, onProgress: () => {} })
  return { dataDir, store, cache, look }
}

const btc = flowSeries()
const dragon = flowSeries({ symbol: 'perpetual-龙ai-USDT:USDT', dataset: 'range', interval: '1h' })

describe('verify', () => {
  it('finds nothing wrong with a whole cache', async () => {
    const { dataDir, store, look } = setUp()
    addCachedFile(store, dataDir, btc, '2026-07')
    addCachedFile(store, dataDir, dragon, '2026-08-03')
    expect(await look(false)).toMatchObject({ files: 2, broken: 0, harmless: 0, problems: [] })
  })

  it('tells apart what is gone, damaged, unknown, left over and foreign, and takes in only what is whole', async () => {
    const { dataDir, store, look } = setUp()
    rmSync(addCachedFile(store, dataDir, btc, '2026-07'))
    const flipped = addCachedFile(store, dataDir, btc, '2026-08-01')
    const bytes = readFileSync(flipped)
    bytes[Math.floor(bytes.length / 3)] ^= 1
    writeFileSync(flipped, bytes)
    writeFileSync(addCachedFile(store, dataDir, btc, '2026-08-02'), 'PAR1')
    writeCachedFile(dataDir, dragon, '2026-08-03')
    const cut = writeCachedFile(dataDir, dragon, '2026-08-04')
    writeFileSync(cut, readFileSync(cut).subarray(0, 100))
    const part = `${store.folder.pathOf(btc, '2026-08-05')}.part`
    writeFileSync(part, 'half')
    utimesSync(part, 1, 1)
    writeFileSync(
      `${store.folder.pathOf(btc, '2026-08-06')}.part`,
      'running: its time of change is after the clock’s day ago',
    )
    writeFileSync(join(dirname(part), 'notes.txt'), 'mine')

    const report = await look(false)
    const kinds = Object.groupBy(report.problems, ({ kind }) => kind)
    expect(Object.fromEntries(Object.entries(kinds).map(([kind, list]) => [kind, list?.length]))).toEqual({
      gone: 1,
      damaged: 3,
      unlisted: 1,
      leftover: 1,
      foreign: 1,
    })
    expect(report).toMatchObject({ files: 4, broken: 4, repaired: 0, takenIn: 1, harmless: 2, more: 0 })
    expect(store.files.find(dragon, '2026-08-03')).toMatchObject({ state: 'final' })
    expect(report.problems.find(({ kind }) => kind === 'unlisted')?.path).toContain('%E9%BE%99')
    const again = await look(false)
    expect(again).toMatchObject({ files: 4, broken: 4, takenIn: 0, harmless: 2 })
  })

  it('finds values that came damaged only when it reads them all, and puts the file aside', async () => {
    const { dataDir, store, look } = setUp()
    addCachedFile(store, dataDir, btc, '2026-07')
    const path = writeCachedFile(dataDir, btc, '2026-08-01')
    const bytes = readFileSync(path)
    using file = new ParquetFile(path, { remember: false })
    const { data_page_offset: at, total_compressed_size: size } = file.rowGroups[0].chunks[file.indexOf('value')]
    // The header of the page stays whole, so that only reading its values finds the damage.
    const end = Number(at) + Number(size)
    writeFileSync(path, bytes.fill(0xff, end - 20, end))
    indexFile(store, dataDir, btc, '2026-08-01', { deep: false })

    expect(await look(false)).toMatchObject({ broken: 0 })
    const report = await look(false, true)
    expect(report).toMatchObject({ broken: 1, problems: [{ kind: 'damaged' }] })
    expect(report.problems[0].message).toMatch(/^Column value cannot be read/)
    expect(await look(true, true)).toMatchObject({ broken: 1, repaired: 1 })
    expect(store.files.find(btc, '2026-08-01')).toBeUndefined()
    expect(existsSync(path)).toBe(false)
    expect(await look(false, true)).toMatchObject({ files: 1, broken: 0 })
  })

  it('is patient with a file that a job is about to index', async () => {
    const { dataDir, store, look } = setUp()
    writeCachedFile(dataDir, btc, '2026-08-01')
    store.jobs.add(store.jobs.newBatch('b', 1), [{ series: btc, period: '2026-08-01', refresh: false }], {
      priority: 0,
      nowMs: 1,
    })
    expect(await look(false)).toMatchObject({ broken: 0, problems: [] })
  })

  it('stops when it is cancelled', async () => {
    const { dataDir, store, cache } = setUp()
    addCachedFile(store, dataDir, btc, '2026-07')
    const controller = new AbortController()
    const running = cache.verify({
      repair: false,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    })
    await expect(running).rejects.toThrow(/abort/)
  })
})

describe('repair', () => {
  it('sets right what verify found; nothing is lost and what is not ours stays', async () => {
    const { dataDir, store, look } = setUp()
    rmSync(addCachedFile(store, dataDir, btc, '2026-07'))
    const damaged = addCachedFile(store, dataDir, btc, '2026-08-02')
    writeFileSync(damaged, 'not a Parquet file at all')
    const unlisted = writeCachedFile(dataDir, dragon, '2026-08-03')
    const part = `${store.folder.pathOf(btc, '2026-08-05')}.part`
    writeFileSync(part, 'half')
    utimesSync(part, 1, 1)
    const note = join(dirname(part), 'notes.txt')
    writeFileSync(note, 'mine')

    expect(await look(true)).toMatchObject({ broken: 2, repaired: 2, takenIn: 1, harmless: 2 })
    expect(await look(false)).toMatchObject({ files: 1, broken: 0, harmless: 1 })
    expect([damaged, part, unlisted, note].map(existsSync)).toEqual([false, false, true, true])
    const aside = join(dataDir, 'quarantine', 'sandbox', damaged.split('/files/sandbox/')[1])
    expect(readFileSync(aside, 'utf8')).toBe('not a Parquet file at all')
    expect(store.files.find(btc, '2026-07')).toBeUndefined()
  })

  it('keeps a second damaged file of the same name beside the first', async () => {
    const { dataDir, look } = setUp()
    for (const content of ['first', 'second']) {
      const path = writeCachedFile(dataDir, btc, '2026-08-02')
      writeFileSync(path, content)
      await look(true)
    }
    const folder = join(dataDir, 'quarantine', 'sandbox', 'metrics/dataset=flow/exchange=venuea-futures')
    const series = join(folder, 'symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange')
    expect(readFileSync(join(series, '2026-08-02.parquet'), 'utf8')).toBe('first')
    expect(readFileSync(join(series, '2026-08-02.2.parquet'), 'utf8')).toBe('second')
  })

  it('makes the index anew from the folder alone', async () => {
    const before = setUp()
    const trades = { ...flowSeries(), kind: 'raw' as const, dataset: 'trades', interval: '', timestamp: '' }
    for (const series of [btc, dragon, flowSeries({ interval: '90m', connectionId: computedOwner('sandbox') })]) {
      for (const period of ['2026-07', '2026-08-01', '2026-08-02'])
        addCachedFile(before.store, before.dataDir, series, period)
    }
    addCachedFile(before.store, before.dataDir, trades, '2026-08-01', [
      { name: 'exchange_timestamp', type: 'TIMESTAMP', data: [new Date('2026-08-01T01:00:00Z')] },
    ])
    const whole = before.store.files.page({}, null, 100)

    const { dataDir, store, look } = setUp()
    cpSync(join(before.dataDir, 'files'), join(dataDir, 'files'), { recursive: true, preserveTimestamps: true })
    await look(true)
    const again = whole.map(({ series, period }) => store.files.find(series, period))
    expect(again.map((file) => [file?.sha256, file?.sizeBytes])).toEqual(
      whole.map((file) => [file.sha256, file.sizeBytes]),
    )
    expect(again.map((file) => file?.state)).toEqual(whole.map(() => 'final'))
    expect(again.map((file) => file?.origin)).toEqual(
      whole.map(({ series }) =>
        series.kind === 'raw' ? 'import' : series.interval === '90m' ? 'computed' : 'service',
      ),
    )
    expect(again.map((file) => file && store.files.facts(file.series, file.period))).toEqual(
      whole.map((file) => before.store.files.facts(file.series, file.period)),
    )
  })

  it('treats a file that ends early as partial, so that it is fetched again', async () => {
    const { dataDir, store, look } = setUp()
    const time = BigInt64Array.of(1_785_542_400_000n, 1_785_546_000_000n)
    const path = writeCachedFile(dataDir, btc, '2026-08-01', [{ name: 'time', type: 'INT64', data: time }])
    await look(true)
    expect(store.files.find(btc, '2026-08-01')).toMatchObject({ state: 'partial', sizeBytes: statSync(path).size })
  })

  it('looks at one connection alone where that is asked', async () => {
    const { dataDir, store, cache } = setUp()
    const other = flowSeries({ connectionId: 'other' })
    for (const series of [btc, other]) rmSync(addCachedFile(store, dataDir, series, '2026-07'))
    mkdirSync(join(dataDir, 'files', 'foreign folder'))
    const options = { signal: new AbortController().signal, onProgress: () => {} }
    expect(await cache.verify({ ...options, repair: true, connectionId: 'other' })).toMatchObject({ broken: 1 })
    expect(store.files.totals({}).files).toBe(1)
    indexFile(store, dataDir, other, writePeriod(dataDir, other))
    expect(await cache.verify({ ...options, repair: false, connectionId: 'other' })).toMatchObject({ broken: 0 })
  })
})

function writePeriod(dataDir: string, series: typeof btc): string {
  writeCachedFile(dataDir, series, '2026-08-09')
  return '2026-08-09'
}
