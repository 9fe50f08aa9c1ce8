import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, startTestSandbox, type TestSandbox } from '../../fakes/testSandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.close())

const slice = { exchange: 'venueb-perps', symbol: 'perpetual-BTC-USDT:USDT' }
const range = { start_date: '2026-09-10', end_date: '2026-09-12' }
const paths = {
  metrics: (query: Record<string, string>) =>
    `/data/preview/ohlcv?${new URLSearchParams({ interval: '1h', timestamp: 'exchange', ...query })}`,
  raw: (query: Record<string, string>) => `/data/raw/preview/trades?${new URLSearchParams(query)}`,
}
const demo = (path: string) => sandbox.api(path, 'demo')

describe.each(['metrics', 'raw'] as const)('a preview of %s', (kind) => {
  const pathOf = paths[kind]

  test('is open to the demo key for the month and symbol that the catalog names', async () => {
    const { preview } = (await get(sandbox.catalogUrl)).json<{
      preview: { period: string; symbols: Record<string, string> }
    }>()
    expect([preview.period, preview.symbols[slice.exchange]]).toEqual(['2026-09', slice.symbol])
    const { files } = (await demo(pathOf({ ...slice, ...range }))).json<{ files: { url: string }[] }>()
    expect(files).toHaveLength(3)
    expect((await get(files[0].url)).status).toBe(200)
  })

  test('is open without a key too, but not to a key that is wrong', async () => {
    const url = `${sandbox.url}/api/v1${pathOf(slice)}`
    expect((await get(url)).status).toBe(200)
    expect((await get(url, { 'x-api-key': 'CANARY-wrong' })).status).toBe(401)
  })

  test('is the whole month without dates', async () => {
    const { files } = (await demo(pathOf(slice))).json<{ files: object[] }>()
    expect(files).toHaveLength(kind === 'raw' ? 14 : 15)
  })

  test.each([
    ['another symbol', { symbol: 'perpetual-ETH-USDT:USDT' }],
    ['another month', { start_date: '2026-08-01', end_date: '2026-08-31' }],
    ['a day more', { start_date: '2026-08-31' }],
  ])('is refused for %s', async (_, change) => {
    const refused = await demo(pathOf({ ...slice, ...range, ...change }))
    expect(refused.status).toBe(400)
    expect(refused.json()).toMatchObject({ code: 'outside_preview', details: { ...slice, period: '2026-09' } })
  })
})

test('the demo key opens nothing else that has data', async () => {
  const query = new URLSearchParams({ ...slice, ...range, interval: '1h', timestamp: 'exchange', dataset: 'trades' })
  for (const path of ['/data/ohlcv', '/data/raw/trades', '/raw/files', '/price']) {
    const refused = await demo(`${path}?${query}`)
    expect([path, refused.status, refused.json().code]).toEqual([path, 403, 'preview_only'])
  }
  expect((await demo('/metadata/catalog')).status).toBe(200)
  expect((await demo(`/metadata/symbols?exchange=${slice.exchange}`)).status).toBe(200)
})
