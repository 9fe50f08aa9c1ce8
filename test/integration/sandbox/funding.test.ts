import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { announcementOf } from '../../../electron/sandbox/announcement.ts'
import { parseVenues } from '../../../electron/sandbox/market/venues.ts'
import { readParquet } from '../../fakes/readParquet.ts'
import { get, startTestSandbox, type TestSandbox } from '../../fakes/testSandbox.ts'

const HOUR_MS = 3_600_000
const switchMs = Date.parse('2026-08-01')

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox({ venues: parseVenues('alpha-futures;beta-perps;gamma-perps') })
})
afterAll(() => sandbox.close())

const [alpha, beta, gamma] = ['alpha-futures', 'beta-perps', 'gamma-perps']
const symbols = {
  every: 'perpetual-LTC-USDT:USDT',
  running: 'perpetual-ADA-USDT:USDT',
  silent: 'perpetual-LINK-USDT:USDT',
}

/** Reads the times at which the served rate of a month differs from that of the bar before, both present. */
async function changesOf(exchange: string, symbol: string, month: string, interval = '1h'): Promise<number[]> {
  const days = { start: `${month}-01`, end: `${month}-28` }
  const files = await sandbox.files({ bucket: 'funding', exchange, symbol, interval, ...days })
  const read = await Promise.all(files.map(async ({ url }) => await readParquet((await get(url)).bytes)))
  const bars = read.flatMap(({ numbers }) => {
    const rates = numbers('funding_rate')
    return numbers('time').map((timeMs, row) => ({ timeMs, rate: rates[row] }))
  })
  return bars.flatMap(({ timeMs, rate }, row) => {
    const before = bars[row - 1]
    const isChange = row > 0 && !Number.isNaN(before.rate) && !Number.isNaN(rate) && rate !== before.rate
    return isChange ? [timeMs] : []
  })
}

const areAllAt = (times: readonly number[], hours: number) => times.every((timeMs) => timeMs % (hours * HOUR_MS) === 0)

describe('served rates', () => {
  test.each([
    ['every 8 h', alpha, 'perpetual-ETH-USDT:USDT', '2026-06', 8],
    ['every 8 h before a switch', alpha, symbols.every, '2026-07', 8],
    ['every 4 h after a switch', alpha, symbols.every, '2026-08', 4],
    ['every 8 h without a word of it', beta, symbols.silent, '2026-07', 8],
    ['every hour', gamma, 'perpetual-ETH-USD:USDC', '2026-07', 1],
  ])('change %s', async (_, exchange, symbol, month, hours) => {
    const changes = await changesOf(exchange, symbol, month)
    expect(changes.length).toBeGreaterThanOrEqual(20)
    expect(areAllAt(changes, hours)).toBe(true)
    expect(areAllAt(changes, hours * 2)).toBe(false)
  })

  test('show the changes in short bars too', async () => {
    const changes = await changesOf(alpha, 'perpetual-ETH-USDT:USDT', '2026-06', '15s')
    expect(changes.length).toBeGreaterThanOrEqual(20)
    expect(areAllAt(changes, 8)).toBe(true)
  })

  test('that run change in bars that no period explains', async () => {
    const changes = await changesOf(alpha, symbols.running, '2026-07', '15m')
    expect(areAllAt(changes, 1)).toBe(false)
  })
})

/** Reads the settlements that the raw file of a day announces, each once, in hours since the start of 31 July 2026. */
async function announced(exchange: string, symbol: string, day: string): Promise<(number | null)[]> {
  const [file] = await sandbox.rawDataFiles({ dataset: 'funding_rate', exchange, symbol, start: day })
  const { columns } = await readParquet((await get(file.url)).bytes)
  const hours = columns.next_funding_timestamp.map((next) =>
    next === null ? null : (Number(next) / 1000 - (switchMs - 24 * HOUR_MS)) / HOUR_MS,
  )
  return [...new Set(hours)]
}

test('raw rates announce the settlements at which they change', async () => {
  expect(await announced(alpha, symbols.every, '2026-08-01')).toEqual([28, 32, 36, 40, 44, 48])
  expect(await announced(alpha, 'perpetual-ETH-USDT:USDT', '2026-08-01')).toEqual([32, 40, 48])
  const hourly = await announced(gamma, 'perpetual-ETH-USD:USDC', '2026-08-01')
  expect(hourly).toEqual(Array.from({ length: 24 }, (_, hour) => 25 + hour))
  expect(await announced(beta, 'perpetual-ETH-USDT:USDT', '2026-08-01')).toEqual([null, 32, 40, 48])
  expect(await announced(beta, symbols.silent, '2026-08-01')).toEqual([null])
})

test('the announcement lists the truth of every instrument', async () => {
  const { funding } = announcementOf(sandbox)
  const of = (exchange: string, symbol: string) =>
    funding.filter((truth) => truth.exchange === exchange && truth.symbol === symbol)
  const listed = { exchange: alpha, symbol: symbols.every, offset: '0h' }
  expect(of(alpha, symbols.every)).toEqual([
    { ...listed, from: expect.any(Number), to: switchMs, every: '8h', ratePer: '8h' },
    { ...listed, from: switchMs, to: null, every: '4h', ratePer: '4h' },
  ])
  expect(of(gamma, 'perpetual-ETH-USD:USDC')).toMatchObject([{ every: '1h', ratePer: '1h', to: null }])
  expect(funding.some(({ to }) => to !== null && to !== switchMs)).toBe(true)
  for (const { exchange } of funding) expect([alpha, beta, gamma]).toContain(exchange)
})
