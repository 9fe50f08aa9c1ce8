import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { keepSummary, openCachePart, writePart } from '#core/store/cacheFolder.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const bytes = new TextEncoder().encode('downloaded')

/** Creates a link to a file of the user in the place of a part. */
function linkedPart() {
  const folder = temporaryFolder()
  const root = join(folder, 'files')
  const path = join(root, 'a', '2026-09-01.parquet')
  const precious = join(folder, 'precious.txt')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(precious, 'precious text')
  symlinkSync(precious, `${path}.part`)
  return { root, path, precious }
}

describe.skipIf(process.platform === 'win32')('a link in the place of a part', () => {
  test('is replaced, and what it leads to stays, where a file is written in one go', () => {
    const { root, path, precious } = linkedPart()
    writePart(path, root, [bytes]).close()
    expect(readFileSync(precious, 'utf8')).toBe('precious text')
    expect(lstatSync(`${path}.part`).isFile()).toBe(true)
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('downloaded')
  })

  test('is replaced where a file is written as it arrives', async () => {
    const { root, path, precious } = linkedPart()
    const part = await openCachePart(path, root, 0)
    await part.write(bytes)
    await part.close()
    expect(readFileSync(precious, 'utf8')).toBe('precious text')
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('downloaded')
  })

  test('is no beginning that a transfer continues', async () => {
    const { root, path, precious } = linkedPart()
    await expect(openCachePart(path, root, 4)).rejects.toMatchObject({ code: 'network' })
    expect(readFileSync(precious, 'utf8')).toBe('precious text')
    expect(existsSync(`${path}.part`)).toBe(false)
  })

  test('is not followed as a folder of a series, at whatever level, and the cache folder may be one', async () => {
    const folder = temporaryFolder()
    const root = join(folder, 'files')
    const precious = join(folder, 'precious')
    mkdirSync(join(precious, 'files', 'c'), { recursive: true })
    // The whole cache was moved, and its folder is a link to the new place.
    symlinkSync(join(precious, 'files'), root)
    writePart(join(root, 'c', 'd', '2026-09-01.parquet'), root, [bytes]).close()
    mkdirSync(join(precious, 'own', 'e'), { recursive: true })
    for (const [linked, path] of [
      ['linked', 'linked/2026-09-01.parquet'],
      ['above', 'above/e/2026-09-01.parquet'],
      ['above', 'above/new/deep/2026-09-01.parquet'],
    ]) {
      if (!existsSync(join(root, linked))) symlinkSync(join(precious, 'own'), join(root, linked))
      expect(() => writePart(join(root, path), root, [bytes])).toThrow(`${join(root, linked)} is a link`)
      await expect(openCachePart(join(root, path), root, 0)).rejects.toMatchObject({ code: 'conflict' })
    }
    expect(keepSummary(join(root, 'linked', 'ab', 'abcd.true'), bytes)).toBe(false)
    expect(readdirSync(join(precious, 'own'), { recursive: true })).toEqual(['e'])
  })

  test('is replaced where it is a named pipe, which would wait for its other end', async () => {
    const { root, path } = linkedPart()
    for (const hasReader of [false, true]) {
      rmSync(`${path}.part`)
      execFileSync('mkfifo', [`${path}.part`])
      const reader = hasReader ? openSync(`${path}.part`, constants.O_RDONLY | constants.O_NONBLOCK) : null
      writePart(path, root, [bytes]).close()
      expect(readFileSync(`${path}.part`, 'utf8')).toBe('downloaded')
      rmSync(`${path}.part`)
      execFileSync('mkfifo', [`${path}.part`])
      const part = await openCachePart(path, root, 0)
      await part.write(bytes)
      await part.close()
      expect(readFileSync(`${path}.part`, 'utf8')).toBe('downloaded')
      if (reader !== null) closeSync(reader)
    }
  })

  test('of a summary is replaced too', () => {
    const { path, precious } = linkedPart()
    symlinkSync(precious, `${path}.${process.pid}.part`)
    expect(keepSummary(path, bytes)).toBe(true)
    expect(readFileSync(precious, 'utf8')).toBe('precious text')
    expect(readFileSync(path, 'utf8')).toBe('downloaded')
  })
})
