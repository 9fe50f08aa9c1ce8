import { noPanelCheck } from '#core/lab/panelCheck.ts'
import { createStudyService } from '#core/lab/studyService.ts'
import { createPortfolio } from '#core/portfolio/portfolio.ts'
import { createQualityService } from '#core/quality/qualityService.ts'
import { watchRows } from '#core/watch/watchRows.ts'
import { columnOf } from '#shared/contract/frame.ts'
import { MS_PER_HOUR } from '#shared/time.ts'
import { expect, onTestFinished, test } from 'vitest'
import { addMetricFiles } from '../fakes/cacheMarket.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { findFundingIn } from '../fakes/findFunding.ts'
import { instrumentRow } from '../fakes/instrumentRow.ts'
import { openTestLedger } from '../fakes/openTestLedger.ts'
import { openTestSeries } from '../fakes/openTestSeries.ts'
import { openSqlWorld } from '../fakes/sqlWorld.ts'

const pair = { exchange: 'omega-deriv', symbol: 'perpetual-BTC-USDT:USDT' }
const DAY = '2026-08-01'
const START = Date.parse(DAY)
const signal = new AbortController().signal

/** Funding is paid every 8 hours at first, every 4 from 8:00 on and every hour from 16:00 on. */
const hours = Array.from({ length: 24 }, (_, hour) => (hour < 8 ? 8 : hour < 16 ? 4 : 1))
const rates = hours.map((_, hour) => (hour + 1) / 1000)
const expected = hours.map((every, hour) => ({ hour, every, annual: rates[hour] * (8760 / every) }))

type World = ReturnType<typeof openSqlWorld>

function market(): World {
  const world = openSqlWorld()
  world.store.instruments.replace([
    instrumentRow({ ...pair, funding_every: '8h' }),
    instrumentRow({ ...pair, valid_from: `${DAY}T08:00Z`, funding_every: '4h' }),
    instrumentRow({ ...pair, valid_from: `${DAY}T16:00Z`, funding_every: '1h' }),
  ])
  return world
}

/** Adds the candles and rates of the day up to and including an hour. */
function addUpTo({ store, dataDir }: World, lastHour: number): void {
  const times = rates.slice(0, lastHour + 1).map((_, hour) => START + hour * MS_PER_HOUR)
  const candles = times.map((time) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 1 }))
  const columns = ['open', 'high', 'low', 'close', 'volume']
  const common = { ...pair, interval: '1h' }
  addMetricFiles(store, dataDir, { dataset: 'ohlcv', ...common, columns, rows: candles }, [DAY])
  const rows = times.map((time, hour) => ({ time, funding_rate: rates[hour] }))
  addMetricFiles(store, dataDir, { dataset: 'funding', ...common, columns: ['funding_rate'], rows }, [DAY])
}

/** Reads what Watch shows of the last rate. */
async function watched({ store }: World, series: ReturnType<typeof openTestSeries>) {
  const clock = { nowMs: () => START + 24 * MS_PER_HOUR }
  const quality = createQualityService({ store, clock, changedFiles: null })
  onTestFinished(() => quality.close())
  const request = { connectionId: 'sandbox', columns: [], quality: 'known' } as const
  const { rows } = await watchRows({ store, clock, series, quality }, request, { signal })
  return rows.map((row) => ({ every: row.funding_every, annual: row.funding_annualised }))
}

/** Reads a formula of the rates as a chart draws it. */
async function charted(series: ReturnType<typeof openTestSeries>, formula: string) {
  const rateSeries = { connectionId: 'sandbox', kind: 'metrics', dataset: 'funding', ...pair, interval: '1h' } as const
  const input = { series: { ...rateSeries, timestamp: 'exchange' }, timestamp: 'exchange' } as const
  const inputs = { a: { ...input, column: 'funding_rate' } }
  const { points } = await series.evaluate(
    { formula, inputs, originMs: null, startMs: null, endMs: null, points: 500 },
    signal,
  )
  return [...columnOf(points.frame, 'value')!.values]
}

/** Runs a study whose cells are the hours of the day. */
async function studied({ store }: World, value: string) {
  const clock = fakeClock(START + 24 * MS_PER_HOUR)
  const access = () => Promise.reject(new Error('offline'))
  const lab = createStudyService({
    ...{ store, clock, fundingOf: findFundingIn(store), changedFiles: null, dataDir: dataFolder() },
    openPortfolio: (connectionId) => createPortfolio(store.portfolio, clock, { connectionId, access }),
    ...{ panelCheck: noPanelCheck, ledger: openTestLedger },
  })
  onTestFinished(() => lab.close())
  const source = { exchanges: [pair.exchange], symbols: null, timestamp: 'exchange' }
  const range = { interval: '1h', start: DAY, end: DAY }
  const document = { version: 1, kind: 'seasonality', ...range, source, value, by: 'hour' }
  const answer = await lab.run(
    { document, panelPath: null, againstPath: null },
    { signal, onStage: () => undefined, keep: false, who: 'cli' },
  )
  if ('refused' in answer || answer.result.kind !== 'seasonality') throw new Error(JSON.stringify(answer))
  return answer.result
}

test('Watch, charts, SQL and the Lab tell the same funding periods and rates a year across dated changes', async () => {
  const world = market()
  const series = openTestSeries(world.store)
  for (const hour of [7, 8, 15, 16, 23]) {
    addUpTo(world, hour)
    const { every, annual } = expected[hour]
    expect(await watched(world, series)).toEqual([{ every: `${every}h`, annual }])
  }

  expect(await charted(series, 'fundinghours(a)')).toEqual(hours)
  expect(await charted(series, 'annual(a)')).toEqual(expected.map(({ annual }) => annual))

  const rows = await world.query(
    `SELECT hour(time)::INTEGER AS hour, funding_hours(exchange, symbol, time) AS every,
       funding_rate * (8760 / funding_hours(exchange, symbol, time)) AS annual
     FROM metrics.funding ORDER BY time`,
  )
  expect(rows).toEqual(expected)
  const changes = await world.query('SELECT "from", every_hours FROM cache.funding_periods ORDER BY "from" NULLS FIRST')
  const change = (hour: number, every: number) => ({ from: START + hour * MS_PER_HOUR, every_hours: every })
  expect(changes).toEqual([{ from: null, every_hours: 8 }, change(8, 4), change(16, 1)])

  const study = await studied(world, 'annual(funding.funding_rate)')
  expect(study.cells.map(({ mean }) => mean)).toEqual(expected.map(({ annual }) => annual))
  const everyInStudy = study.data.funding?.map(({ from, every }) => [(from - START) / MS_PER_HOUR, every])
  expect(everyInStudy).toEqual([
    [0, '8h'],
    [8, '4h'],
    [16, '1h'],
  ])
  const periods = await studied(world, 'fundinghours(funding.funding_rate)')
  expect(periods.cells.map(({ mean }) => mean)).toEqual(hours)
})
