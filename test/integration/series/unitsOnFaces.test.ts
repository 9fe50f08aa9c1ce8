import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { knownDatasets } from '#shared/catalog/knownDatasets.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { checkEntryFormula } from '#shared/workspace/checkEntryFormula.ts'
import { addSeries } from '#shared/workspace/edit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'
import type { ExportResult } from '#shared/contract/areas/series.ts'
import type { SaveFile } from '#core/ports.ts'
import { exportSeries } from '#core/export/exportSeries.ts'
import { columnFacts } from '../../../renderer/views/workbench/chartModel.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestSeries } from '../../fakes/openTestSeries.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { type Ending, sharedByTests } from '../../fakes/sharedByTests.ts'
import { addCachedFile, hourlyColumns } from '../../fakes/parquetCache.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { instrumentRow } from '../../fakes/instrumentRow.ts'

/**
 * Units as the documentation states them, independently of the app's catalog: the metrics service documents the meaning
 * of each column, the raw-event catalog the unit in which each venue counts.
 */
type VenueUnits = { amount: string; notional: string }
const unitsByVenue: Record<string, VenueUnits> = {
  'venuea-futures': { amount: 'base asset', notional: 'quote' },
  'venueb-perps': { amount: 'contracts', notional: 'price × contracts' },
  'venuec-perps': { amount: 'base asset', notional: 'quote' },
}
const per = (unit: string, { amount, notional }: VenueUnits) => `${unit} per ${unit === 'price' ? amount : notional}`

const rules: [dataset: RegExp, column: RegExp, unit: (units: VenueUnits) => string][] = [
  [/^flow$/, /^taker_(buy|sell)_volume$|^volume_delta$/, ({ amount }) => amount],
  [/^flow$/, /_order_volume$|^volume_delta_notional$/, ({ notional }) => notional],
  [/^flow$/, /^flow_entropy$/, () => 'nats'],
  [/^flow$/, /ratio$|score$|^taker_buy_sell_(count_)?percentage$|count_percentage$/, () => 'none'],
  [/^flow$|^trade_size$/, /count$|^n_trades$/, () => 'trades'],
  // The column divides the notional of a class by the amount of a side, which gives a price on every venue.
  [/^flow$|^trade_size$/, /order_percentage$/, () => 'price'],
  [/^trade_size$/, /_order_volume$/, ({ notional }) => notional],
  [/^trade_size$/, /^volume$|^trade_amount_(mean|median|std|min|max)$/, ({ amount }) => amount],
  [/^trade_size$/, /variance$/, ({ amount }) => `${amount}²`],
  [/^trade_size$/, /skewness$|kurtosis$|ratio$|cv$|count_percentage$/, () => 'none'],
  [/^range$/, /^range$|^price_(mean|median|std)$/, () => 'price'],
  [/^range$/, /^range_bps$/, () => 'bps'],
  [/^range$/, /variance$/, () => 'price²'],
  [/^range$/, /skewness$|kurtosis$|ratio$|cv$/, () => 'none'],
  [/^impact$/, /^amihud_like$|^impact_per_notional$/, (units) => per('return', units)],
  [/^impact$/, /^kyle_like_lambda$/, ({ amount }) => `return per ${amount}`],
  [/^impact$/, /reversal$|asymmetry$/, () => 'return'],
  [/^updownticks$/, /_count$/, () => 'trades'],
  [/^updownticks$/, /^(up|down)tick_volume$|^unchanged_volume$/, ({ amount }) => amount],
  [/^updownticks$/, /ratio$|percentage$/, () => 'none'],
  [/^run_structure$/, /_len$/, () => 'trades'],
  [/^run_structure$/, /imbalance$|rate$/, () => 'none'],
  [/^run_structure$/, /price_change_on_flip$/, () => 'return'],
  [/^returns$/, /^logret_var$|^bipower_variation$/, () => 'log return²'],
  [/^returns$/, /^realized_vol$/, () => 'log return'],
  [/^returns$/, /ratio$|lag1$|trendiness$/, () => 'none'],
  [/^slippage$/, /^slippage_mean$/, () => 'price'],
  [/^slippage$/, /ratio$/, () => 'none'],
  [/^slippage$/, /bps/, () => 'bps'],
  [/^vtwap$|^ohlcv$/, /^(vwap|twap|open|high|low|close)$/, () => 'price'],
  [/^ohlcv$/, /^volume$/, ({ amount }) => amount],
  [/^ohlcv$/, /^volume_notional$/, ({ notional }) => notional],
  [/^basis$/, /bps/, () => 'bps'],
  [/^basis$/, /./, () => 'price'],
  [/^funding$/, /^funding_rate$/, () => 'none'],
  [/^funding$/, /frequency$/, () => '1/s'],
  [/^funding$/, /interval$/, () => 's'],
  [/^open_interest$/, /^open_interest$/, ({ amount }) => amount],
  [/^open_interest$/, /pct_change$|volatility$/, () => '%'],
  [/^open_interest$/, /ratio$/, () => 'none'],
  [/^l1_price$/, /^(ask|bid)_amount$/, ({ amount }) => amount],
  [/^l1_price$/, /frequency$/, () => 'events'],
  [/^l1_price$/, /interval$/, () => 'ms'],
  [/^l1_price$/, /price|mid/, () => 'price'],
  [/^l1_liquidity$/, /^spread_depth_ratio/, (units) => per('price', units)],
  [/^l1_liquidity$/, /^spread_bps/, () => 'bps'],
  [/^l1_liquidity$/, /^spread/, () => 'price'],
  [/^l1_liquidity$/, /dollar_depth/, ({ notional }) => notional],
  [/^l1_liquidity$/, /^total_depth/, ({ amount }) => amount],
  [/^l[12]_imbalance$/, /ratio|percentage/, () => 'none'],
  [/^l[12]_imbalance$/, /^imbalance/, ({ amount }) => amount],
  [/^l2_liquidity$/, /_agg_/, ({ amount }) => amount],
]

