import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { HttpClient, OpenResponse } from '#core/clients/http.ts'
import { LinkError, UnreachableError, RequestError } from '#core/clients/httpErrors.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { transfer } from '#core/downloads/transfer.ts'
import { AppError } from '#shared/contract/errors.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const metric: OwnedSeries = {
  connectionId: 'desk',
  kind: 'metrics',
  dataset: 'flow',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
}
const series = metric
const events: OwnedSeries = { ...metric, kind: 'raw', dataset: 'trades', interval: '' }
const period = '2026-09-01'

/** Returns the response of a server that honours the range, for the current version of the file. */
function rest(etag: string | null): OpenResponse {
  const headers = new Map([
    ['content-range', 'bytes 5-9/10'],
    ['content-length', '5'],
  ])
  if (etag !== null) headers.set('etag', etag)
  return {
    status: 206,
    headers: { get: (name) => headers.get(name) ?? null },
    body: Readable.from([new TextEncoder().encode('fghij')]),
    cancel: () => Promise.resolve(),
  }
}

function beginTransfer(answer: OpenResponse, series = metric) {
  const { folder, parts } = openTestStore()
  const path = parts.pathOf(series, period)
  mkdirSync(dirname(path), { recursive: true })
  parts.begin(series, period, '"a"', 0)
  writeFileSync(path, 'abcde')
  const requests: (Record<string, string> | undefined)[] = []
  const http: Pick<HttpClient, 'open'> = {
    open({ headers }) {
      requests.push(headers)
      return Promise.resolve(answer)
    },
  }
  const clock = { nowMs: () => 0 }
  const signal = new AbortController().signal
  const progress: (number | null)[][] = []
  const transferred = transfer(
    { http, parts, folder, clock, throttle: () => null },
    { series, period, url: 'https://files.example/1', signal, onBytes: (...bytes) => progress.push(bytes) },
  )
  return { transferred, path, parts, requests, progress }
}

test.each(['"a"', null])('the rest of the same version (etag %s) is appended to the part file', async (etag) => {
  const { transferred, path, requests, progress } = beginTransfer(rest(etag))
  expect(await transferred).toEqual({ bytes: null, etag })
  expect(requests).toEqual([{ 'accept-encoding': 'identity', range: 'bytes=5-', 'if-range': '"a"' }])
  // The bytes of the first attempt are neither overwritten nor counted twice.
  expect(readFileSync(path, 'utf8')).toBe('abcdefghij')
  expect(progress).toEqual([
    [5, 10],
    [10, 10],
  ])
})

test('the rest of another version is never appended, whatever the server makes of If-Range', async () => {
  const { transferred, path, parts } = beginTransfer(rest('"b"'))
  await expect(transferred).rejects.toMatchObject({ code: 'bad-answer' })
  expect(existsSync(path)).toBe(false)
  expect(parts.resumablePart(series, period)).toBeNull()
})

/** Returns a response whose body fails after more bytes than a transfer keeps in memory. */
function interrupted(etag: string | null): OpenResponse {
  const headers = new Map([['content-length', String(9 * 2 ** 20)]])
  if (etag !== null) headers.set('etag', etag)
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let chunk = 0; chunk < 5; chunk++) yield await Promise.resolve(new Uint8Array(2 ** 20))
    throw new Error('reset')
  }
  return {
    status: 200,
    headers: { get: (name) => headers.get(name) ?? null },
    body: body(),
    cancel: () => Promise.resolve(),
  }
}

test.each(['W/"a"', null])(
  'nothing is left of an interrupted transfer that cannot be continued (etag %s)',
  async (etag) => {
    const { transferred, path, parts } = beginTransfer(interrupted(etag))
    await expect(transferred).rejects.toThrow('reset')
    expect(existsSync(path)).toBe(false)
    expect(parts.list()).toEqual([])
  },
)

test('what an interrupted transfer left is listed with its size', async () => {
  const { transferred, parts } = beginTransfer(interrupted('"c"'))
  await expect(transferred).rejects.toThrow('reset')
  expect(parts.list()).toEqual([{ series, period, sizeBytes: 5 * 2 ** 20, isAwaited: false }])
  // The part is resumed as the version that it belongs to, not as the previous version.
  expect(parts.resumablePart(series, period)).toEqual({ sizeBytes: 5 * 2 ** 20, etag: '"c"' })
})

