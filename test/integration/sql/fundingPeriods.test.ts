import { expect, test } from 'vitest'
import { MS_PER_DAY, MS_PER_HOUR } from '#shared/time.ts'
import { addFundingEvents, addMetricFiles } from '../../fakes/cacheMarket.ts'
import { instrumentRow } from '../../fakes/instrumentRow.ts'
import { openSqlWorld } from '../../fakes/sqlWorld.ts'

const BTC = { exchange: 'alpha-futures', symbol: 'perpetual-BTC-USDT:USDT' }
const ETH = { exchange: 'beta-perps', symbol: 'perpetual-ETH-USDT:USDT' }
const AUGUST = Date.UTC(2026, 7, 1)
const SEPTEMBER = Date.UTC(2026, 8, 1)

/** One venue whose rates change every eight hours in August, announced as four hours before; raw events of another. */
function market() {
  const world = openSqlWorld()
  const { store, dataDir } = world
  const rows = Array.from({ length: 31 * 24 }, (_, hour) => ({
    time: AUGUST + hour * MS_PER_HOUR,
    funding_rate: Math.floor(hour / 8) / 1000,
  }))
  const columns = ['funding_rate']
  addMetricFiles(store, dataDir, { ...BTC, dataset: 'funding', interval: '1h', columns, rows }, ['2026-08'])
  addFundingEvents(
    store,
    dataDir,
    ETH,
    '2026-08-01',
    [1, 2, 3, 4].map((hour) => ({
      published: AUGUST + (hour - 1) * MS_PER_HOUR,
      rate: 0.0001,
      next: AUGUST + hour * MS_PER_HOUR,
    })),
  )
  store.instruments.replace([
    instrumentRow({ ...BTC, funding_every: '4h', funding_offset: '1h' }),
    instrumentRow({ ...BTC, valid_from: '2026-07-01' }),
    instrumentRow({ ...ETH, funding_every: '8h', funding_rate_per: '8h' }),
  ])
  return world
}

test('the table lists what is known, with open ends as null, and no row where nothing is known', async () => {
  const { query } = market()
  expect(
    await query(
      'SELECT * EXCLUDE (exchange, offset_hours) FROM cache.funding_periods ORDER BY exchange, "from" NULLS FIRST',
    ),
  ).toEqual([
    {
      symbol: BTC.symbol,
      from: null,
      to: Date.UTC(2026, 6, 1),
      every_hours: 4,
      rate_per_hours: 4,
      basis: 'announced',
    },
    { symbol: BTC.symbol, from: AUGUST, to: SEPTEMBER, every_hours: 8, rate_per_hours: 8, basis: 'inferred' },
    { symbol: ETH.symbol, from: null, to: AUGUST + MS_PER_HOUR, every_hours: 8, rate_per_hours: 8, basis: 'announced' },
    {
      symbol: ETH.symbol,
      from: AUGUST + MS_PER_HOUR,
      to: AUGUST + 4 * MS_PER_HOUR,
      every_hours: 1,
      rate_per_hours: 8,
      basis: 'observed',
    },
    {
      symbol: ETH.symbol,
      from: AUGUST + 4 * MS_PER_HOUR,
      to: null,
      every_hours: 8,
      rate_per_hours: 8,
      basis: 'announced',
    },
  ])
  expect(await query('SELECT offset_hours FROM cache.funding_periods WHERE "to" = TIMESTAMP \'2026-07-01\'')).toEqual([
    { offset_hours: 1 },
  ])
})

test('funding_hours is the period at a time, and NULL where it is not known', async () => {
  const { query } = market()
  const hours = async (of: typeof BTC, timeMs: number) => {
    const at = new Date(timeMs).toISOString().slice(0, -1)
    const [row] = await query(`SELECT funding_hours('${of.exchange}', '${of.symbol}', '${at}') AS hours`)
    return row.hours
  }
  expect(await hours(BTC, 0)).toBe(4)
  expect(await hours(BTC, AUGUST - MS_PER_DAY)).toBeNull()
  expect(await hours(BTC, AUGUST)).toBe(8)
  expect(await hours(BTC, SEPTEMBER)).toBeNull()
  expect(await hours(ETH, AUGUST + MS_PER_HOUR - 1)).toBe(8)
  expect(await hours(ETH, AUGUST + MS_PER_HOUR)).toBe(1)
  expect(await hours(ETH, AUGUST + 4 * MS_PER_HOUR)).toBe(8)
  expect(await hours({ ...ETH, symbol: BTC.symbol }, AUGUST)).toBeNull()
})

test('funding_hours goes row by row, in conditions too', async () => {
  const { query, sql } = market()
  const text = `SELECT count(*) AS n, sum(funding_rate * 8760 / funding_hours(exchange, symbol, time)) AS total
    FROM metrics.funding WHERE funding_hours(exchange, symbol, time) = 8`
  const rates = Array.from({ length: 31 * 24 }, (_, hour) => Math.floor(hour / 8) / 1000)
  const [{ n, total }] = await query(text)
  expect(n).toBe(rates.length)
  expect(Number(total)).toBeCloseTo(
    rates.reduce((sum, rate) => sum + (rate * 8760) / 8, 0),
    6,
  )
  expect(
    await query('SELECT count(*) AS n FROM metrics.funding WHERE funding_hours(exchange, symbol, time) = 4'),
  ).toEqual([{ n: 0 }])
  await expect(sql.preflight({ sql: text, parameters: {}, connectionId: '' })).resolves.toMatchObject({ files: 1 })
})

test('a stored result is out of date once a period is typed', async () => {
  const { store, sql } = market()
  const query = { sql: 'SELECT count(*) FROM cache.funding_periods', parameters: {}, connectionId: '' }
  const before = await sql.fingerprint(query)
  expect(await sql.fingerprint(query)).toBe(before)
  store.fundingDefaults.set({ exchange: BTC.exchange, symbol: null, every: '1h' })
  expect(await sql.fingerprint(query)).not.toBe(before)
})
