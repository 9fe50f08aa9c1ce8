import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createKeptFiles } from '#core/store/keptFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'

it('keeps bytes that were superseded up to a limit, and counts none that still are in the cache', () => {
  const folder = dataFolder()
  const kept = createKeptFiles(folder, 150)
  const path = (name: string) => join(folder, name)
  const files = ['a', 'b', 'c'].map((name) => ({ path: path(name), sha256: `hash-${name}` }))
  for (const { path: each } of files) writeFileSync(each, 'x'.repeat(100))
  kept.keep(files)
  const names = () => files.filter(({ sha256 }) => existsSync(kept.pathOf(sha256))).map(({ sha256 }) => sha256)
  expect(names()).toHaveLength(3)

  writeFileSync(path('new'), 'newer')
  renameSync(path('new'), path('b'))
  kept.keep([])
  expect(names()).toHaveLength(3)
  expect(readFileSync(kept.pathOf('hash-b'), 'utf8')).toHaveLength(100)

  writeFileSync(path('new'), 'newer')
  renameSync(path('new'), path('a'))
  kept.keep([])
  expect(names()).toHaveLength(2)
  expect(names()).toContain('hash-c')
})

it('keeps nothing and reports no error where its folder cannot be used, because the entry that names the files already exists', () => {
  const folder = dataFolder()
  mkdirSync(join(folder, 'record'))
  writeFileSync(join(folder, 'record', 'kept'), '')
  writeFileSync(join(folder, 'a'), 'x')
  const kept = createKeptFiles(folder)
  kept.keep([{ path: join(folder, 'a'), sha256: 'hash-a' }])
  expect(existsSync(kept.pathOf('hash-a'))).toBe(false)
})
