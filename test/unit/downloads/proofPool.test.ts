import { expect, onTestFinished, test } from 'vitest'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createProofPool } from '#core/downloads/proofPool.ts'
import { proveFile } from '#core/downloads/proof.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const fixture = join(import.meta.dirname, '../../fixtures/parquet/codec-zstd.parquet')

function openPool(threads = 2) {
  const root = temporaryFolder()
  const pool = createProofPool(threads)
  onTestFinished(() => pool.close())
  const content = new Uint8Array(readFileSync(fixture))
  const pathOf = (index: number) => join(root, `series ${index % 3}`, `${index}.parquet`)
  /** In two pieces, as from a network; both go over to the thread. */
  const takeIn = (index: number, bytes: Uint8Array = content) =>
    pool.takeIn({ path: pathOf(index), root, bytes: [bytes.slice(0, 100), bytes.slice(100)] })
  return { root, content, pathOf, takeIn, pool }
}

test('files that come together are each written whole, proven and put in their place', async () => {
  const { content, pathOf, takeIn } = openPool()
  const proofs = await Promise.all(Array.from({ length: 60 }, (_, index) => takeIn(index)))
  const expected = proveFile(fixture)
  for (const [index, proof] of proofs.entries()) {
    expect(proof).toEqual(expected)
    expect(Buffer.compare(readFileSync(pathOf(index)), content)).toBe(0)
  }
  expect(readdirSync(dirname(pathOf(0))).filter((name) => !name.endsWith('.parquet'))).toEqual([])
})

test('one that is broken keeps none of the others from its place, and does not take its own', async () => {
  const { content, pathOf, takeIn } = openPool()
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => takeIn(index, index === 5 ? content.subarray(0, 200) : content)),
  )
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(results.map((_, index) => index !== 5))
  expect(results[5]).toMatchObject({ reason: { code: 'corrupt-file' } })
  expect(readdirSync(dirname(pathOf(5)))).not.toContain('5.parquet')
})

test('a file where a folder belongs fails its files alone, in words', async () => {
  const { root, takeIn } = openPool()
  writeFileSync(join(root, 'series 1'), '')
  const [good, bad] = await Promise.allSettled([takeIn(0), takeIn(1)])
  expect(good.status).toBe('fulfilled')
  expect(bad).toMatchObject({ reason: { code: 'read-only' } })
})

test('files come in while the proof of another one does not end, and are not lost with it when it is given up', async () => {
  const { root, takeIn, pool } = openPool(1)
  const neverEnds = join(root, 'pipe.parquet')
  // Whoever opens it waits until somebody writes to it.
  execFileSync('mkfifo', [neverEnds])
  const controller = new AbortController()
  const proving = pool.prove(neverEnds, controller.signal)
  try {
    await takeIn(0)
    controller.abort(new Error('given up'))
    await expect(proving).rejects.toThrow('given up')
    await Promise.all([takeIn(1), takeIn(2)])
  } finally {
    closeSync(openSync(neverEnds, 'w'))
  }
})

test('files of all sizes that come together are all taken in', async () => {
  const { root, content, pathOf, takeIn, pool } = openPool()
  const inItsPart = (index: number) => {
    mkdirSync(dirname(pathOf(index)), { recursive: true })
    writeFileSync(`${pathOf(index)}.part`, content)
    return pool.takeIn({ path: pathOf(index), root, bytes: null })
  }
  const proofs = await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 5 === 3 ? inItsPart(index) : takeIn(index))),
  )
  expect(new Set(proofs.map(({ sha256 }) => sha256)).size).toBe(1)
  for (let index = 0; index < 40; index++)
    expect(Buffer.compare(readFileSync(pathOf(index)), content), String(index)).toBe(0)
})
