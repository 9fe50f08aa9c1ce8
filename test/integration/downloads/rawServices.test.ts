/** Raw events as services really list them, most of it in ways that the sandbox never does. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createApp } from '#core/app.ts'
import type { ConnectionFields } from '#shared/contract/areas/connections.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { columnOf, cellOf } from '#shared/contract/frame.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { fakeService, sendJson } from '../../fakes/fakeService.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { runningClock } from '../../fakes/downloadWorld.ts'
import { RawFolder, stampsAt } from '../rawFolder.ts'

const venue = 'alpha-futures'
const symbol = 'perpetual-BTC-USDT:USDT'
const listed = '/api/v1/data/raw/trades'

const catalog = {
  schema_version: 1,
  daily_files_from: '2026-08-01',
  preview: { period: '2026-07', symbols: { [venue]: symbol } },
  datasets: [
    { id: 'trades', exchanges: [venue, 'beta-perps'], columns: [] },
    { id: 'liquidations', exchanges: [venue], columns: [] },
  ],
  coverage: {
    generated_at: '2026-09-01T00:00:00Z',
    datasets: {
      trades: {
        [venue]: {
          [symbol]: {
            ...{ first: '2026-07-01T00:00:00Z', last: '2026-08-31', days: 60, bytes: 6000 },
            missing: ['2026-08-03', '2026-08-04T00:00:00Z'],
          },
        },
      },
    },
  },
}

type Answer = (address: URL, response: ServerResponse) => void

/** Starts a service that answers each path as the test says, and an app that is connected to it. */
async function world(answers: Record<string, Answer>, fields: Partial<ConnectionFields> = {}) {
  const raw = await RawFolder.create()
  const bytesOf = new Map<string, Buffer>()
  const fileOf = async (period: string) => {
    const day = period.length === 7 ? `${period}-01` : period
    const path = await raw.write(
      'trades',
      period,
      `SELECT ${stampsAt(day, 'i * 1000000')}, CAST(i AS VARCHAR) AS id, 'buy' AS side, 100e0 AS price, 1e0 AS amount
       FROM range(20) t(i)`,
    )
    bytesOf.set(period, readFileSync(path))
  }
  for (const period of ['2026-07', '2026-08-01', '2026-08-02', '2026-08-05']) await fileOf(period)
  const liquidations = await raw.write(
    'liquidations',
    '2026-08-01',
    `SELECT ${stampsAt('2026-08-01', 'i * 1000000')}, 'auction' AS cause, 100e0 + i AS price FROM range(20) t(i)`,
  )
  bytesOf.set('liquidations', readFileSync(liquidations))
  const service = await fakeService((request, response) => {
    const address = new URL(request.url ?? '', 'http://service')
    const answer = answers[address.pathname]
    if (answer) return answer(address, response)
    const bytes = bytesOf.get(address.pathname.replace('/files/', ''))
    if (!bytes) return sendJson(response, { error: `nothing at ${address.pathname}` }, 404)
    response.writeHead(200, { 'content-length': bytes.length, etag: '"1"' })
    response.end(bytes)
  })
  const clock = runningClock(Date.parse('2026-09-01T12:00:00Z'))
  const ports = { ...fakePorts(), clock: { ...fakePorts().clock, ...clock } }
  const app = createApp(ports, { version: '0', watchEveryMs: 50, dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const { id: connectionId } = await client.call('connections.add', {
    ...{ name: 'Desk', metricsUrl: service.url, portfolioUrl: '', catalogLocation: '', tier: null },
    ...fields,
  })
  await client.call('connections.use', { id: connectionId })
  await client.call('keys.set', { connectionId, service: 'metrics', key: 'CANARY-key-0123456789' })
  app.runDownloads()
  type Request = CallInput<'downloads.plan'>['request']
  const requestOf = (changes: Partial<Request> = {}): Request => ({
    ...{ connectionId, kind: 'raw', datasets: ['trades'], exchanges: [venue], symbols: [symbol] },
    ...{ startDay: '2026-08-01', endDay: '2026-08-02' },
    ...changes,
  })
  async function fetch(changes?: Partial<Request>): Promise<string[]> {
    const { batchId } = await client.call('downloads.enqueue', { request: requestOf(changes) })
    for (;;) {
      const { downloads, files } = await client.call('downloads.results', { batchId, after: null, limit: 100 })
      if (downloads.length === files)
        return downloads.map((each) => `${each.period} ${each.outcome ?? each.error?.code}`).toSorted()
      await new Promise((resume) => setTimeout(resume, 20))
    }
  }
  return {
    ...{ client, connectionId, service, fetch, clock },
    asked: (path: string) => service.requests.filter(({ url }) => url?.startsWith(path)).length,
    link: (period: string) => `${service.url}/files/${period}`,
    preview: (changes?: Partial<Request>) => client.call('downloads.preview', { request: requestOf(changes) }),
  }
}

const servesCatalog: Answer = (_, response) => sendJson(response, catalog)

describe('the catalog of a service', () => {
  test('is found without a key, and its missing days and sizes are planned with', async () => {
    const { client, service, preview } = await world({ '/api/v1/metadata/raw': servesCatalog })
    expect((await client.call('connections.list', {})).find(({ active }) => active)?.catalog).toEqual({
      from: 'unknown',
      location: '',
    })
    const { catalog: found } = await client.call('discovery.rawCatalog', {})
    expect(found.datasets.map(({ id }) => id)).toEqual(['trades', 'liquidations'])
    const location = `${service.url}/api/v1/metadata/raw`
    expect((await client.call('connections.list', {})).find(({ active }) => active)?.catalog).toEqual({
      from: 'found',
      location,
    })
    expect(service.requests.map(({ headers }) => headers['x-api-key'])).toEqual([undefined])
    expect((await client.call('connections.venues', { id: '' })).map(({ id }) => id)).toEqual([venue, 'beta-perps'])
    expect(await preview({ endDay: '2026-08-05' })).toMatchObject({
      files: { missing: 3, gap: 2 },
      toFetch: 3,
      bytes: 300,
      withoutSize: 0,
    })
    const { rows } = await client.call('discovery.coverage', {})
    expect(['missing', 'bytes', 'gaps'].map((name) => cellOf(columnOf(rows, name)!, 0))).toEqual([
      2,
      6000,
      '2026-08-03/2026-08-04',
    ])
  })

  test.each([
    ['404', (response: ServerResponse) => sendJson(response, { error: 'no' }, 404)],
    ['401, because the key is checked first', (response: ServerResponse) => sendJson(response, {}, 401)],
    ['a page', (response: ServerResponse) => response.end('<html>welcome</html>')],
  ])('that is not there (%s) is looked for once, and is no failure', async (_, answer) => {
    const { client, asked, fetch } = await world({ '/api/v1/metadata/raw': (_address, response) => answer(response) })
    for (let times = 0; times < 2; times++)
      await expect(client.call('discovery.rawCatalog', {})).rejects.toMatchObject({
        code: 'not-found',
        detail: expect.stringMatching(/has no catalog of raw events: none is set, and the service has none at/),
      })
    expect(asked('/api/v1/metadata/raw')).toBe(1)
    expect((await client.call('connections.list', {})).find(({ active }) => active)?.catalog?.from).toBe('none')
    const results = await client.call('connections.test', { id: '' })
    expect(results.find((each) => each.service === 'catalog')).toMatchObject({
      outcome: 'not-set',
      message: expect.stringMatching(/^No catalog: none is set/),
    })
    expect(await fetch()).toEqual(['2026-08-01 not-found', '2026-08-02 not-found'])
  })

  test('that is not answered is a failure, and is looked for again', async () => {
    let times = 0
    const { client, asked } = await world({
      '/api/v1/metadata/raw': (_, response) =>
        ++times < 2
          ? sendJson(response, { error: 'Failed to read' }, 503, { 'retry-after': '0' })
          : sendJson(response, catalog),
    })
    expect((await client.call('discovery.rawCatalog', {})).catalog.datasets).toHaveLength(2)
    expect(asked('/api/v1/metadata/raw')).toBe(2)
  })

  test('is another one once the service is another one', async () => {
    const { client, connectionId } = await world({ '/api/v1/metadata/raw': servesCatalog })
    await client.call('discovery.rawCatalog', {})
    await client.call('connections.edit', { id: connectionId, metricsUrl: 'http://127.0.0.1:9', sameService: true })
    const { catalog: place } = (await client.call('connections.list', {})).find(({ active }) => active)!
    expect(place).toEqual({ from: 'unknown', location: '' })
  })
})

describe('a listing', () => {
  test('with months and days, instants and no sizes is downloaded; daily files win where both are there', async () => {
    const { fetch, link } = await world({
      [listed]: (_, response) =>
        sendJson(response, {
          files: [
            { period: '2026-08-02', url: link('2026-08-02'), size: null },
            { period: '2026-08-01T00:00:00Z', url: link('2026-08-01') },
            { period: '2026-07', url: link('2026-07'), size: 99 },
          ],
          missing_periods: ['2026-08-03T00:00:00Z'],
          expires_in: 3600,
          schema_version: 7,
        }),
    })
    expect(await fetch({ startDay: '2026-07-01', endDay: '2026-08-03' })).toEqual([
      '2026-07 downloaded',
      '2026-08-01 downloaded',
      '2026-08-02 downloaded',
      '2026-08-03 absent',
    ])
  })

  test('that fails inside the service is asked again', async () => {
    let times = 0
    const { fetch, link } = await world({
      [listed]: (_, response) =>
        ++times < 2
          ? sendJson(response, { detail: 'Failed to list' }, 503, { 'retry-after': '0' })
          : sendJson(response, {
              files: ['2026-08-01', '2026-08-02'].map((period) => ({ period, url: link(period) })),
            }),
    })
    expect(await fetch()).toEqual(['2026-08-01 downloaded', '2026-08-02 downloaded'])
  })

  test('whose link has expired is asked again for just that period, once', async () => {
    const refused = (_: URL, response: ServerResponse) => {
      response.writeHead(403, { 'content-type': 'application/xml' })
      response.end('<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>')
    }
    const ranges: string[] = []
    const { fetch, link } = await world({
      '/expired': refused,
      [listed]: ({ searchParams }, response) => {
        const [start, end] = [searchParams.get('start_date'), searchParams.get('end_date')]
        ranges.push(`${start}..${end}`)
        const isFirst = ranges.length === 1
        const url = (period: string) =>
          period === '2026-08-02' && isFirst ? link(period).replace(`/files/${period}`, '/expired') : link(period)
        const files = ['2026-08-01', '2026-08-02'].map((period) => ({ period, url: url(period) }))
        sendJson(response, {
          files: files.filter(({ period }) => period >= start! && period <= end!),
          expires_in: 3600,
        })
      },
    })
    expect(await fetch()).toEqual(['2026-08-01 downloaded', '2026-08-02 downloaded'])
    expect(ranges).toContain('2026-08-02..2026-08-02')
  })

  test('moves with its service: what worked is asked first, and the other address is found again', async () => {
    let isOld = true
    const list: Answer = ({ searchParams }, response) => {
      const [start, end] = [searchParams.get('start_date')!, searchParams.get('end_date')!]
      const periods = ['2026-08-01', '2026-08-02', '2026-08-05'].filter((period) => period >= start && period <= end)
      sendJson(response, { files: periods.map((period) => ({ period, url: link(period) })) })
    }
    const notFound: Answer = (_, response) => sendJson(response, { error: 'no such address' }, 404)
    const { fetch, link, asked } = await world({
      [listed]: (...parts) => (isOld ? notFound : list)(...parts),
      '/api/v1/raw/files': (...parts) => (isOld ? list : notFound)(...parts),
    })
    expect(await fetch({ endDay: '2026-08-01' })).toEqual(['2026-08-01 downloaded'])
    expect(await fetch({ startDay: '2026-08-02' })).toEqual(['2026-08-02 downloaded'])
    expect([asked(listed), asked('/api/v1/raw/files')]).toEqual([1, 2])
    isOld = false
    expect(await fetch({ startDay: '2026-08-05', endDay: '2026-08-05' })).toEqual(['2026-08-05 downloaded'])
    expect(await fetch({ endDay: '2026-08-05', refresh: true })).toHaveLength(5)
    expect(asked('/api/v1/raw/files')).toBe(3)
  })
})

test('a plan without raw events is told in the service’s words, and locks raw events alone until they are tried', async () => {
  let isRefused = true
  const words = 'Your plan has no raw events'
  const { client, fetch, preview, link } = await world({
    '/api/v1/metadata/raw': servesCatalog,
    [listed]: (_, response) =>
      isRefused
        ? sendJson(
            response,
            { error: words, code: 'raw_not_in_plan', upgrade_url: 'https://plans.example/raw?from=app' },
            403,
          )
        : sendJson(response, { files: [{ period: '2026-08-01', url: link('2026-08-01') }] }),
  })
  expect(await fetch({ endDay: '2026-08-01' })).toEqual(['2026-08-01 forbidden'])
  expect(await preview({ datasets: ['liquidations'] })).toMatchObject({ files: { locked: 2 }, toFetch: 0 })
  expect(await preview()).toMatchObject({
    files: { locked: 2 },
    toFetch: 0,
    locked: [
      {
        dataset: 'trades',
        refusal: { message: `${words} (raw_not_in_plan) Plans: https://plans.example/raw` },
      },
    ],
  })
  expect(await client.call('coverage.refusals', {})).toMatchObject([{ kind: 'raw', dataset: '', interval: '' }])
  const metrics = { kind: 'metrics' as const, datasets: ['open_interest', 'trades'], intervals: ['1h'] }
  expect(await preview(metrics)).toMatchObject({ files: { locked: 0 } })
  isRefused = false
  expect(await fetch({ endDay: '2026-08-01', tryLocked: true, tryRefused: true })).toEqual(['2026-08-01 downloaded'])
  expect(await client.call('coverage.refusals', {})).toEqual([])
})

test('a connection of previews asks for its slice alone, and shows what the service says to it', async () => {
  let message: string | null = null
  const { client, fetch, preview, link, asked } = await world(
    {
      '/api/v1/metadata/raw': servesCatalog,
      '/api/v1/data/raw/preview/trades': ({ searchParams }, response) =>
        message === null &&
        searchParams.get('start_date') === '2026-07-01' &&
        searchParams.get('end_date') === '2026-07-31'
          ? sendJson(response, { files: [{ period: '2026-07', url: link('2026-07'), size: 5 }] })
          : sendJson(response, { error: message ?? 'not the preview' }, 400),
    },
    { preview: true },
  )
  const july = { startDay: '2026-07-01', endDay: '2026-07-31' }
  await expect(preview()).rejects.toMatchObject({
    code: 'unsupported',
    detail: `This connection is one of previews: it offers 2026-07 of ${symbol} on ${venue}, and not 2026-08-01 to 2026-08-02.`,
  })
  await expect(preview({ ...july, symbols: ['perpetual-ETH-USDT:USDT'] })).rejects.toThrow(/and not perpetual-ETH/)
  message = 'The preview is closed today'
  expect(await fetch(july)).toEqual(['2026-07 rejected'])
  const { downloads } = await client.call('downloads.list', { offset: 0, limit: 9 })
  expect(downloads.map(({ error }) => error?.service?.message ?? null)).toContain(message)
  message = null
  expect(await fetch(july)).toEqual(['2026-07 downloaded'])
  expect([asked(listed), asked('/api/v1/data/preview'), asked('/api/v1/raw/files')]).toEqual([0, 0, 0])
})

test('a dataset that only the service names is planned, downloaded, listed and read like any', async () => {
  const { client, connectionId, fetch, preview, link } = await world({
    '/api/v1/metadata/raw': servesCatalog,
    '/api/v1/data/raw/liquidations': (_, response) =>
      sendJson(response, { files: [{ period: '2026-08-01', url: link('liquidations') }] }),
  })
  await client.call('discovery.rawCatalog', {})
  const day = { datasets: ['liquidations'], startDay: '2026-08-01', endDay: '2026-08-01' }
  expect(await preview(day)).toMatchObject({ toFetch: 1 })
  expect(await fetch(day)).toEqual(['2026-08-01 downloaded'])

  const series = await client.call('coverage.cachedSeries', {})
  expect(['dataset', 'exchange', 'symbol'].map((name) => cellOf(columnOf(series, name)!, 0))).toEqual([
    'liquidations',
    venue,
    symbol,
  ])
  const selection = { connectionId, exchange: venue, symbol, dataset: 'liquidations' }
  const { files } = await client.call('raw.files', { connectionId, exchange: venue, symbol })
  expect(files).toMatchObject([{ dataset: 'liquidations', period: '2026-08-01', rows: 20 }])
  const { startDay, endDay } = files[0]
  const table = { ...selection, startDay, endDay, filters: [] }
  const { rows, count } = await client.call('raw.rows', { ...table, offset: 0, limit: 2 })
  expect([count, rows.columns.map(({ name }) => name)]).toEqual([
    20,
    ['row', 'exchange_timestamp', 'local_timestamp', 'local_timestamp_kind', 'cause', 'price'],
  ])
  const second = Date.parse('2026-08-01T00:00:05Z')
  expect(await client.call('raw.seek', { ...table, timestamp: 'exchange', timeMs: second })).toEqual({ row: 5 })
  await expect(client.call('raw.conditions', { ...selection, startDay, endDay })).rejects.toMatchObject({
    code: 'unsupported',
  })

  const read = await client.call('series.read', {
    ...{ ...selection, kind: 'raw', interval: '', timestamp: 'exchange' },
    ...{ startMs: Date.parse('2026-08-01'), endMs: second, columns: ['price'] },
  })
  expect([...columnOf(read.rows, 'price')!.values]).toEqual([100, 101, 102, 103, 104])
  const sql =
    'SELECT exchange, min(exchange_timestamp) AS first, sum(price) AS sum, any_value(cause) AS cause FROM raw.liquidations GROUP BY ALL'
  const ran = await client.call('sql.run', { sql, parameters: {} })
  if ('problem' in ran) throw new Error(ran.problem.message)
  const { frame } = await client.call('sql.rows', { result: ran.opened.id, from: 0, to: 1 })
  expect(frame.columns.map((column) => cellOf(column, 0))).toEqual([venue, Date.parse('2026-08-01'), 2190, 'auction'])
  const { views } = await client.call('sql.dictionary', {})
  const view = views.find(({ schema, name }) => schema === 'raw' && name === 'liquidations')
  expect(view?.columns.map(({ name }) => name)).toContain('cause')
})

test('a connection of previews is tested without a key by what it offers', async () => {
  const july = '2026-07'
  const { client, link, connectionId } = await world(
    {
      '/api/v1/metadata/raw': servesCatalog,
      '/api/v1/data/raw/preview/trades': (_, response) =>
        sendJson(response, { files: [{ period: july, url: link(july) }] }),
    },
    { preview: true },
  )
  await client.call('keys.remove', { connectionId, service: 'metrics' })
  const results = await client.call('connections.test', { id: '' })
  expect(results.find(({ service }) => service === 'metrics')).toMatchObject({
    outcome: 'ok',
    message: `Previews: ${july} of ${symbol} on ${venue}; 1 file of trades on ${venue}.`,
  })
})