function documentedUnit(dataset: string, column: string, venue: string): string {
  const rule = rules.find(([datasets, columns]) => datasets.test(dataset) && columns.test(column))
  return rule ? rule[2](unitsByVenue[venue]) : 'no rule in this test'
}

const cases = metricDatasets.flatMap(({ id, columns }) =>
  venuesOfDocuments.list.map(({ id: venue }) => [id, venue, columns.map(({ name }) => name)] as const),
)
const source = (dataset: string, column: string, exchange: string) => ({
  kind: 'column' as const,
  ...{ dataset, column, exchange, symbol: 'perpetual-BTC-USDT:USDT', interval: '1h', timestamp: 'exchange' as const },
  ...{ resampleTo: '', origin: 'service' as const },
})

type CachedColumns = readonly [dataset: string, exchange: string, columns: readonly string[]]

/** Opens a cache that contains one day of hourly rows of these columns. */
function setUp(cached: readonly CachedColumns[], ending?: Ending) {
  const dataDir = dataFolder(ending)
  const store = openTestStore(dataDir, ending)
  const [time, value] = hourlyColumns('2026-08-01')
  const all = cached.map(([dataset, exchange, columns]) => {
    const series = flowSeries({ dataset, exchange, interval: '1h' })
    addCachedFile(store, dataDir, series, '2026-08-01', [time, ...columns.map((name) => ({ ...value, name }))])
    return series
  })
  return { desk: openTestSeries(store, ending), all, store }
}

/** Shared cache with all datasets on all venues, because starting the threads that read it takes longer than a test. */
const world = sharedByTests((ending) => setUp(cases, ending))

const { signal } = new AbortController()
const whole = { startMs: null, endMs: null, originMs: null }
type Question = Parameters<typeof exportSeries>[1]

/** Exports as CSV; returns the answer and the provenance, both of which describe the columns. */
async function exportWithProvenance(
  desk: ReturnType<typeof openTestSeries>,
  question: Pick<Question, 'series' | 'formulas'>,
) {
  let provenanceText = ''
  const save: SaveFile = async (file, open) => {
    await text(open())
    provenanceText = await text(file.companion!.open())
    return { name: file.name, path: null }
  }
  const context = { signal, progress: () => {}, version: '0', save }
  const answer = await exportSeries(
    desk.deps,
    { format: 'csv', zone: 'UTC', text: 'guarded', ...whole, ...question },
    context,
  )
  return { answer: answer!, provenance: JSON.parse(provenanceText) as Pick<ExportResult, 'columns' | 'unitWarnings'> }
}

