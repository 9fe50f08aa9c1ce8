import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Download } from '#shared/contract/areas/downloads.ts'
import type { ErrorCode } from '#shared/contract/errors.ts'
import { BTC, downloadWorld, hourly, type DownloadWorld, type DownloadWorldOptions } from '../../fakes/downloadWorld.ts'
import { type FakeS3, fakeS3, s3Key } from '../../fakes/fakeS3.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const chinese = 'perpetual-龙-USDT:USDT'
const key = `${s3Key.id}:${s3Key.secret}`
const brief = (downloads: Download[]) => downloads.map(({ period, outcome }) => `${period} ${outcome}`).toSorted()

async function desk(store: string, storeEndpoint = '', options: DownloadWorldOptions = {}): Promise<DownloadWorld> {
  const world = await downloadWorld(options)
  const { client, connectionId } = world
  await client.call('connections.edit', { id: connectionId, store, ...(storeEndpoint && { storeEndpoint }) })
  await client.call('keys.set', { connectionId, service: 'store', key })
  return world
}

const publish = ({ client, connectionId }: DownloadWorld, request: object = {}) =>
  client.call('downloads.publish', { request: { ...hourly, ...request, connectionId } })

const parquetKeys = ({ objects }: FakeS3) => [...objects.keys()].filter((each) => each.endsWith('.parquet')).toSorted()

