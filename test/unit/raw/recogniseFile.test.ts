import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { describe, expect, test } from 'vitest'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { choosePeriod } from '#core/raw/inspectFile.ts'
import { identityIssues } from '#shared/contract/identityIssues.ts'
import { datasetOf, pathHints } from '#core/raw/pathHints.ts'
import { dayNumberOf } from '#shared/time/periods.ts'

const venues = [...venuesOfDocuments.list.map(({ id }) => id), 'heron-perps']

describe('a path', () => {
  test.each([
    [
      '/in/dataset=quotes/exchange=venueb-perps/symbol=perpetual-%E9%BE%99-USDT%3AUSDT/2026-09-01.parquet',
      { dataset: 'quotes', exchange: 'venueb-perps', symbol: 'perpetual-龙-USDT:USDT', period: '2026-09-01' },
    ],
    [
      'C:\\in\\venuec-perps\\mark_price_perpetual-1000-A-B-USD%3AUSDC_2026-07.parquet',
      { dataset: 'mark_price', exchange: 'venuec-perps', symbol: 'perpetual-1000-A-B-USD:USDC', period: '2026-07' },
    ],
    ['/in/trades.parquet', { dataset: 'trades', exchange: null, symbol: null, period: null }],
    ['/in/20260901-99.parquet', { dataset: null, exchange: null, symbol: null, period: null }],
    ['/in/x_2026-02-31.parquet', { dataset: null, exchange: null, symbol: null, period: null }],
    [
      '/in/symbol=perpetual-A%2FB-USDT%3AUSDT/1.parquet',
      { dataset: null, exchange: null, symbol: 'perpetual-A/B-USDT:USDT', period: null },
    ],
    [
      '/in/heron-perps/trades/ETH-USDT/2026-09.parquet',
      { dataset: 'trades', exchange: 'heron-perps', symbol: 'ETH-USDT', period: '2026-09' },
    ],
    ['/in/%E0%A4%A/mark_prices.parquet', { dataset: null, exchange: null, symbol: null, period: null }],
  ])('%s', (path, hints) => expect(pathHints(path, venues)).toEqual(hints))
})

describe('a folder tree of venue, dataset and symbol', () => {
  const orders = [
    ['gamma-perps', 'trades', 'S'],
    ['gamma-perps', 'S', 'trades'],
    ['trades', 'gamma-perps', 'S'],
    ['trades', 'S', 'gamma-perps'],
    ['S', 'gamma-perps', 'trades'],
    ['S', 'trades', 'gamma-perps'],
  ]
  const symbols = ['perpetual-BTC-USD:USDC', 'future-BTC-USDT:USDT-20261225', 'ETH-USDT', '龙-USDT']

  test.each(orders)('is read in the order %s, %s, %s', (...order) => {
    for (const symbol of symbols)
      for (const written of [symbol, encodeURIComponent(symbol)]) {
        const path = ['/home/me/quotes', ...order.map((part) => (part === 'S' ? written : part)), '2026-06.parquet']
        expect(pathHints(path.join('/'), ['alpha-futures', 'gamma-perps'])).toEqual({
          dataset: 'trades',
          exchange: 'gamma-perps',
          symbol,
          period: '2026-06',
        })
      }
  })

  test('of a venue that is not known leaves the venue to be named, and takes no venue for a symbol', () => {
    expect(pathHints('/in/delta-spot/trades/ETH-USDT/2026-06-01.parquet', ['gamma-perps'])).toMatchObject({
      exchange: null,
      symbol: 'ETH-USDT',
    })
    expect(pathHints('/in/trades/gamma-perps/2026-06-01.parquet', ['gamma-perps'])).toMatchObject({
      exchange: 'gamma-perps',
      symbol: null,
    })
  })
})

test('columns tell each dataset, also where some are missing or others are there', () => {
  for (const { id, columns } of rawDatasets) {
    const names = columns.map(({ name }) => name)
    expect(datasetOf([...names, 'exchange_timestamp_kind', 'note'])).toBe(id)
  }
  expect(datasetOf(['exchange_timestamp', 'id', 'price', 'amount'])).toBe('trades')
  expect(datasetOf(['time', 'vwap', 'twap'])).toBeNull()
  expect(datasetOf([])).toBeNull()
})

test('what does not fit a venue or a symbol is reported', () => {
  const messages = (
    dataset: string | null,
    exchange: string | null,
    asked: string | null,
    hasTimeKind: boolean,
    known = venuesOfDocuments,
  ) => identityIssues(dataset, exchange, asked, hasTimeKind, known).map((finding) => finding.message)
  const symbol = 'perpetual-BTC-USDT:USDT'
  expect(messages('trades', 'venuec-perps', symbol, false)).toEqual([])
  expect(messages('mark_price', 'venuec-perps', symbol, false)).toEqual([
    expect.stringMatching(/exchange_timestamp_kind is missing/),
  ])
  expect(messages('mark_price', 'venuea-futures', symbol, true)).toHaveLength(1)
  expect(messages('trades', 'elsewhere', 'perpetual-A/B-USDT:USDT', false)).toEqual([
    expect.stringMatching(/^“elsewhere” is not among the venues of this connection/),
    expect.stringMatching(/without slashes/),
  ])
  expect(messages(null, null, null, false)).toHaveLength(2)
})

describe('the period', () => {
  const days = (counts: Record<string, number>) =>
    new Map(Object.entries(counts).map(([day, events]) => [dayNumberOf(day), events]))
  const periodAndLevels = (named: string | null, counts: Record<string, number>) => {
    const { period, issues } = choosePeriod(named, days(counts))
    return [period, ...issues.map(({ level }) => level)]
  }

  test.each<[string, string | null, Record<string, number>, unknown[]]>([
    ['one day', null, { '2026-09-01': 5 }, ['2026-09-01']],
    ['the day of the name', '2026-09-01', { '2026-09-01': 5 }, ['2026-09-01']],
    ['a month by its name', '2026-09', { '2026-09-01': 5 }, ['2026-09']],
    ['days of a month', null, { '2026-09-01': 5, '2026-09-30': 1 }, ['2026-09']],
    ['strays across midnight', '2026-09-01', { '2026-09-01': 5000, '2026-09-02': 1 }, ['2026-09-01', 'warning']],
    ['a few strays without a name', null, { '2026-09-30': 5000, '2026-10-01': 1 }, ['2026-09-30', 'warning']],
    ['a name that is wrong', '2026-09-02', { '2026-09-01': 5 }, ['2026-09-01', 'warning']],
    ['two months', null, { '2026-09-30': 5, '2026-10-01': 5 }, [null, 'error']],
  ])('%s', (_, named, counts, expected) => expect(periodAndLevels(named, counts)).toEqual(expected))
})
