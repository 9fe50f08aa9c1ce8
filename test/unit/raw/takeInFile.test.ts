import { appendFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyIntoCache } from '#core/raw/importFile.ts'
import type { ImportableFile } from '#core/raw/candidates.ts'
import { statSync } from 'node:fs'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const MB = 1024 * 1024

function world(sizeBytes = 9 * MB) {
  const root = temporaryFolder()
  const sourcePath = join(temporaryFolder(), 'events.parquet')
  writeFileSync(sourcePath, new Uint8Array(sizeBytes))
  const { size, mtimeMs } = statSync(sourcePath)
  const source: ImportableFile = { path: sourcePath, name: 'events.parquet', sizeBytes: size, mtimeMs }
  const proven: string[] = []
  const copy = (onBytes: (done: number) => void, signal = new AbortController().signal) =>
    copyIntoCache({
      source,
      path: join(root, 'raw', '2026-09-01.parquet'),
      root,
      commit: async ({ path }) => {
        proven.push(path)
        return { sizeBytes: size, sha256: '', facts: null } as never
      },
      signal,
      onBytes,
    })
  const left = () => (readdirSync(root, { recursive: true }) as string[]).filter((name) => name.includes('.parquet'))
  return { sourcePath, source, copy, proven, left, root }
}

test.each<[string, (path: string) => void]>([
  ['grows', (path) => appendFileSync(path, 'more')],
  ['is written anew', (path) => writeFileSync(path, new Uint8Array(9 * MB).fill(1))],
  ['is cut short', (path) => truncateSync(path, 5 * MB)],
])('a file that %s while it is copied is not taken in, and no part of it stays', async (_, change) => {
  const { copy, sourcePath, proven, left } = world()
  let isFirst = true
  const copying = copy(() => {
    if (isFirst) change(sourcePath)
    isFirst = false
  })
  await expect(copying).rejects.toMatchObject({ code: 'conflict', detail: expect.stringContaining('changed since') })
  expect(proven).toEqual([])
  expect(left()).toEqual([])
})

test('cancelled in the middle, no part stays', async () => {
  const { copy, left } = world()
  const controller = new AbortController()
  await expect(copy(() => controller.abort(), controller.signal)).rejects.toThrow()
  expect(left()).toEqual([])
})

test('a file larger than the room on the disk is refused before anything is written', async () => {
  const { copy, source, left, root } = world(10)
  source.sizeBytes = 2 ** 60
  await expect(copy(() => {})).rejects.toMatchObject({ code: 'disk-full', detail: expect.stringContaining(root) })
  expect(left()).toEqual([])
})
