import { execFileSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { receiveUpload } from '../../../electron/web/uploads.ts'
import { hostileFiles } from '../../fakes/hostileParquet.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { rawWorld } from './rawWorld.ts'

it('finds that hostile files cannot be read, and the next file is inspected as ever', async () => {
  const world = await rawWorld()
  const folder = temporaryFolder()
  const all = Object.values(hostileFiles())
  all.forEach((bytes, index) => writeFileSync(join(folder, `${index}.parquet`), bytes))
  const files = await world.inspect(folder)
  expect(files).toHaveLength(all.length)
  for (const { issues } of files) expect(issues[0]).toMatchObject({ level: 'error' })
})

it('leaves out a named pipe that is handed over or lies in a folder, instead of waiting for it', async () => {
  const world = await rawWorld()
  const folder = temporaryFolder()
  const pipe = join(folder, 'pipe.parquet')
  execFileSync('mkfifo', [pipe])
  expect(await world.inspect(pipe, folder)).toEqual([])
})

it('keeps what a person uploads from the eyes of other accounts, whatever the umask', async () => {
  const incoming = join(temporaryFolder(), 'incoming')
  const path = await receiveUpload(Readable.from(['x']) as IncomingMessage, incoming, 'a.parquet')
  for (const folder of [incoming, dirname(path)]) expect(statSync(folder).mode & 0o077).toBe(0)
  expect(statSync(path).mode & 0o077).toBe(0)
})
