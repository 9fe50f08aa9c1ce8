import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { UNIT_UNKNOWN } from '#shared/units/measureUnits.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { METRICS_CATALOG } from '#core/store/coverageStore.ts'
import { cliSession } from '../../fakes/cliSession.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { openTestSeries } from '../../fakes/openTestSeries.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { addCachedFile, hourlyColumns } from '../../fakes/parquetCache.ts'
import { readParquet } from '../../fakes/readParquet.ts'

const { signal } = new AbortController()
const whole = { startMs: null, endMs: null, originMs: null }

/** The service's words on the columns of a dataset that no document names, and the unit that every face shows. */
const columns = [
  ['delay', 'microseconds', 'µs'],
  ['fills', 'Count', 'count'],
  ['turnover', 'quote currency', 'quote'],
  ['lots', 'contract', 'contracts'],
  ['passive', 'share', 'none'],
  ['fee', 'USD per fill', 'USD per fill'],
  ['silent', undefined, null],
] as const
const names = columns.map(([name]) => name)
const expected = Object.fromEntries(columns.map(([name, , unit]) => [name, unit ?? UNIT_UNKNOWN]))

/** Opens a cache with such a dataset, next to a documented price. */
async function setUp() {
  const session = await cliSession()
  const store = openTestStore(session.dataDir)
  const connectionId = store.connections.active().id
  store.coverage.saveDocument({
    ...{ connectionId, name: METRICS_CATALOG, fetchedAtMs: 1, generatedAtMs: null, source: '' },
    body: JSON.stringify([
      { id: 'maker_fills', name: 'Maker fills', fields: columns.map(([name, unit]) => ({ name, label: '', unit })) },
    ]),
  })
  const [time, value] = hourlyColumns('2026-08-01')
  const served = flowSeries({ connectionId, dataset: 'maker_fills', interval: '1h' })
  const candles = { ...served, dataset: 'ohlcv' }
  addCachedFile(store, session.dataDir, served, '2026-08-01', [time, ...names.map((name) => ({ ...value, name }))])
  addCachedFile(store, session.dataDir, candles, '2026-08-01', [time, { ...value, name: 'close' }])
  return { ...session, store, served, candles, desk: openTestSeries(store) }
}

it('shows the unit that the service gives in charts, statistics and scans; without one it is unknown', async () => {
  const { desk, served } = await setUp()
  for (const [column, , unit] of columns) {
    const inputs = { a: { series: served, timestamp: 'exchange' as const, column } }
    expect((await desk.evaluate({ formula: 'a', inputs, ...whole, points: 10 }, signal)).unit, column).toBe(unit)
    const statistics = { formula: 'a', other: null, atLongerInterval: false, inputs, ...whole }
    expect((await desk.statistics(statistics, signal)).unit, column).toBe(unit)
    const days = { startMs: Date.UTC(2026, 7, 1), endMs: Date.UTC(2026, 7, 2) }
    const scan = { series: { ...served, symbol: '' }, column, way: 'mean' as const, sparkPoints: 0, ...days }
    expect((await desk.scan(scan, signal, () => {})).unit, column).toBe(unit)
  }
})

it('shows it of files that were computed or imported for the same connection', async () => {
  const { desk, store, served, dataDir } = await setUp()
  const [time, value] = hourlyColumns('2026-08-01')
  const series = { ...served, connectionId: computedOwner(served.connectionId) }
  addCachedFile(store, dataDir, series, '2026-08-01', [time, { ...value, name: 'turnover' }])
  const inputs = { a: { series, timestamp: 'exchange' as const, column: 'turnover' } }
  expect((await desk.evaluate({ formula: 'a', inputs, ...whole, points: 10 }, signal)).unit).toBe('quote')
})

it('warns of a formula that adds an unknown unit to a known one', async () => {
  const { desk, served, candles } = await setUp()
  const input = (series: typeof served, column: string) => ({ series, timestamp: 'exchange' as const, column })
  const inputs = { p: input(candles, 'close'), s: input(served, 'silent'), t: input(served, 'turnover') }
  const unitsOf = async (formula: string) => {
    const { unit, unitWarnings } = await desk.evaluate({ formula, inputs, ...whole, points: 10 }, signal)
    return { unit, unitWarnings }
  }
  const mixed = 'mixed units: price and unit unknown'
  expect(await unitsOf('p + s')).toEqual({ unit: mixed, unitWarnings: [mixed] })
  expect(await unitsOf('p > s')).toEqual({ unit: 'none', unitWarnings: [mixed] })
  expect(await unitsOf('p + t')).toMatchObject({ unit: 'mixed units: price and quote' })
  expect(await unitsOf('t / p')).toEqual({ unit: 'base asset', unitWarnings: [] })
  expect(await unitsOf('s + s')).toMatchObject({ unit: null, unitWarnings: [expect.stringContaining('unit unknown')] })
})

it('writes it into what CSV and Parquet exports say of their columns, and into what a command reads', async () => {
  const { runHere, served, dataDir } = await setUp()
  const { dataset, exchange, symbol, interval, timestamp } = served
  const series = Object.entries({ dataset, exchange, symbol, interval, timestamp }).flatMap(([key, value]) => [
    `--${key}`,
    value,
  ])
  const days = ['--start', '2026-08-01', '--end', '2026-08-01']
  const unitsBy = (provenance: string) =>
    Object.fromEntries(
      (JSON.parse(provenance) as { columns: { label: string; unit: string | null }[] }).columns.map((column) => [
        column.label,
        column.unit,
      ]),
    )
  for (const format of ['csv', 'parquet']) {
    const path = join(dataDir, `fills.${format}`)
    const ended = await runHere(['export', ...series, ...days, '--format', format, '--out', path, '--json'])
    expect(ended.status, ended.stderr).toBe(0)
    expect(unitsBy(JSON.stringify(ended.lines[0])), format).toEqual(expected)
    const inside = async () => {
      const { key_value_metadata: pairs = [] } = (await readParquet(new Uint8Array(readFileSync(path)))).metadata
      return pairs.find(({ key }) => key === 'perpscope.provenance')!.value!
    }
    const provenance = format === 'csv' ? readFileSync(`${path}.provenance.json`, 'utf8') : await inside()
    expect(unitsBy(provenance), format).toEqual(expected)
  }
  const read = await runHere(['read', ...series, ...days, '--json'])
  expect(JSON.parse(read.stderr.trim().split('\n').at(-1)!)).toMatchObject({
    units: { delay: 'µs', turnover: 'quote', fee: 'USD per fill', silent: UNIT_UNKNOWN },
  })
})
