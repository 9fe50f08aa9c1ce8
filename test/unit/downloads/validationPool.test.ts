import { expect, onTestFinished, test } from 'vitest'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { AppError } from '#shared/contract/errors.ts'
import { createValidationPool, type ValidationPoolOptions } from '#core/downloads/validationPool.ts'
import { mostRowsOf, openValidationJournal } from '#core/downloads/guardedValidation.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import { doubleBytes, longBytes, parquetBytes, plainChunk, statisticsOf } from '../../fakes/parquetBytes.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const fixture = join(import.meta.dirname, '../../fixtures/parquet/codec-zstd.parquet')

function openPool(threads = 2, options: ValidationPoolOptions = {}) {
  const root = temporaryFolder()
  const pool = createValidationPool(threads, options)
  onTestFinished(() => pool.close())
  const content = new Uint8Array(readFileSync(fixture))
  const pathOf = (index: number) => join(root, `series ${index % 3}`, `${index}.parquet`)
  /**
   * Commits the bytes in two pieces, as they arrive from a network; the memory of both is transferred to the thread.
   */
  const commit = (index: number, bytes: Uint8Array = content) =>
    pool.commit({ path: pathOf(index), root, bytes: [bytes.slice(0, 100), bytes.slice(100)] })
  return { root, content, pathOf, commit, pool }
}

