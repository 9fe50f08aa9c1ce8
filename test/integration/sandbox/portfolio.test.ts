import { afterAll, beforeAll, expect, test } from 'vitest'
import { readParquet } from '../../fakes/readParquet.ts'
import { startTestSandbox, type TestSandbox } from '../../fakes/testSandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.close())

interface Matrix {
  data: (number | null)[][]
  index: string[]
  columns: string[]
}

test('all twelve calls answer under the one origin', async () => {
  const calls = [
    '/portfolio/live-weights?portfolio=momentum_ls.20',
    '/portfolio/historical-weights?portfolio=momentum_ls.20&start_date=2026-09-01',
    '/portfolio/factors?id=momentum&tickers=BTC,ETH&start_date=2026-09-01',
    '/portfolio/factors-live?id=momentum&tickers=BTC,ETH',
    '/portfolio/tickers?id=momentum&universe_size=20',
    '/portfolio/universe?size=20&start_date=2026-09-01',
    '/portfolio/returns?portfolio=momentum_ls.20&start_date=2026-09-01',
    '/portfolio/risk-overlay?portfolio=momentum_ls.20&overlay=vol_target&start_date=2026-09-01',
    '/portfolio/risk-overlay-live?portfolio=momentum_ls.20&overlay=vol_target',
    '/risk-regime?overlay=market_trend&start_date=2026-09-01',
    '/risk-regime-live?overlay=market_trend',
    '/price?ticker=BTC',
  ]
  const answers = await Promise.all(calls.map((call) => sandbox.api(call)))
  expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200))
})

test('prices are the closes of the market that trades here', async () => {
  const { data, index, columns } = (await sandbox.api('/price?ticker=BTC, ETH&start_date=2026-09-01')).json<Matrix>()
  expect(columns).toEqual(['BTC', 'ETH'])
  const day = index.indexOf('2026-09-03')
  const candles = await readParquet(await sandbox.file({ bucket: 'ohlcv', interval: '1d', start: '2026-09-03' }))
  expect(candles.numbers('close')[0] / Number(data[day][0])).toBeCloseTo(1, 2)
})

test('errors of the service have the shape of the others, also under a fault', async () => {
  const refused = await sandbox.api('/portfolio/returns?portfolio=momentum_ls.20&smoothing=7')
  expect([refused.status, refused.json()]).toEqual([
    400,
    { error: expect.any(String), code: expect.any(String), details: expect.any(Object) },
  ])
})

test('missing values are NaN on demand', async () => {
  const call = '/price?ticker=BTC,HYPE&start_date=2020-01-01&end_date=2020-01-05'
  expect((await sandbox.api(call)).text).toContain('null')
  sandbox.setFaults({ jsonNaN: true })
  const { text } = await sandbox.api(call)
  sandbox.setFaults({})
  expect(text).toContain('NaN')
  expect(text).not.toContain('null')
})

test('histories end 30 days ago on demand', async () => {
  const lastDay = async () => (await sandbox.api('/price?ticker=BTC,ETH')).json<Matrix>().index.at(-1)
  expect(await lastDay()).toBe('2026-09-14')
  sandbox.setFaults({ historyEndsDaysAgo: 30 })
  const before = await lastDay()
  sandbox.setFaults({})
  expect(before).toBe('2026-08-15')
})
