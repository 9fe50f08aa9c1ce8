import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestCache } from '../../fakes/openTestCache.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { addCachedFile, writeCachedFile } from '../../fakes/parquetCache.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const { signal } = new AbortController()
const options = { signal, onProgress: () => {} }
const series = flowSeries()
const days = ['2026-08-01', '2026-08-02', '2026-08-03'] as const

/**
 * Creates a cache in which the folder of a series, or a folder above it, is a link to a folder with files of the same
 * names.
 */
function linkedCache(levelsUp: 0 | 1) {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const paths = days.map((day) => addCachedFile(store, dataDir, series, day))
  let folder = dirname(paths[0])
  for (let level = 0; level < levelsUp; level++) folder = dirname(folder)
  const precious = join(temporaryFolder(), 'precious')
  renameSync(folder, precious)
  symlinkSync(precious, folder, 'junction')
  const preciousFiles = () =>
    Object.fromEntries(
      readdirSync(precious, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.parquet(\.part)?$/.test(name))
        .map((name) => [name, readFileSync(join(precious, name)).length]),
    )
  return { store, cache: openTestCache(store, dataDir), paths, preciousFiles }
}

test.each([
  ['the folder of a series', 0],
  ['a folder above it', 1],
] as const)('nothing behind a link in the place of %s is removed, put aside or repaired', async (_what, levelsUp) => {
  const { store, cache, paths, preciousFiles } = linkedCache(levelsUp)
  expect(await cache.verify({ ...options, repair: true })).toMatchObject({ files: 3, broken: 0 })
  writeFileSync(paths[1], 'a file of the user')
  writeFileSync(`${paths[2]}.part`, 'a part of the user')
  const before = preciousFiles()
  expect(Object.keys(before)).toHaveLength(4)

  const report = await cache.verify({ ...options, repair: true })
  expect(report).toMatchObject({ broken: 1, repaired: 0 })
  expect(report.problems).toMatchObject([
    { kind: 'unreachable', remedy: null, message: expect.stringMatching(/ is a link to another place\.$/) as string },
    // This entry is the link itself.
    { kind: 'foreign', remedy: null },
  ])
  store.parts.begin(series, days[2], '"1"', 1)
  await cache.makeRoom(0, { signal })
  await cache.removeConnection(series.connectionId, options)
  expect(preciousFiles()).toEqual(before)
  expect(store.files.totals({}).files).toBe(0)
})

test('a pipe or a device in the place of a file, or a link to one, is named by a verification', async () => {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const cache = openTestCache(store, dataDir)
  const folder = dirname(writeCachedFile(dataDir, series, days[0]))
  execFileSync('mkfifo', [join(folder, `${days[1]}.parquet`)])
  symlinkSync('/dev/zero', join(folder, `${days[2]}.parquet`))
  const { problems } = await cache.verify({ ...options, repair: false })
  const found = problems.map(({ path, kind, message }) => [path.slice(-18), kind, message])
  expect(found.toSorted()).toEqual([
    ['2026-08-01.parquet', 'unlisted', expect.any(String)],
    ['2026-08-02.parquet', 'unreachable', 'It cannot be read.'],
    ['2026-08-03.parquet', 'unreachable', 'It cannot be read.'],
  ])
})
