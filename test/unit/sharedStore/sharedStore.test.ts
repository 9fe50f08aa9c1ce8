import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { publishFiles } from '#core/sharedStore/publishFiles.ts'
import { createStoreCatalog, storeFolder } from '#core/sharedStore/storeCatalog.ts'
import { type StoredObject, type StoreFiles } from '#core/sharedStore/storeFiles.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { folderFiles } from '../../fakes/storeFolder.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const series = {
  kind: 'metrics' as const,
  dataset: 'ohlcv',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange' as const,
}
const { signal } = new AbortController()
const longAfter = Date.parse('2026-10-01')

/** Creates a store whose listings end when the test finishes them or when their signal aborts. */
function slowStore() {
  const started: { finish(objects: StoredObject[]): void; signal: AbortSignal }[] = []
  const list = (_: string, signal: AbortSignal) =>
    new Promise<StoredObject[]>((finish, fail) => {
      started.push({ finish, signal })
      signal.addEventListener('abort', () => fail(signal.reason as Error))
    })
  return { started, catalog: createStoreCatalog({ list } as unknown as StoreFiles, () => longAfter) }
}

it('lets the others wait on when one of the jobs that share a listing is cancelled', async () => {
  const { started, catalog } = slowStore()
  const cancelled = new AbortController()
  const [first, second] = [
    catalog.find(series, '2026-09-01', cancelled.signal),
    catalog.find(series, '2026-09-01', signal),
  ]
  cancelled.abort()
  await expect(first).rejects.toThrow()
  for (let at = 0; at < started.length; at++) {
    started[at].finish([{ name: '2026-09-01.parquet', sizeBytes: 9, etag: null, changedAtMs: longAfter }])
    await Promise.resolve()
    await new Promise(setImmediate)
  }
  expect((await second).map(({ path }) => path)[0]).toMatch(/2026-09-01\.parquet$/)
})

it('ends a listing that nobody waits for any more, and lists anew for the next job', async () => {
  const { started, catalog } = slowStore()
  const cancelled = new AbortController()
  const only = catalog.find(series, '2026-09-01', cancelled.signal)
  cancelled.abort()
  await expect(only).rejects.toThrow()
  expect(started[0].signal.aborted).toBe(true)
  void catalog.find(series, '2026-09-01', signal).catch(() => {})
  await new Promise(setImmediate)
  expect(started).toHaveLength(2)
})

it('takes a manifest that is too deep, cut off or of another kind for none', async () => {
  const root = temporaryFolder()
  const folder = join(root, storeFolder(series))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '_perpscope.deep0000.json'), '['.repeat(100_000))
  writeFileSync(join(folder, '_perpscope.cut00000.json'), '{"format":"perpscope-store","version":1,"files":[')
  writeFileSync(join(folder, '_perpscope.list0000.json'), '[1]')
  writeFileSync(join(folder, '2026-09-01.parquet'), 'nine byte')
  const catalog = createStoreCatalog(folderFiles(root), () => longAfter)
  expect(await catalog.find(series, '2026-09-01', signal)).toMatchObject([{ sizeBytes: 9 }])
})

it('removes what a killed writer left behind a day ago, and nothing of one that writes now', async () => {
  const root = temporaryFolder()
  const folder = join(root, storeFolder(series))
  mkdirSync(folder, { recursive: true })
  const [old, young] = ['0', '1'].map((digit) => join(folder, `.${digit.repeat(8)}-0000-4000-8000-000000000000.part`))
  for (const path of [old, young]) writeFileSync(path, 'half')
  const before = new Date(Date.now() - 2 * 86_400_000)
  utimesSync(old, before, before)
  const missing = { series: { connectionId: 'desk', ...series }, period: '2026-09-01', sha256: '0'.repeat(64) }
  const deps = { files: folderFiles(root), writer: 'writer00', pathOf: () => join(root, 'none'), log: fakeLog() }
  await publishFiles(deps, [missing as unknown as CachedFile], { signal, progress: () => {} })
  expect(existsSync(old)).toBe(false)
  expect(readdirSync(folder)).toEqual([young.split('/').at(-1)])
})