const unitsOf = (columns: ExportResult['columns']) =>
  Object.fromEntries(columns.map(({ label, unit }) => [label, unit]))

describe.each(cases)('%s at %s', (dataset, exchange, columns) => {
  const expected = Object.fromEntries(columns.map((column) => [column, documentedUnit(dataset, column, exchange)]))
  const unitsBy = (of: (column: string) => string | null) =>
    Object.fromEntries(columns.map((column) => [column, of(column)]))

  it('has the unit of its venue in legend, table header and formula', () => {
    const catalog = { datasets: knownDatasets(null), venueFacts: venuesOfDocuments }
    const facts = { contractSizes: () => [], venues: venuesOfDocuments }
    expect(unitsBy((column) => columnFacts(catalog, source(dataset, column, exchange)).unit)).toEqual(expected)
    const inFormula = unitsBy((column) => {
      const { document } = addSeries(emptyDocument(), null, { source: source(dataset, column, exchange) })
      const checked = checkEntryFormula('a', 'z', allSeries(document), facts)
      return 'problem' in checked ? checked.problem.message : checked.unit
    })
    expect(inFormula).toEqual(expected)
  })

  it('has it in evaluated formulas, statistics, scans, exports and their provenance', async () => {
    const { desk } = world()
    const series = flowSeries({ dataset, exchange, interval: '1h' })
    const [column] = columns
    const inputs = { a: { series, timestamp: 'exchange' as const, column } }
    const evaluated = await desk.evaluate({ formula: 'a', inputs, ...whole, points: 10 }, signal)
    expect(evaluated).toMatchObject({ unit: expected[column], unitWarnings: [] })
    const statistics = await desk.statistics(
      { formula: 'a', other: null, atLongerInterval: false, inputs, ...whole },
      signal,
    )
    expect(statistics).toMatchObject({ unit: expected[column], unitWarnings: [] })
    const days = { startMs: Date.UTC(2026, 7, 1), endMs: Date.UTC(2026, 7, 2) }
    const scan = { series: { ...series, symbol: '' }, column, way: 'mean' as const, sparkPoints: 0, ...days }
    expect((await desk.scan(scan, signal, () => {})).unit).toBe(expected[column])
    const { answer, provenance } = await exportWithProvenance(desk, {
      series: [{ series, timestamp: 'exchange', columns }],
      formulas: [],
    })
    expect(unitsOf(answer.columns)).toEqual(expected)
    expect(unitsOf(provenance.columns)).toEqual(expected)
  })
})