test.each([
  ['"c"', 'half', { sizeBytes: 4, etag: '"c"' }],
  ['W/"c"', 'half', { sizeBytes: 5, etag: '"a"' }],
  // The earlier part stays, because nothing was received.
  ['"c"', '', { sizeBytes: 5, etag: '"a"' }],
])(
  'of a small file with the etag %s, interrupted after “%s”, what can be resumed is kept',
  async (etag, text, expected) => {
    async function* body(): AsyncGenerator<Uint8Array> {
      if (text !== '') yield await Promise.resolve(new TextEncoder().encode(text))
      throw new Error('reset')
    }
    const { transferred, path, parts } = beginTransfer({ ...whole('half a file', { etag }), body: body() })
    await expect(transferred).rejects.toThrow('reset')
    expect(parts.resumablePart(series, period)).toEqual(expected)
    expect(readFileSync(path, 'utf8')).toBe(expected.etag === '"c"' ? 'half' : 'abcde')
  },
)

test('the beginning of a part that is gone meanwhile is never filled with zeros', async () => {
  const { transferred, path } = beginTransfer(rest('"a"'))
  rmSync(path)
  await expect(transferred).rejects.toMatchObject({ code: expect.stringMatching(/network|read-only/) as string })
  expect(existsSync(path)).toBe(false)
})

test.each([
  ['999999999999999', 'too-large', metric],
  // A day has 24 hourly rows, each of which may occur twice at most.
  ['20000000', 'too-large', metric],
  ['999999999999999', 'too-large', events],
  ['16000000000', 'disk-full', events],
])('a file whose server declares %s bytes is refused before any of it is kept', async (length, code, ofSeries) => {
  let isRead = false
  const headers = new Map([['content-length', length]])
  async function* body(): AsyncGenerator<Uint8Array> {
    isRead = true
    yield await Promise.resolve(new Uint8Array(1))
  }
  const { transferred } = beginTransfer(
    {
      status: 200,
      headers: { get: (name) => headers.get(name) ?? null },
      body: body(),
      cancel: () => Promise.resolve(),
    },
    ofSeries,
  )
  const outcome = await transferred.catch((error: AppError) => error.code)
  const disk = statfsSync(tmpdir())
  // A disk with enough free space may accept the second file.
  if (code === 'disk-full' && disk.bavail * disk.bsize > 17e9) return
  expect(outcome).toBe(code)
  expect(isRead).toBe(false)
})

test('a server that has fewer bytes than the part is asked for the whole file', async () => {
  const { folder, parts } = openTestStore()
  const path = parts.pathOf(series, period)
  mkdirSync(dirname(path), { recursive: true })
  parts.begin(series, period, '"a"', 0)
  writeFileSync(path, 'longer than the file')
  const requests: unknown[] = []
  const http: Pick<HttpClient, 'open'> = {
    open({ headers }) {
      requests.push(headers)
      if (headers?.range === undefined) return Promise.resolve(whole('small'))
      const service = { message: null, status: 416, requestId: null }
      return Promise.reject(new RequestError('rejected', 'GET', { service }))
    },
  }
  const deps = { http, parts, folder, clock: { nowMs: () => 0 }, throttle: () => null }
  const request = { series, period, url: 'https://files.example/1', signal: new AbortController().signal, onBytes() {} }
  const { bytes } = await transfer(deps, request)
  expect(Buffer.concat(bytes ?? []).toString()).toBe('small')
  expect(requests).toEqual([
    { 'accept-encoding': 'identity', range: 'bytes=20-', 'if-range': '"a"' },
    { 'accept-encoding': 'identity' },
  ])
  expect(existsSync(path)).toBe(false)
})

/** Returns the response of a server that sends a whole file. */
function whole(text: string, extra: Record<string, string> = {}): OpenResponse {
  const headers = new Map(Object.entries({ 'content-length': String(text.length), etag: '"b"', ...extra }))
  return {
    status: 200,
    headers: { get: (name) => headers.get(name) ?? null },
    body: Readable.from([new TextEncoder().encode(text)]),
    cancel: () => Promise.resolve(),
  }
}

