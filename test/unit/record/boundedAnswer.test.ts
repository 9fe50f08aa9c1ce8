import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Frame } from '#shared/contract/frame.ts'
import type { LocalApiTable } from '../../../electron/localApi/answers.ts'
import { boundedTable, type FileLimits } from '../../../electron/mcp/boundedAnswer.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const limits: FileLimits = { files: 4, fileBytes: 200_000, folderBytes: 500_000, ageMs: 86_400_000 }
const { signal } = new AbortController()

/** Returns a table whose rows have about 100 bytes each. */
function tableOf(rows: number): LocalApiTable & { isClosed: boolean } {
  const values = new Int32Array(rows)
  const page: Frame = {
    rows,
    columns: [{ name: 'text', kind: 'text', values, dictionary: ['x'.repeat(87)], valid: null }],
  }
  return {
    isClosed: false,
    columns: [{ name: 'text', type: 'VARCHAR', kind: 'text', unit: null, warning: null }] as LocalApiTable['columns'],
    provenance: {},
    async *pages() {
      yield await Promise.resolve(page)
    },
    close() {
      this.isClosed = true
      return Promise.resolve()
    },
  }
}

const folderOf = (dataDir: string) => join(dataDir, 'assistant')
const bytesIn = (folder: string) =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

test('an answer of an assistant that is too large for a file is refused, and leaves no file and no open result', async () => {
  const dataDir = temporaryFolder()
  const table = tableOf(5000)
  await expect(boundedTable(dataDir, table, signal, limits)).rejects.toMatchObject({
    code: 'too-large',
    detail: expect.stringContaining('Ask for fewer rows or columns') as string,
  })
  expect([readdirSync(folderOf(dataDir)), table.isClosed]).toEqual([[], true])
})

test('the files of long answers stay within number, bytes and age, and the newest stay', async () => {
  const dataDir = temporaryFolder()
  for (let at = 0; at < 12; at++) {
    const text = await boundedTable(dataDir, tableOf(1500), signal, limits)
    const { cut, data } = JSON.parse(text) as { cut: { file: string }; data: { length: number } }
    expect(data.length).toBe(1500)
    expect((JSON.parse(readFileSync(cut.file, 'utf8')) as { rows: unknown[] }).rows).toHaveLength(1500)
    expect(bytesIn(folderOf(dataDir))).toBeLessThanOrEqual(limits.folderBytes)
    expect(readdirSync(folderOf(dataDir)).length).toBeLessThanOrEqual(limits.files)
  }
  const old = join(folderOf(dataDir), 'old.json')
  writeFileSync(old, 'x')
  utimesSync(old, 0, 0)
  await boundedTable(dataDir, tableOf(1500), signal, limits)
  expect(readdirSync(folderOf(dataDir))).not.toContain('old.json')
})
