import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import { hostileFile, hostileFiles, dataPage } from '../../fakes/hostileParquet.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const writeTemporary = (bytes: Uint8Array) => {
  const path = join(temporaryFolder(), 'file.parquet')
  writeFileSync(path, bytes)
  return path
}

test('the builder of these files builds a whole one where nothing lies', () => {
  const path = writeTemporary(hostileFile([{ pages: dataPage({ rows: 1, body: new Uint8Array(8) }), rows: 1 }]))
  expect(validateParquet(path)).toMatchObject({ facts: { rows: 1, firstTimeMs: 0 } })
})

test.for(Object.entries(hostileFiles()))('%s: refused at once, and without its memory', ([, bytes]) => {
  const path = writeTemporary(bytes)
  const before = { memory: process.memoryUsage.rss(), cpu: process.cpuUsage() }
  expect(() => validateParquet(path)).toThrow(expect.objectContaining({ code: 'corrupt-file' }) as Error)
  const { user, system } = process.cpuUsage(before.cpu)
  expect((user + system) / 1000).toBeLessThan(500)
  expect(process.memoryUsage.rss() - before.memory).toBeLessThan(64 * 2 ** 20)
})
