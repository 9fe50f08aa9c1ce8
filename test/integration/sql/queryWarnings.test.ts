import { resultProvenance } from '#core/sql/writeResult.ts'
import { expect, it } from 'vitest'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'
import { openSqlWorld, type SqlWorld } from '../../fakes/sqlWorld.ts'

const C = 'perpetual-BTC-USD:USDC'
const symbols: Record<string, string[]> = {
  'venuea-futures': ['perpetual-BTC-USDT:USDT', 'perpetual-ETH-USDT:USDT', 'perpetual-ETH-USDT:ETH'],
  'venuec-perps': [C, "perpetual-龙'-USD:USDC"],
}

/** Opens a cache with an hour of both venues, whose symbols are known. */
function openVenues(): SqlWorld {
  const world = openSqlWorld()
  for (const [exchange, names] of Object.entries(symbols)) {
    const document = {
      connectionId: 'sandbox',
      name: `symbols/${exchange}`,
      body: '{}',
      fetchedAtMs: 0,
      generatedAtMs: 0,
      source: '',
    }
    world.store.coverage.replaceSymbols(document, exchange, names)
    const series = flowSeries({ dataset: 'ohlcv', interval: '1h', exchange, symbol: names[0] })
    addCachedFile(world.store, world.dataDir, series, '2026-08-01')
  }
  return world
}

const warningsOf = async ({ sql }: SqlWorld, text: string, parameters: Record<string, string> = {}) =>
  (await sql.preflight({ sql: text, parameters, connectionId: '' })).warnings

it('finds the venue’s own symbol, as a constant that narrows the files, from a parameter and from a column', async () => {
  const world = openVenues()
  const { query, sql } = world
  const constant =
    "FROM metrics.ohlcv WHERE exchange = 'venuec-perps' AND symbol = instrument('venuec-perps', 'BTC-USD')"
  const { files, warnings } = await sql.preflight({ sql: constant, parameters: {}, connectionId: '' })
  expect({ files, warnings }).toEqual({ files: 1, warnings: [] })
  expect(await query(`SELECT DISTINCT symbol, count(*) AS n ${constant} GROUP BY ALL`)).toEqual([{ symbol: C, n: 24 }])
  const parameters = { venue: 'venuec-perps', pair: "龙'-USD" }
  expect(await query('SELECT instrument($venue, $pair) AS x', { parameters })).toEqual([
    { x: "perpetual-龙'-USD:USDC" },
  ])
  const perVenue = `SELECT exchange, instrument(exchange, base || '-USD') AS x FROM metrics.ohlcv
    WHERE clock = 'exchange' AND interval = '1h' GROUP BY ALL ORDER BY exchange`
  expect(await query(perVenue)).toEqual([
    { exchange: 'venuea-futures', x: null },
    { exchange: 'venuec-perps', x: C },
  ])
  expect(await query(`SELECT instrument('x', '${C}') AS a, instrument('x', 'A-B:C') AS b`)).toEqual([
    { a: C, b: 'perpetual-A-B:C' },
  ])
})

it('returns NULL and names the symbols where a venue has none or several', async () => {
  const world = openVenues()
  const text = `SELECT instrument('venuec-perps', 'BTC-USDT') AS none, instrument('venuea-futures', 'ETH-USDT') AS several,
    instrument('nowhere', 'BTC-USDT') AS unknown`
  expect(await world.query(text)).toEqual([{ none: null, several: null, unknown: null }])
  expect((await warningsOf(world, text)).sort()).toEqual([
    "instrument('nowhere', 'BTC-USDT') is NULL: no symbols of nowhere are known here.",
    `instrument('venuea-futures', 'ETH-USDT') is NULL: venuea-futures has several such symbols: perpetual-ETH-USDT:ETH, perpetual-ETH-USDT:USDT. Name one of them.`,
    `instrument('venuec-perps', 'BTC-USDT') is NULL: venuec-perps has no symbol with this base and quote; it has ${C}.`,
  ])
  const joined =
    "SELECT count(*) FROM metrics.ohlcv WHERE interval = '1h' AND symbol = instrument(exchange, 'ETH-USDT')"
  expect(await warningsOf(world, joined)).toEqual([expect.stringMatching(/^instrument\('venuea-futures', .* several/)])
})

it('follows the list of symbols, and takes the cached ones where a venue has no list', async () => {
  const { store, query, dataDir } = openSqlWorld()
  const text = "SELECT instrument('venuec-perps', 'BTC-USD') AS x"
  expect(await query(text)).toEqual([{ x: null }])
  addCachedFile(store, dataDir, flowSeries({ dataset: 'ohlcv', exchange: 'venuec-perps', symbol: C }), '2026-08-01')
  expect(await query(text)).toEqual([{ x: C }])
})

it('warns of rows of several intervals and clocks that no condition tells apart, on every face', async () => {
  const world = openVenues()
  const hours = flowSeries({ dataset: 'ohlcv', interval: '1h', exchange: 'venuea-futures', timestamp: 'true' })
  addCachedFile(world.store, world.dataDir, hours, '2026-08-01')
  addCachedFile(world.store, world.dataDir, flowSeries({ dataset: 'ohlcv', interval: '1m' }), '2026-08-01')
  const mixedIntervals = "mixed intervals: metrics.ohlcv has rows of 1m and 1h here; choose with WHERE interval = '1m'"
  const mixedClocks =
    "mixed clocks: metrics.ohlcv has rows of exchange and true here; choose with WHERE clock = 'exchange'"
  const sum = 'SELECT sum("value") FROM metrics.ohlcv'
  expect(await warningsOf(world, sum)).toEqual([mixedIntervals, mixedClocks])
  expect(await warningsOf(world, 'FROM metrics.ohlcv')).toEqual([mixedIntervals, mixedClocks])
  expect(await warningsOf(world, `${sum} WHERE interval = '1h'`)).toEqual([mixedClocks])
  expect(await warningsOf(world, `${sum} WHERE clock = 'true'`)).toEqual([])
  expect(await warningsOf(world, `${sum} GROUP BY interval, clock`)).toEqual([])
  expect(await warningsOf(world, 'SELECT interval, clock, sum("value") FROM metrics.ohlcv GROUP BY ALL')).toEqual([])
  expect(await warningsOf(world, 'SELECT interval, "value" FROM metrics.ohlcv ORDER BY clock')).toHaveLength(2)
  expect(await warningsOf(world, 'DESCRIBE metrics.ohlcv')).toEqual([])

  const opened = await world.sql.run({ sql: sum, parameters: {}, connectionId: '' })
  const provenance = resultProvenance(opened, { sql: sum, parameters: {} }, { version: '1', nowMs: 0 })
  expect(provenance).toMatchObject({ warnings: [mixedIntervals, mixedClocks] })
})