describe('amounts of venues that count differently', () => {
  const mixed = 'mixed units: base asset and contracts'
  const columns = ['volume', 'small_order_volume']
  const openTwoVenues = (ending?: Ending) =>
    setUp(
      ['venuea-futures', 'venueb-perps'].map((exchange) => ['trade_size', exchange, columns]),
      ending,
    )
  const shared = sharedByTests(openTwoVenues)

  it.each([
    ['a + b', mixed, [mixed]],
    ['a > b', 'none', [mixed]],
    ['ratio(a, b)', mixed, [mixed]],
    ['a / b', 'base asset per contracts', [mixed]],
    ['max(a, b)', mixed, [mixed]],
    ['a - 2 * sma(b, 3)', mixed, [mixed]],
    ['index100(a) - index100(b)', 'none', []],
    ['zscore(a, 3) - zscore(b, 3)', 'none', []],
  ])('say so in %s', async (formula, unit, unitWarnings) => {
    const { desk, all } = shared()
    const [a, b] = all.map((series) => ({ series, timestamp: 'exchange' as const, column: 'volume' }))
    const inputs = { a, b }
    expect(await desk.evaluate({ formula, inputs, ...whole, points: 10 }, signal)).toMatchObject({ unit, unitWarnings })
    const { answer, provenance } = await exportWithProvenance(desk, {
      series: [],
      formulas: [{ name: 'z', formula, inputs }],
    })
    expect(answer).toMatchObject({ columns: [{ label: 'z', unit }], unitWarnings })
    expect(provenance.unitWarnings ?? []).toEqual(unitWarnings)
  })

  it('convert to quote currency with the contract size that the person gave, and say so', async () => {
    const { desk, all, store } = openTwoVenues()
    const [a, b] = all.map((series) => ({ series, timestamp: 'exchange' as const, column: 'volume' }))
    const notional = { ...b, column: 'small_order_volume' }
    const question = { inputs: { a, b, n: notional }, ...whole, points: 30 }
    const formula = 'inquote(n) + 0 * a * a / a / a'
    const before = await desk.evaluate({ formula, ...question }, signal)
    expect(before.problem?.message).toMatch(/^The contract size of the series is not known.*Settings → Instruments/)
    store.instruments.replace([
      instrumentRow({ exchange: 'venueb-perps', symbol: b.series.symbol, contract_size: 0.001 }),
    ])
    const after = await desk.evaluate({ formula: 'inquote(n)', ...question }, signal)
    expect(after).toMatchObject({ unit: 'quote', unitWarnings: [], problem: null })
    expect(cellOf(columnOf(after.points.frame, 'value')!, 7)).toBe(0.007)
    const amount = await desk.evaluate({ formula: 'inquote(b)', ...question }, signal)
    expect(amount.problem?.message).toContain('x is in contracts')
    const formulas = [{ name: 'z', formula: 'inquote(n)', inputs: { n: notional } }]
    const { answer, provenance } = await exportWithProvenance(desk, { series: [], formulas })
    expect(answer.columns).toEqual([{ label: 'z', unit: 'quote' }])
    expect(provenance).toMatchObject({ series: [{ exchange: 'venueb-perps', contractSize: 0.001 }] })
  })

  it('convert each row with the contract size of its time, and an export names the sizes with their dates', async () => {
    const { desk, all, store } = openTwoVenues()
    const n = { series: all[1], timestamp: 'exchange' as const, column: 'small_order_volume' }
    const pair = { exchange: 'venueb-perps', symbol: n.series.symbol }
    const valueAt = async (hour: number) => {
      const { points, problem, notes } = await desk.evaluate(
        { formula: 'inquote(n)', inputs: { n }, ...whole, points: 30 },
        signal,
      )
      expect(problem).toBeNull()
      return { value: cellOf(columnOf(points.frame, 'value')!, hour), notes }
    }
    const sizesOf = async () => {
      const formulas = [{ name: 'z', formula: 'inquote(n)', inputs: { n } }]
      const { provenance } = await exportWithProvenance(desk, { series: [], formulas })
      return (provenance as unknown as { series: object[] }).series[0]
    }
    const changed = instrumentRow({ ...pair, valid_from: '2026-08-01T08:00:00.000Z', contract_size: 0.1 })
    store.instruments.replace([instrumentRow({ ...pair, contract_size: 0.001 }), changed])
    expect(await valueAt(7)).toEqual({ value: 0.007, notes: [] })
    expect(await valueAt(8)).toEqual({ value: 0.8, notes: [] })
    expect(await sizesOf()).toMatchObject({
      contractSizes: [
        { from: null, contractSize: 0.001 },
        { from: '2026-08-01T08:00:00.000Z', contractSize: 0.1 },
      ],
    })
    store.instruments.replace([changed])
    const notes = ['inquote: no contract size is known before 2026-08-01 08:00 UTC']
    expect(await valueAt(7)).toEqual({ value: null, notes })
    expect(await valueAt(8)).toEqual({ value: 0.8, notes })
    store.instruments.replace([
      instrumentRow({ ...pair, valid_from: '2026-07-01', contract_size: 0.5 }),
      instrumentRow({ ...pair, valid_from: '2026-08-02', contract_size: 2 }),
    ])
    expect(await sizesOf()).toMatchObject({ contractSize: 0.5 })
  })

  it('say so beside each other, in an export and in a regression', async () => {
    const { desk, all } = shared()
    const series = all.map((one) => ({
      series: one,
      timestamp: 'exchange' as const,
      columns: ['volume', 'small_order_volume'],
    }))
    const { answer } = await exportWithProvenance(desk, { series, formulas: [] })
    expect(answer.unitWarnings).toEqual([mixed, 'mixed units: price × contracts and quote'])
    const [a, b] = all.map((one) => ({ series: one, timestamp: 'exchange' as const, column: 'volume' }))
    const statistics = await desk.statistics(
      { formula: 'a', other: 'b', atLongerInterval: false, inputs: { a, b }, ...whole },
      signal,
    )
    expect(statistics).toMatchObject({
      unit: 'base asset',
      betaUnit: 'base asset per contracts',
      unitWarnings: [mixed],
    })
  })
})
