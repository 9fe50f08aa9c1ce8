import type * as files from 'node:fs/promises'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { folderProblem, markFolder } from '#core/documents/folderFiles.ts'
import { createFolderScan } from '#core/documents/folderScan.ts'

/** Paths that the mocked file functions refuse to open; they are mocked because root may open every file. */
const deniedPaths = vi.hoisted(() => new Set<string>())
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof files>()
  const guarded =
    <Args extends unknown[], Result>(work: (path: string, ...args: Args) => Promise<Result>) =>
    (path: string, ...args: Args) =>
      deniedPaths.has(path)
        ? Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES' }))
        : work(path, ...args)
  return { ...real, open: guarded(real.open as never), readdir: guarded(real.readdir as never) }
})

let root: string
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'perpscope-denied-'))
  await markFolder(root)
})
afterEach(() => {
  deniedPaths.clear()
  rmSync(root, { recursive: true, force: true })
})

const kind = { kind: 'list', folder: 'lists', suffix: '.csv', mostBytes: 1_000_000 } as never

it('says that permissions keep a document from being read, and leaves it alone', async () => {
  mkdirSync(join(root, 'lists'))
  writeFileSync(join(root, 'lists', 'majors.csv'), 'list,exchange,symbol\n')
  deniedPaths.add(join(root, 'lists', 'majors.csv'))
  const { files: found } = await createFolderScan(() => Date.now(), 0).scanKind(root, kind)
  expect(found).toMatchObject([
    { path: 'lists/majors.csv', content: { problem: 'cannot be read: its permissions do not allow that.' } },
  ])
  deniedPaths.clear()
  deniedPaths.add(join(root, 'lists'))
  const { blocked } = await createFolderScan(() => Date.now(), 0).scanKind(root, kind)
  expect(blocked).toBe('lists cannot be read: its permissions do not allow that.')
})

it('says that permissions keep a folder from being read, not that it is somebody else’s', async () => {
  const marker = join(root, 'perpscope.json')
  deniedPaths.add(marker)
  const problem = `${marker} cannot be read: its permissions do not allow that.`
  expect(await folderProblem(root)).toBe(problem)
  await expect(markFolder(root)).rejects.toMatchObject({ detail: problem })
})