describe('a store in a bucket', () => {
  it('is filled by one desk and copied from by another, also a symbol like 龙', async () => {
    const s3 = await fakeS3()
    const first = await desk('s3://research/team data', s3.url)
    await first.fetch({ symbols: [chinese] })
    expect(await publish(first, { symbols: [chinese] })).toMatchObject({ published: 4, there: 0, problems: [] })
    expect(parquetKeys(s3)[0]).toMatch(
      /^team data\/dataset=vtwap\/exchange=venuea-futures\/symbol=perpetual-%E9%BE%99-USDT%3AUSDT\/interval=1h\/timestamp=exchange\/2026-09-01\.[0-9a-f]{16}\.parquet$/,
    )
    expect(await publish(first, { symbols: [chinese] })).toMatchObject({ published: 0, rewritten: 0, there: 4 })
    const second = await desk('s3://research/team data', s3.url, { key: 'no-such-key' })
    const downloads = await second.fetch({ symbols: [chinese] })
    expect(brief(downloads).every((each) => each.endsWith(' copied'))).toBe(true)
  })

  it('heals a damaged file, which counts as absent until then', async () => {
    const s3 = await fakeS3()
    const first = await desk('s3://research', s3.url)
    await first.fetch()
    await publish(first)
    const [damaged] = parquetKeys(s3)
    const { bytes } = s3.objects.get(damaged)!
    s3.put(damaged, Buffer.from(bytes).fill(0, 20, 60))
    const second = await desk('s3://research', s3.url)
    const downloads = await second.fetch()
    expect(brief(downloads)[0]).toBe('2026-09-01 downloaded')
    expect(downloads.find(({ period }) => period === '2026-09-01')?.storeProblem).toContain(
      'The store s3://research has a damaged file',
    )
    expect(await publish(second)).toMatchObject({ published: 0, rewritten: 1, there: 3 })
    expect(s3.objects.get(damaged)!.bytes.equals(bytes)).toBe(true)
  })

  it('becomes the union of what two writers publish at once', async () => {
    const s3 = await fakeS3()
    const desks = await Promise.all([desk('s3://research', s3.url), desk('s3://research', s3.url)])
    const halves = [
      { startDay: '2026-09-01', endDay: '2026-09-03' },
      { startDay: '2026-09-02', endDay: '2026-09-04' },
    ]
    await Promise.all(desks.map((each, at) => each.fetch(halves[at])))
    await Promise.all(desks.map((each, at) => publish(each, halves[at])))
    expect([...s3.objects.keys()].filter((each) => each.endsWith('.json'))).toHaveLength(2)
    const third = await desk('s3://research', s3.url)
    expect(brief(await third.fetch()).every((each) => each.endsWith(' copied'))).toBe(true)
  })

  it('is listed page by page', async () => {
    const s3 = await fakeS3({ pageSize: 7 })
    const first = await desk('s3://research', s3.url)
    await first.fetch()
    const folder = `dataset=vtwap/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1h/timestamp=exchange`
    for (let at = 0; at < 50; at++)
      s3.put(`${folder}/2020-01-01.${String(at).padStart(16, '0')}.parquet`, Buffer.from('x'))
    await publish(first)
    const second = await desk('s3://research', s3.url, { key: 'no-such-key' })
    expect(brief(await second.fetch()).every((each) => each.endsWith(' copied'))).toBe(true)
  })

  it('is found in whole where its folder has more objects than a listing names', async () => {
    const s3 = await fakeS3()
    const first = await desk('s3://research', s3.url)
    await first.fetch()
    await publish(first)
    const folder = parquetKeys(s3)[0].slice(0, parquetKeys(s3)[0].lastIndexOf('/'))
    for (let at = 0; at < 2500; at++)
      s3.put(`${folder}/2020-01-01.${String(at).padStart(16, '0')}.parquet`, Buffer.from('x'))
    const second = await desk('s3://research', s3.url, { key: 'no-such-key' })
    s3.requests.length = 0
    expect(brief(await second.fetch()).every((each) => each.endsWith(' copied'))).toBe(true)
    const pages = s3.requests.filter(
      (each) => each.includes('list-type=2') && each.includes(encodeURIComponent(folder)),
    )
    expect(pages.length).toBeGreaterThanOrEqual(3)
  })

  const broken: [what: string, answer: Parameters<FakeS3['answerNext']>[1]][] = [
    [
      'breaks off',
      (_, response) => void response.writeHead(200, { 'content-length': 9000 }).write('PAR1', () => response.destroy()),
    ],
    ['is another one', (_, response) => void response.writeHead(200).end('<html>Welcome to this network</html>')],
    ['breaks off before its first byte', (_, response) => response.destroy()],
  ]
  it.each(broken)(
    'counts as absent where the body of a file %s, and leaves nothing half taken',
    async (_what, answer) => {
      const s3 = await fakeS3()
      const first = await desk('s3://research', s3.url)
      const [{ path: whole }] = await first.fetch({ endDay: '2026-09-01' })
      await publish(first, { endDay: '2026-09-01' })
      const second = await desk('s3://research', s3.url)
      s3.answerWhere((request) => request.method === 'GET' && /\.parquet$/.test(request.url!), answer)
      const [copied] = await second.fetch({ endDay: '2026-09-01' })
      expect(copied).toMatchObject({ outcome: 'downloaded', error: null })
      expect(copied.storeProblem).toContain('The store s3://research')
      expect(readFileSync(copied.path!)).toEqual(readFileSync(whole!))
      expect(readdirSync(join(copied.path!, '..')).filter((name) => name.endsWith('.part'))).toEqual([])
    },
  )

  const silences: [what: string, matches: RegExp, answer: Parameters<FakeS3['answerNext']>[1]][] = [
    ['accepts a request and never answers', /list-type=2/, () => {}],
    ['never answers for a file that it lists', /\.parquet$/, () => {}],
    [
      'falls silent in the middle of a file',
      /\.parquet$/,
      (_, response) => void response.writeHead(200, { 'content-length': 9000 }).write('PAR1'),
    ],
  ]
  it.each(silences)(
    'is waited for once where it %s, and left alone for longer each time',
    async (_what, url, answer) => {
      const s3 = await fakeS3()
      const first = await desk('s3://research', s3.url)
      await first.fetch()
      await publish(first)
      const second = await desk('s3://research', s3.url, {
        timeouts: { connectMs: 10_000, headersMs: 1000, idleMs: 1000 },
      })
      let waitCount = 0
      s3.answerWhere((request) => url.test(request.url!) && waitCount++ >= 0, answer)
      const fetchDay = async (day: string) => {
        const [download] = await second.fetch({ startDay: day, endDay: day })
        return { outcome: download.outcome, problem: download.storeProblem }
      }
      const silent = {
        outcome: 'downloaded',
        problem: expect.stringContaining('The store s3://research could not be used'),
      }
      expect(await fetchDay('2026-09-01')).toEqual(silent)
      expect(waitCount).toBe(1)
      expect(await fetchDay('2026-09-02')).toEqual(silent)
      expect(waitCount).toBe(1)
      second.clock.advance(61_000)
      expect(await fetchDay('2026-09-03')).toEqual(silent)
      expect(waitCount).toBe(2)
      second.clock.advance(61_000)
      expect(await fetchDay('2026-09-04')).toEqual(silent)
      expect(waitCount).toBe(2)
    },
  )

  it('is asked again after its silence, and copied from', async () => {
    const s3 = await fakeS3()
    const first = await desk('s3://research', s3.url)
    await first.fetch()
    await publish(first)
    const second = await desk('s3://research', s3.url, {
      timeouts: { connectMs: 10_000, headersMs: 1000, idleMs: 1000 },
    })
    let isSilent = true
    s3.answerWhere(
      () => isSilent,
      () => {},
    )
    await second.fetch({ endDay: '2026-09-01' })
    isSilent = false
    second.clock.advance(61_000)
    expect(brief(await second.fetch({ startDay: '2026-09-02' })).every((each) => each.endsWith(' copied'))).toBe(true)
  })

  it('has no manifest of files that it did not take whole', async () => {
    const s3 = await fakeS3()
    const world = await desk('s3://research', s3.url)
    await world.fetch()
    let puts = 0
    s3.answerWhere(
      (request) => request.method === 'PUT' && ++puts > 2,
      (_, response) => response.destroy(),
    )
    await expect(publish(world)).rejects.toThrow()
    expect([...s3.objects.keys()].filter((each) => each.endsWith('.json'))).toEqual([])
    s3.answerWhere(
      () => false,
      () => {},
    )
    expect(await publish(world)).toMatchObject({ published: 2, there: 2 })
    expect(parquetKeys(s3)).toHaveLength(4)
  })

  it('learns the region of its bucket, and waits when it is asked to', async () => {
    const s3 = await fakeS3({ region: 'eu-west-3' })
    const first = await desk('s3://research', s3.url)
    await first.fetch({ endDay: '2026-09-01' })
    s3.answerNext(2, (_, response) => response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>'))
    expect(await publish(first, { endDay: '2026-09-01' })).toMatchObject({ published: 1 })
  })

  const refusals: [code: string, status: number, error: ErrorCode, sentence: RegExp][] = [
    ['InvalidAccessKeyId', 403, 'login', /it does not know the ID of the key/],
    ['SignatureDoesNotMatch', 403, 'login', /the secret of the key is wrong/],
    ['AccessDenied', 403, 'rejected', /the key does not permit this in bucket research/],
    ['NoSuchBucket', 404, 'not-found', /there is no bucket research/],
    ['RequestTimeTooSkewed', 403, 'rejected', /clock of this machine is off/],
    ['PermanentRedirect', 301, 'rejected', /bucket research is at another address/],
  ]
  it.each(refusals)('says what %s means, and the service is asked for files', async (code, status, error, sentence) => {
    const s3 = await fakeS3()
    const world = await desk('s3://research', s3.url)
    s3.answerNext(100, (_, response) =>
      response
        .writeHead(status, status === 301 ? { location: 'https://other.example/' } : {})
        .end(`<Error><Code>${code}</Code><StringToSign>${s3Key.secret}</StringToSign></Error>`),
    )
    const [first] = await world.fetch({ endDay: '2026-09-01' })
    expect(first.outcome).toBe('downloaded')
    expect(first.storeProblem).toMatch(sentence)
    await expect(publish(world, { endDay: '2026-09-01' })).rejects.toMatchObject({ code: error })
  })

  it('tells its key to nobody', async () => {
    const s3 = await fakeS3()
    const world = await desk('s3://research', s3.url)
    await world.fetch()
    await publish(world)
    s3.answerNext(100, (_, response) =>
      response.writeHead(403).end(`<Error><Code>X</Code><Message>${key}</Message></Error>`),
    )
    const failed = await publish(world).catch((thrown: unknown) => thrown)
    const said = [JSON.stringify(failed), String(failed), ...world.ports.log.lines]
    said.push(JSON.stringify(await world.client.call('requests.list', { limit: 1000 })))
    said.push(JSON.stringify(await world.list()))
    expect(said.join('\n')).not.toContain('canary')
    expect([...s3.objects.values()].some(({ bytes }) => bytes.includes('canary'))).toBe(false)
    for (const name of readdirSync(world.dataDir, { recursive: true, encoding: 'utf8' })) {
      const path = join(world.dataDir, name)
      if (statSync(path).isFile()) expect(readFileSync(path).includes('canary'), name).toBe(false)
    }
  })
})

describe('publishing', () => {
  it('fills a folder as well, removes what it replaced, and leaves out unfinished periods', async () => {
    const store = temporaryFolder()
    const world = await desk(store)
    await world.fetch({ endDay: '2026-09-15' })
    const { published, partial } = await publish(world, { endDay: '2026-09-15' })
    expect(published).toBeGreaterThan(3)
    expect(partial).toBeGreaterThan(0)
    const names = readdirSync(store, { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => name.endsWith('.part'))).toEqual([])
    expect(names.filter((name) => name.endsWith('.parquet'))).toHaveLength(published)
    const second = await desk(store, '', { key: 'no-such-key' })
    expect(brief(await second.fetch()).every((each) => each.endsWith(' copied'))).toBe(true)
  })

  it('is refused where the policy of the machine forbids it, and where there is no store', async () => {
    const policy = { file: '/etc/policy.json', rules: { forbidPublishing: true } }
    const world = await desk(temporaryFolder(), '', { policy })
    const place = { store: temporaryFolder(), storeEndpoint: '', storePlainHttp: false }
    await world.fetch({ endDay: '2026-09-01' })
    await expect(publish(world)).rejects.toMatchObject({ code: 'policy' })
    const { connectionId, client } = world
    await expect(client.call('downloads.publishTarget', { connectionId })).rejects.toMatchObject({ code: 'policy' })
    const all = { connectionId, startMs: null, endMs: null, ...place }
    await expect(client.call('series.publishHive', all)).rejects.toMatchObject({ code: 'policy' })
    expect(readdirSync(place.store)).toEqual([])
    const without = await downloadWorld()
    await expect(publish(without)).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('does not publish a file that is damaged here', async () => {
    const world = await desk(temporaryFolder())
    const [first] = await world.fetch({ symbols: [BTC], endDay: '2026-09-01' })
    rmSync(first.path!)
    expect(await publish(world, { endDay: '2026-09-01' })).toMatchObject({
      published: 0,
      problems: [expect.stringContaining('cannot be read here')],
    })
  })
})
