import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesOfResult } from '#core/sql/fileList.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const sources = Array.from({ length: 30 }, (_, at) => ({ path: `files/${at}.parquet`, sha256: String(at) }))

it('refers to a list of files that are more than the rows of a result, and keeps it once', () => {
  const folder = temporaryFolder()
  const brief = filesOfResult(folder, { sources, rows: 2 }, 'brief')
  const { fileList } = brief as { fileList: { files: number; path: string } }
  expect(fileList.files).toBe(30)
  expect(JSON.parse(readFileSync(join(folder, fileList.path), 'utf8'))).toEqual(sources)
  expect(filesOfResult(folder, { sources, rows: 1 }, 'brief')).toEqual(brief)
})

it('lists the files of a larger result, few files, and all that are asked for', () => {
  const folder = temporaryFolder()
  expect(filesOfResult(folder, { sources, rows: 2 }, 'full')).toEqual({ files: sources })
  expect(filesOfResult(folder, { sources, rows: 30 }, 'brief')).toEqual({ files: sources })
  expect(filesOfResult(folder, { sources: sources.slice(0, 20), rows: 1 }, 'brief')).toMatchObject({
    files: { length: 20 },
  })
  expect(existsSync(join(folder, 'provenance'))).toBe(false)
})

it('lists them where the folder cannot be written', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'provenance'), 'a file where a folder should be')
  expect(filesOfResult(folder, { sources, rows: 2 }, 'brief')).toEqual({ files: sources })
})