test('a whole file takes the place of the beginning of an older version', async () => {
  const { transferred, path, progress } = beginTransfer(whole('another version'))
  const { bytes, etag } = await transferred
  expect([Buffer.concat(bytes ?? []).toString(), etag]).toEqual(['another version', '"b"'])
  expect(progress).toEqual([
    [0, 15],
    [15, 15],
  ])
  // The earlier part stays until the file is committed, which removes it.
  expect(existsSync(path)).toBe(true)
})

test.each(['14', '16'])('a file of 15 bytes is not whole if the server declared %s', async (length) => {
  const { transferred } = beginTransfer(whole('another version', { 'content-length': length }))
  await expect(transferred).rejects.toMatchObject({
    code: 'network',
    detail: `GET ${period}: only 15 of ${length} bytes were received`,
  })
})

test.each([
  ['is encoded', { 'content-encoding': 'gzip', 'content-length': '9' }],
  ['says no number', { 'content-length': 'many' }],
])('the declared length does not count if the server %s', async (_, extra) => {
  const { transferred, progress } = beginTransfer(whole('another version', extra))
  expect(Buffer.concat((await transferred).bytes ?? []).toString()).toBe('another version')
  expect(progress.at(-1)).toEqual([15, null])
})

test('a chunk out of the shared pool of Node, as of a decompressed body, can be handed to a thread', async () => {
  const chunk = Buffer.allocUnsafe(9).fill(7)
  expect(chunk.buffer.byteLength).toBeGreaterThan(9)
  const { bytes } = await beginTransfer({ ...whole(''), headers: { get: () => null }, body: Readable.from([chunk]) })
    .transferred
  const handed = structuredClone(bytes!, { transfer: bytes!.map(({ buffer }) => buffer as ArrayBuffer) })
  expect([...handed[0]]).toEqual([...chunk])
})

test('a file that grows beyond the memory of a small one goes to its part file, in order', async () => {
  const chunks = [new Uint8Array(3 * 2 ** 20).fill(1), new Uint8Array(2 ** 20 + 1).fill(2), new Uint8Array(5).fill(3)]
  const { transferred, path } = beginTransfer({
    ...whole(''),
    headers: { get: () => null },
    body: Readable.from(chunks),
  })
  expect(await transferred).toEqual({ bytes: null, etag: null })
  expect(Buffer.compare(readFileSync(path), Buffer.concat(chunks))).toBe(0)
})

describe('a link that fails', () => {
  const listedBy = 'https://service.example'
  const failure = async (thrown: Error, url: string, by: string | undefined) => {
    const { folder, parts } = openTestStore()
    const http: Pick<HttpClient, 'open'> = { open: () => Promise.reject(thrown) }
    const deps = { http, parts, folder, clock: { nowMs: () => 0 }, throttle: () => null }
    const signal = new AbortController().signal
    return transfer(deps, { series, period, url, listedBy: by, signal, onBytes() {} }).catch((error: unknown) => error)
  }
  const outOfReach = (origin: string) => Object.assign(new UnreachableError('GET'), { origin })

  test.each([
    ['another server out of reach', outOfReach('https://files.example'), 'https://files.example/1'],
    ['another server that breaks off', new RequestError('network', 'GET'), 'https://files.example/1'],
    ['no valid response', new RequestError('bad-answer', 'GET'), `${listedBy}/1`],
  ])('%s: its file waits, and the service is not to blame', async (_, thrown, url) => {
    const error = await failure(thrown, url, listedBy)
    expect(error).toBeInstanceOf(LinkError)
    expect(error).toMatchObject({ code: thrown.code, detail: 'GET' })
  })

  test.each([
    ['the service out of reach', outOfReach(listedBy), `${listedBy}/1`, listedBy],
    ['the service that breaks off', new RequestError('network', 'GET'), `${listedBy}/1`, listedBy],
    ['a refusal', new RequestError('forbidden', 'GET'), 'https://files.example/1', listedBy],
    ['a busy server', new RequestError('service', 'GET'), 'https://files.example/1', listedBy],
    ['a failure on this machine', new AppError('offline'), 'https://files.example/1', listedBy],
    ['a link that no service listed', new RequestError('network', 'GET'), 'https://files.example/1', undefined],
  ])('%s is told as it is', async (_, thrown, url, by) => {
    expect(await failure(thrown, url, by)).toBe(thrown)
  })
})
