import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWork } from '#core/sharedStore/folderWork.ts'
import { readManifests } from '#core/sharedStore/storeManifest.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

test('a file that cannot be read is told as that file, and keeps no other from being read', async () => {
  const root = temporaryFolder()
  symlinkSync('loop', join(root, 'loop'))
  writeFileSync(join(root, 'whole'), 'content')
  await expect(folderWork.read({ root, path: 'loop' }, 0, 10)).rejects.toMatchObject({
    code: 'corrupt-file',
    detail: 'loop: it cannot be read (ELOOP)',
  })
  expect((await folderWork.read({ root, path: 'whole' }, 0, 10)).sizeBytes).toBe(7)
})

test('a manifest that cannot be read counts as absent', async () => {
  const root = temporaryFolder()
  const name = '_perpscope.other.json'
  symlinkSync(name, join(root, name))
  const files = {
    read: async (path: string) => {
      const { bytes } = await folderWork.read({ root, path }, 0, 10)
      return (async function* () {
        yield bytes
      })()
    },
  }
  const listed = [{ name, sizeBytes: 1, etag: null, changedAtMs: 0 }]
  expect(await readManifests(files, '', listed, new AbortController().signal)).toEqual([])
})
