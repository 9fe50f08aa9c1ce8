import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { metricDataset, metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { get, startTestSandbox, type TestSandbox } from '../../fakes/testSandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.close())

const flow = '/data/flow?timestamp=exchange&interval=1m&exchange=venuea-futures&symbol=perpetual-BTC-USDT:USDT'
const inRange = `${flow}&start_date=2026-09-01&end_date=2026-09-02`

describe('the key', () => {
  test.each(['/metadata/catalog', '/metadata/symbols', '/data/flow', '/data/nothing', '/raw/files', '/price'])(
    '%s says 401 before it looks at parameters',
    async (path) => {
      for (const headers of [{}, { 'x-api-key': 'wrong' }] as Record<string, string>[]) {
        const answer = await get(`${sandbox.url}/api/v1${path}`, headers)
        expect(answer.status).toBe(401)
        expect(answer.json()).toMatchObject({ code: 'invalid_api_key', error: expect.any(String), details: {} })
      }
    },
  )

  test.each([
    ['0', ['vtwap', 'ohlcv']],
    ['1', ['vtwap', 'flow', 'trade_size', 'range', 'funding', 'open_interest', 'ohlcv']],
    ['3', metricDatasets.map(({ id }) => id as string)],
  ] as const)('of tier %s opens its buckets and no others', async (tier, open) => {
    for (const { id } of metricDatasets) {
      const answer = await sandbox.data({ bucket: id, start: '2026-09-01', tier })
      expect([id, answer.status]).toEqual([id, (open as readonly string[]).includes(id) ? 200 : 403])
    }
  })

  test('below tier 3 the short intervals are refused with the tier that is needed', async () => {
    for (const interval of ['15s', '30s']) {
      const refused = await sandbox.data({ bucket: 'flow', interval, start: '2026-09-01', tier: '2' })
      expect(refused.status).toBe(403)
      expect(refused.json()).toMatchObject({ code: 'tier_required', details: { required_tier: 3, tier: 2 } })
      expect((await sandbox.data({ bucket: 'flow', interval, start: '2026-09-01' })).status).toBe(200)
    }
  })
})

describe('parameters', () => {
  test.each([
    ['/metadata/symbols', 'exchange'],
    ['/metadata/symbols?exchange=elsewhere', 'exchange'],
    [inRange.replace('timestamp=exchange', 'timestamp=mine'), 'timestamp'],
    [inRange.replace('timestamp=exchange&', ''), 'timestamp'],
    [inRange.replace('1m', '2m'), 'interval'],
    [inRange.replace('venuea-futures', 'venuea'), 'exchange'],
    [inRange.replace('perpetual-BTC-USDT:USDT', 'BTC'), 'symbol'],
    [inRange.replace('2026-09-01', '2026-9-1'), 'start_date'],
    [inRange.replace('2026-09-02', '2026-02-30'), 'end_date'],
    [inRange.replace('2026-09-02', '2026-08-31'), 'end_date'],
    ['/raw/files?dataset=books', 'dataset'],
  ])('%s is refused for its %s', async (path, parameter) => {
    const answer = await sandbox.api(path)
    expect(answer.status).toBe(400)
    expect(answer.json()).toMatchObject({ error: expect.any(String), code: expect.any(String), details: { parameter } })
  })

  test('an unknown bucket and an unknown path are 404, another method 405', async () => {
    expect((await sandbox.api('/data/nothing')).status).toBe(404)
    expect((await sandbox.api('/nothing')).status).toBe(404)
    expect((await get(`${sandbox.url}/elsewhere`)).status).toBe(404)
    const posted = await get(`${sandbox.url}/api/v1/metadata/catalog`, { 'x-api-key': sandbox.keys['0'] }, 'POST')
    expect(posted.status).toBe(405)
  })
})

describe('discovery', () => {
  test('the catalog has all datasets with their fields, and one that is not documented', async () => {
    const { metrics } = (await sandbox.api('/metadata/catalog', '0')).json<{
      metrics: { id: string; fields: object[] }[]
    }>()
    expect(metrics.map(({ id }) => id)).toEqual([...metricDatasets.map(({ id }) => id), 'derivative_price'])
    expect(metrics.find(({ id }) => id === 'flow')?.fields).toHaveLength(metricDataset('flow').columns.length)
    expect(metrics[0].fields[0]).toEqual({
      name: 'taker_buy_volume',
      label: expect.any(String),
      description: expect.any(String),
    })
  })

  test('symbols are those that have data by now', async () => {
    const symbols = async () =>
      (await sandbox.api('/metadata/symbols?exchange=venueb-perps', '0')).json<{
        symbols: string[]
        exchange: string
      }>()
    const now = await symbols()
    expect(now.exchange).toBe('venueb-perps')
    expect(now.symbols.length).toBeGreaterThan(250)
    sandbox.setNow(Date.parse('2021-01-01T00:00:00Z'))
    const before = await symbols()
    sandbox.setNow(Date.parse('2026-09-15T12:34:56Z'))
    expect(before.symbols.length).toBeLessThan(now.symbols.length)
    expect(now.symbols).toEqual(expect.arrayContaining(before.symbols))
  })
})

describe('listings', () => {
  test('months come whole before August 2026, days from then on, in order', async () => {
    const files = await sandbox.files({ bucket: 'vtwap', start: '2026-06-30', end: '2026-08-03' })
    expect(files.map(({ year, month, day }) => [year, month, day])).toEqual([
      [2026, 6, undefined],
      [2026, 7, undefined],
      [2026, 8, 1],
      [2026, 8, 2],
      [2026, 8, 3],
    ])
    expect(Object.keys(files[0])).toEqual(['year', 'month', 'url'])
    expect(new URL(files[0].url).pathname).toMatch(/\/venuea-futures\/1h\/\w+\/2026-06\.parquet$/)
    expect(new URL(files[4].url).pathname).toMatch(/\/2026-08-03\.parquet$/)
  })

  test('the day of the clock is the last one listed', async () => {
    const files = await sandbox.files({ bucket: 'vtwap', start: '2026-09-14', end: '2026-10-31' })
    expect(files.map(({ day }) => day)).toEqual([14, 15])
  })

  test('before the listing and for a symbol nobody has there is nothing, and that is no error', async () => {
    for (const asked of [
      { symbol: 'perpetual-NOSUCHTHING-USDT:USDT', start: '2026-09-01' },
      { start: '2015-01-01', end: '2015-12-31' },
    ]) {
      const answer = await sandbox.data({ bucket: 'vtwap', ...asked })
      expect([answer.status, answer.text]).toEqual([200, '{"files":[]}'])
    }
  })

  test('some symbols have metrics by exchange time and none by arrival', async () => {
    const { symbols } = (await sandbox.api('/metadata/symbols?exchange=venuec-perps')).json<{ symbols: string[] }>()
    const counts = await Promise.all(
      symbols.map(async (symbol) => {
        const asked = { bucket: 'vtwap', exchange: 'venuec-perps', symbol, start: '2026-09-10', end: '2026-09-14' }
        const [exchange, arrival] = await Promise.all([
          sandbox.files(asked),
          sandbox.files({ ...asked, timestamp: 'true' }),
        ])
        return [exchange.length, arrival.length]
      }),
    )
    expect(counts.some(([exchange, arrival]) => exchange > 0 && arrival === 0)).toBe(true)
    expect(counts.filter(([exchange, arrival]) => exchange === arrival).length).toBeGreaterThan(counts.length * 0.9)
  })
})

test('a port that is taken is an error, and nothing stays open', async () => {
  const port = Number(new URL(sandbox.url).port)
  await expect(startTestSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
