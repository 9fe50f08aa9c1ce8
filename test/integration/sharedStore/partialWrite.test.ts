import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { folderWork } from '#core/sharedStore/folderWork.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

it('appends all bytes where a write to the folder takes only some of them', async () => {
  const root = temporaryFolder()
  await folderWork.create({ root, path: 'part' })
  const handle = await open(join(root, 'part'))
  const prototype = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  const { write } = prototype
  // A network share or a full disk may write fewer bytes than requested and reports this only in the result.
  const partly = vi.spyOn(prototype, 'write').mockImplementation(function (this: typeof handle, bytes: Uint8Array) {
    return (write as (bytes: Uint8Array) => unknown).call(this, bytes.subarray(0, 3)) as never
  } as never)
  await folderWork.append({ root, path: 'part' }, Buffer.from('all of these bytes'))
  partly.mockRestore()
  expect(readFileSync(join(root, 'part'), 'utf8')).toBe('all of these bytes')
})
