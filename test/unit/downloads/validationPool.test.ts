import { expect, onTestFinished, test } from 'vitest'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createValidationPool } from '#core/downloads/validationPool.ts'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const fixture = join(import.meta.dirname, '../../fixtures/parquet/codec-zstd.parquet')

function openPool(threads = 2) {
  const root = temporaryFolder()
  const pool = createValidationPool(threads)
  onTestFinished(() => pool.close())
  const content = new Uint8Array(readFileSync(fixture))
  const pathOf = (index: number) => join(root, `series ${index % 3}`, `${index}.parquet`)
  /** Commits the bytes in two pieces, as from a network; the memory of both is transferred to the thread. */
  const commit = (index: number, bytes: Uint8Array = content) =>
    pool.commit({ path: pathOf(index), root, bytes: [bytes.slice(0, 100), bytes.slice(100)] })
  return { root, content, pathOf, commit, pool }
}

test('files that arrive together are each written, validated and put in their place', async () => {
  const { content, pathOf, commit } = openPool()
  const validated = await Promise.all(Array.from({ length: 60 }, (_, index) => commit(index)))
  const expected = validateParquet(fixture)
  for (const [index, file] of validated.entries()) {
    expect(file).toEqual(expected)
    expect(Buffer.compare(readFileSync(pathOf(index)), content)).toBe(0)
  }
  expect(readdirSync(dirname(pathOf(0))).filter((name) => !name.endsWith('.parquet'))).toEqual([])
})

test('a damaged file is not put in its place and keeps no other from its own', async () => {
  const { content, pathOf, commit } = openPool()
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => commit(index, index === 5 ? content.subarray(0, 200) : content)),
  )
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(results.map((_, index) => index !== 5))
  expect(results[5]).toMatchObject({ reason: { code: 'corrupt-file' } })
  expect(readdirSync(dirname(pathOf(5)))).not.toContain('5.parquet')
})

test('a file where a folder belongs fails only the files of that folder', async () => {
  const { root, commit } = openPool()
  writeFileSync(join(root, 'series 1'), '')
  const [good, bad] = await Promise.allSettled([commit(0), commit(1)])
  expect(good.status).toBe('fulfilled')
  expect(bad).toMatchObject({ reason: { code: 'read-only' } })
})

test('files are committed while the validation of another one hangs, and survive its cancellation', async () => {
  const { root, commit, pool } = openPool(1)
  const neverEnds = join(root, 'pipe.parquet')
  // Opening a named pipe blocks until another process writes to it.
  execFileSync('mkfifo', [neverEnds])
  const controller = new AbortController()
  const validating = pool.validate(neverEnds, controller.signal)
  try {
    await commit(0)
    controller.abort(new Error('given up'))
    await expect(validating).rejects.toThrow('given up')
    await Promise.all([commit(1), commit(2)])
  } finally {
    closeSync(openSync(neverEnds, 'w'))
  }
})

test('files of all sizes that arrive together are all committed', async () => {
  const { root, content, pathOf, commit, pool } = openPool()
  const fromPart = (index: number) => {
    mkdirSync(dirname(pathOf(index)), { recursive: true })
    writeFileSync(`${pathOf(index)}.part`, content)
    return pool.commit({ path: pathOf(index), root, bytes: null })
  }
  const validated = await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 5 === 3 ? fromPart(index) : commit(index))),
  )
  expect(new Set(validated.map(({ sha256 }) => sha256)).size).toBe(1)
  for (let index = 0; index < 40; index++)
    expect(Buffer.compare(readFileSync(pathOf(index)), content), String(index)).toBe(0)
})
