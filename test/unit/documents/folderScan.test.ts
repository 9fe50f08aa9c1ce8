import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FolderKind } from '#core/documents/documentKinds.ts'
import { createFolderScan } from '#core/documents/folderScan.ts'
import { documentName } from '#shared/contract/documentName.ts'
import { findFreeName } from '#core/store/documentStore.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const boards = { kind: 'board', folder: 'boards', suffix: '.board.json', mostBytes: 10_000 } as FolderKind

test('more text than stays in memory is refused, and read once it is less', async () => {
  const root = temporaryFolder()
  mkdirSync(join(root, 'boards'))
  const write = (name: string, length: number) =>
    writeFileSync(join(root, 'boards', `${name}.board.json`), 'x'.repeat(length))
  for (const name of ['a', 'b', 'c']) write(name, 900)
  const { scanKind } = createFolderScan(() => 0, 0, 2000)
  expect(await scanKind(root, boards)).toEqual({
    files: [],
    folders: ['boards'],
    blocked: 'boards has more than 2000 characters in its files.',
  })
  write('a', 10)
  expect(await scanKind(root, boards)).toMatchObject({ blocked: null, files: [{}, {}, {}] })
})

test('more folders than a system watches are refused', async () => {
  const root = temporaryFolder()
  for (let at = 0; at < 1001; at++) mkdirSync(join(root, 'boards', `f${at}`), { recursive: true })
  const { scanKind } = createFolderScan(() => 0, 0)
  expect((await scanKind(root, boards)).blocked).toBe('boards has more than 1000 folders.')
})

test('a free name among thousands of the same is found in few checks', () => {
  const taken = new Set(['Study', ...Array.from({ length: 5000 }, (_, at) => `Study ${at + 2}`)])
  let checks = 0
  const isTaken = (name: string) => {
    checks += 1
    return taken.has(name)
  }
  expect(findFreeName('Study', isTaken)).toBe('Study 5002')
  expect(checks).toBeLessThan(40)
  expect(findFreeName('Study 7', isTaken)).toBe('Study 5002')
  expect(findFreeName('Other', isTaken)).toBe('Other')
})

test('a free name is never too long to be saved', () => {
  const taken = new Set<string>()
  for (const longest of ['n'.repeat(120), `${'n'.repeat(117)}😀x`]) {
    taken.add(longest)
    for (let copies = 0; copies < 12; copies += 1) {
      const free = findFreeName(longest, (name) => taken.has(name))
      expect(taken.has(free)).toBe(false)
      expect(documentName.safeParse(free)).toMatchObject({ success: true, data: free })
      expect(free.isWellFormed()).toBe(true)
      taken.add(free)
    }
  }
})