test('files that arrive together are each written, validated and put in their place', async () => {
  const { content, pathOf, commit } = openPool()
  const validated = await Promise.all(Array.from({ length: 60 }, (_, index) => commit(index)))
  const expected = validateParquet(fixture, { deep: true })
  for (const [index, file] of validated.entries()) {
    const changedAtMs = statSync(pathOf(index)).mtimeMs
    expect(file).toEqual({ ...expected, facts: { ...expected.facts, changedAtMs } })
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

test('a file whose values contradict what it states about them is not put in its place', async () => {
  const { pathOf, commit } = openPool()
  const fileOf = (high: number) =>
    parquetBytes([
      { name: 'time', type: 'INT64', chunks: [plainChunk(2, longBytes(0, 60_000))] },
      {
        name: 'x',
        type: 'DOUBLE',
        chunks: [{ ...plainChunk(2, doubleBytes(1, 5)), statistics: statisticsOf(doubleBytes(1), doubleBytes(high)) }],
      },
    ])
  const [right, wide, wrong] = await Promise.allSettled([
    commit(0, fileOf(5)),
    commit(1, fileOf(6)),
    commit(2, fileOf(4)),
  ])
  expect(right).toMatchObject({ value: { facts: { doubtfulColumns: [] } } })
  expect(wide).toMatchObject({ value: { facts: { doubtfulColumns: [1] } } })
  expect(wrong).toMatchObject({ reason: { code: 'corrupt-file' } })
  expect(existsSync(pathOf(2))).toBe(false)
})

test('a file where a folder belongs fails only the files of that folder', async () => {
  const { root, commit } = openPool()
  writeFileSync(join(root, 'series 1'), '')
  const [good, bad] = await Promise.allSettled([commit(0), commit(1)])
  expect(good.status).toBe('fulfilled')
  expect(bad).toMatchObject({ reason: { code: 'read-only' } })
})

const misbehaving = new URL('../../fakes/validationThatHangs.ts', import.meta.url)

test('files are committed while the validation of another one hangs, and survive its cancellation', async () => {
  const { root, content, commit, pool } = openPool(1, { entry: misbehaving })
  const neverEnds = join(root, 'hangs.parquet')
  writeFileSync(neverEnds, content)
  const controller = new AbortController()
  const validating = pool.validate(neverEnds, controller.signal)
  await commit(0)
  controller.abort(new Error('given up'))
  await expect(validating).rejects.toThrow('given up')
  await Promise.all([commit(1), commit(2)])
  expect(await pool.validate(join(root, 'series 0', '0.parquet'))).toMatchObject({ sizeBytes: content.length })
})

test('a table whose columns are damaged is refused, and only those that were asked for count', async () => {
  const { root, pool } = openPool(1)
  const path = join(root, 'table.parquet')
  const data = Float64Array.of(1, 2, 3)
  const columnData = ['good', 'bad'].map((name) => ({ name, type: 'DOUBLE' as const, data }))
  const bytes = new Uint8Array(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' }))
  writeFileSync(path, bytes)
  {
    using file = new ParquetFile(path, { remember: false })
    const { data_page_offset: at, total_compressed_size: size } = file.rowGroups[0].chunks[1]
    writeFileSync(path, bytes.fill(0xff, at, at + size))
  }
  await pool.checkTable({ path, columns: ['good', 'not there'] })
  await expect(pool.checkTable({ path, columns: ['good', 'bad'] })).rejects.toMatchObject({
    code: 'corrupt-file',
    detail: expect.stringContaining('column bad cannot be read') as string,
  })
})

test('a table at which the reading process ends twice is refused', async () => {
  const { root, content, pool } = openPool(1, { entry: misbehaving })
  const path = join(root, 'ends.parquet')
  writeFileSync(path, content)
  await expect(pool.checkTable({ path, columns: ['time'] })).rejects.toMatchObject({
    code: 'corrupt-file',
    detail: expect.stringContaining(path) as string,
  })
})

test('a named pipe is refused and not waited for', async () => {
  const { root, pool } = openPool(1)
  const pipe = join(root, 'pipe.parquet')
  execFileSync('mkfifo', [pipe])
  await expect(pool.validate(pipe)).rejects.toMatchObject({ code: 'bad-input' })
})

test.for(['hangs', 'ends'])('a file at which the reading process %s is refused alone', async (name) => {
  const { root, content, commit, pool } = openPool(1, { entry: misbehaving })
  const poisonous = join(root, 'series', `${name}.parquet`)
  const results = await Promise.allSettled([
    commit(0),
    pool.commit({ path: poisonous, root, bytes: [content.slice()] }),
    ...Array.from({ length: 10 }, (_, index) => commit(index + 1)),
  ])
  expect(results.map(({ status }) => status)).toEqual(
    results.map((_, index) => (index === 1 ? 'rejected' : 'fulfilled')),
  )
  expect(results[1]).toMatchObject({ reason: { code: 'corrupt-file' } })
  expect(existsSync(poisonous)).toBe(false)
})

test('a file that was being validated when the program ended twice is set aside, and read again only when asked again', async () => {
  const dataDir = temporaryFolder()
  const root = join(dataDir, 'files')
  mkdirSync(root)
  const path = join(root, 'series', 'file.parquet')
  const endedHost = () => openValidationJournal(dataDir, 999_999_999).begin([`${path}.part`])
  endedHost()
  endedHost()
  const pool = createValidationPool(1, { dataDir })
  onTestFinished(() => pool.close())
  const content = readFileSync(fixture)
  const commit = () => pool.commit({ path, root, bytes: [new Uint8Array(content)] })
  await expect(commit()).rejects.toMatchObject({
    code: 'corrupt-file',
    detail: expect.stringContaining('quarantine') as string,
  })
  expect(existsSync(`${path}.part`)).toBe(false)
  expect(readFileSync(join(dataDir, 'quarantine', 'series', 'file.parquet'))).toEqual(content)
  expect(await commit()).toMatchObject({ sizeBytes: content.length })
})

test('a file that was being validated when the program ended once is validated again', async () => {
  const dataDir = temporaryFolder()
  const root = join(dataDir, 'files')
  mkdirSync(root)
  const path = join(root, 'file.parquet')
  openValidationJournal(dataDir, 999_999_999).begin([`${path}.part`])
  const pool = createValidationPool(1, { dataDir })
  onTestFinished(() => pool.close())
  const validated = await pool.commit({ path, root, bytes: [new Uint8Array(readFileSync(fixture))] })
  expect(validated.facts.rows).toBe(48)
})

test('a file of a period claims no more rows than the period can have', async () => {
  const { root, content, pool } = openPool(1)
  const path = join(root, 'file.parquet')
  const commit = (mostRows: number) => pool.commit({ path, root, bytes: [content.slice()], mostRows })
  await expect(commit(47)).rejects.toMatchObject({ code: 'corrupt-file' })
  expect(await commit(48)).toMatchObject({ facts: { rows: 48 } })
})

const key = 'CANARY-key-0123456789-abcdef'

test('a column named after the API key, in whatever form, is refused and nothing of its file is kept', async () => {
  const redactor = createRedactor()
  redactor.hide(key)
  const { root, pool } = openPool(1, { redactor })
  const names = [
    key,
    key.toLowerCase(),
    Buffer.from(key).toString('base64'),
    encodeURIComponent(key).replaceAll('-', '%2D'),
    [...key].map((character) => `&#${character.charCodeAt(0)};`).join(''),
    [...key].join('_'),
    [...key].join('\u200b'),
  ]
  const data = BigInt64Array.of(0n)
  const results = await Promise.allSettled(
    ['value', ...names].map((name, index) => {
      const columnData = ['time', name].map((column) => ({ name: column, type: 'INT64' as const, data }))
      const bytes = [new Uint8Array(parquetWriteBuffer({ columnData }))]
      return pool.commit({ path: join(root, `${index}.parquet`), root, bytes })
    }),
  )
  expect(results[0].status).toBe('fulfilled')
  for (const [index, name] of names.entries()) {
    const detail = `${index + 1}.parquet: the name of a column contains the API key.`
    expect(results[index + 1], name).toMatchObject({ reason: { code: 'corrupt-file', detail } })
    expect(existsSync(join(root, `${index + 1}.parquet`))).toBe(false)
  }
})

test('what is wrong with a file is reported without the API key', async () => {
  const redactor = createRedactor()
  redactor.hide(key)
  const { root, content, pool } = openPool(1, { redactor })
  mkdirSync(join(root, key))
  const path = join(root, key, 'file.parquet')
  writeFileSync(path, content.subarray(0, 200))
  const error = await pool.validate(path).catch((thrown: AppError) => thrown)
  expect(error).toMatchObject({ code: 'corrupt-file' })
  expect(JSON.stringify((error as AppError).toShape())).not.toContain('CANARY')
})

test('a month of 15s may have 178,560 rows, each twice', () => {
  const series = {
    connectionId: 'a',
    kind: 'metrics',
    dataset: 'flow',
    exchange: 'x',
    symbol: 'y',
    timestamp: '',
  } as const
  expect(mostRowsOf({ ...series, interval: '15s' }, '2026-07')).toBe(2 * 178_560)
  expect(mostRowsOf({ ...series, interval: '1m' }, '2026-08-01')).toBe(2 * 1440)
  expect(mostRowsOf({ ...series, kind: 'raw', interval: '' }, '2026-08-01')).toBeUndefined()
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
