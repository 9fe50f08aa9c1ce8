import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSandbox } from '../../../electron/sandbox/server.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { get, startTestSandbox, testNowMs, type TestSandbox } from '../../fakes/testSandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.close())

const asked = { bucket: 'vtwap', symbol: 'perpetual-AVAX-USDT:USDT', start: '2026-09-01' }
const urlOf = async () => (await sandbox.files(asked))[0].url

function expectDenied(answer: { status: number; headers: Headers; text: string }): void {
  expect(answer.status).toBe(403)
  expect(answer.headers.get('content-type')).toBe('application/xml')
  expect(answer.text).toContain('<Code>AccessDenied</Code>')
}

test('files lie on another origin than the API, and need no key', async () => {
  const url = await urlOf()
  expect(new URL(url).origin).toBe(sandbox.storageUrl)
  expect(sandbox.storageUrl).not.toBe(sandbox.url)
  expect((await get(url)).status).toBe(200)
  expect(sandbox.stats().storageRequestsWithKey).toBe(0)
  await get(url, { 'x-api-key': 'leaked' })
  expect(sandbox.stats().storageRequestsWithKey).toBe(1)
})

test('the thread that makes files starts after the first answer, so that it does not delay it', async () => {
  let starts = 0
  const openThread = () => ({
    start: () => void starts++,
    run: () => Promise.reject(new Error('no task is expected')),
    close: () => Promise.resolve(),
  })
  const fresh = await startSandbox({ openThread })
  expect(starts).toBe(0)
  const catalog = `${fresh.url}/api/v1/metadata/catalog`
  expect((await get(catalog, { 'x-api-key': fresh.keys['0'] })).status).toBe(200)
  await expect.poll(() => starts).toBe(1)
  await fresh.close()
})

test('a link dies after 300 seconds', async () => {
  const url = await urlOf()
  expect(new URL(url).searchParams.get('X-Link-Expires')).toBe('300')
  sandbox.setNow(testNowMs + 299_000)
  expect((await get(url)).status).toBe(200)
  sandbox.setNow(testNowMs + 301_000)
  expectDenied(await get(url))
  sandbox.setNow(testNowMs)
})

test('a tampered link, a link for another path and a path without a link are refused', async () => {
  const url = await urlOf()
  expectDenied(await get(url.replace('X-Link-Expires=300', 'X-Link-Expires=999')))
  expectDenied(await get(url.replace('vtwap', 'flow')))
  expectDenied(await get(url.replace(/\?.*/, '')))
  expectDenied(await get(`${sandbox.storageUrl}/../../etc/passwd`))
})

test('HEAD tells the size and the etag, ranges give parts of the same bytes', async () => {
  const url = await urlOf()
  const whole = await get(url)
  const head = await get(url, {}, 'HEAD')
  expect(head.headers.get('content-length')).toBe(String(whole.bytes.length))
  expect(head.headers.get('etag')).toBe(whole.headers.get('etag'))
  expect(head.bytes).toHaveLength(0)
  const part = await get(url, { range: 'bytes=10-19' })
  expect(part.status).toBe(206)
  expect(part.headers.get('content-range')).toBe(`bytes 10-19/${whole.bytes.length}`)
  expect([...part.bytes]).toEqual([...whole.bytes.subarray(10, 20)])
  const tail = await get(url, { range: 'bytes=-8' })
  expect(new TextDecoder().decode(tail.bytes.subarray(4))).toBe('PAR1')
  expect((await get(url, { range: `bytes=${whole.bytes.length}-` })).status).toBe(416)
})

test('If-Range resumes the same content and starts over where it changed', async () => {
  const first = await get(await urlOf())
  const etag = first.headers.get('etag') ?? ''
  const range = { range: 'bytes=100-' }
  // The second request uses a new link, as a client would after the first link had expired.
  const resumed = await get(await urlOf(), { ...range, 'if-range': etag })
  expect([resumed.status, resumed.bytes.length]).toEqual([206, first.bytes.length - 100])
  sandbox.setFaults({ republished: { revision: 1 } })
  const changed = await get(await urlOf(), { ...range, 'if-range': etag })
  sandbox.setFaults({})
  expect(changed.status).toBe(200)
  expect(changed.headers.get('etag')).not.toBe(etag)
})

test('a file that has not changed is not sent again', async () => {
  const etag = (await get(await urlOf())).headers.get('etag') ?? ''
  const unchanged = await get(await urlOf(), { 'if-none-match': etag })
  expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0])
  expect((await get(await urlOf(), { 'if-none-match': '"other"' })).status).toBe(200)
})

test('the same file asked for at once by many is made once', async () => {
  const before = sandbox.stats().filesMade
  const [{ url }] = await sandbox.files({ ...asked, start: '2026-09-03' })
  const answers = await Promise.all(Array.from({ length: 8 }, () => get(url)))
  expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1)
  // One computation makes the files of all ten trade datasets.
  expect(sandbox.stats().filesMade - before).toBe(10)
})

test('a folder that is full drops what was unused longest and makes it again, byte for byte', async () => {
  const small = await startTestSandbox({ cacheBytes: 1_000_000 })
  try {
    const first = await small.file({ ...asked, interval: '1m' })
    for (const start of ['2026-09-02', '2026-09-03']) await small.file({ ...asked, interval: '1m', start })
    expect(small.stats().cacheBytes).toBeLessThanOrEqual(1_000_000)
    expect(Buffer.compare(await small.file({ ...asked, interval: '1m' }), first)).toBe(0)
  } finally {
    await small.close()
  }
})

test('a client that wants a day does not wait for months that others asked for', async () => {
  const finished: string[] = []
  const urls = await Promise.all([
    ...['2026-05-01', '2026-06-01'].map((start) =>
      sandbox.files({ ...asked, bucket: 'funding', interval: '4h', start }),
    ),
    sandbox.files({ ...asked, bucket: 'open_interest', start: '2026-09-07' }),
  ])
  await Promise.all(
    urls.map(async ([{ url, month, day }]) => {
      await get(url)
      finished.push(`${month}-${day ?? 'all'}`)
    }),
  )
  expect(finished.indexOf('9-7')).toBeLessThan(2)
})

test('closing ends what is under way and leaves no folder behind', async () => {
  const parent = temporaryFolder()
  const other = await startTestSandbox({ cacheDir: parent })
  expect(readdirSync(parent)).toHaveLength(1)
  const [{ url }] = await other.files({ ...asked, interval: '15s', start: '2026-05-01' })
  const answer = get(url).catch(() => null)
  await other.close()
  await answer
  expect(readdirSync(parent)).toHaveLength(0)
})
