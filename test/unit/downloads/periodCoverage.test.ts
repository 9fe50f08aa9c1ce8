import { describe, expect, test } from 'vitest'
import { dayNumberOf } from '#shared/time/periods.ts'
import { periodCoverage } from '#core/downloads/plan.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { cachedFile, flowSeries, minuteFacts } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const nowMs = Date.parse('2026-08-04T12:00:00Z')
const raw = flowSeries({ kind: 'raw', dataset: 'trades', interval: '', timestamp: '' })
const document = {
  connectionId: 'sandbox',
  body: '{}',
  fetchedAtMs: 1,
  generatedAtMs: null,
  source: 'https://a.example',
}

const record = (store: Store, series: OwnedSeries, ...periods: string[]) =>
  store.files.record(periods.map((period) => ({ file: cachedFile(series, period), facts: minuteFacts })))

function states(store: Store, series: OwnedSeries, startDay: string, endDay: string, tier: number | null = null) {
  return periodCoverage(store, nowMs, { series, startDay, endDay, tier }).map(
    ({ period, state }) => `${period} ${state}`,
  )
}

function fail(store: Store, series: OwnedSeries, period: string): void {
  const batch = store.jobs.newBatch('test', 1)
  store.jobs.add(batch, [{ series, period, refresh: false }], { priority: 0, nowMs: 1 })
  const [job] = store.jobs.nextRunnable(series.connectionId, 2, 1)
  store.jobs.markRunning([job.id])
  store.jobs.markEnded([{ id: job.id, state: 'failed', outcome: null, error: null }], 3)
}

describe('the periods of a series', () => {
  test('tell what is here, failed, absent and missing, up to today', () => {
    const store = openTestStore()
    const series = flowSeries()
    record(store, series, '2026-06', '2026-08-01')
    store.unavailable.recordAbsent(series, ['2026-08-02'], 1)
    fail(store, series, '2026-07')
    expect(states(store, series, '2026-05-01', '2026-09-01')).toEqual([
      '2026-05 missing',
      '2026-06 cached',
      '2026-07 failed',
      '2026-08-01 cached',
      '2026-08-02 absent',
      '2026-08-03 missing',
      '2026-08-04 missing',
    ])
    record(store, series, '2026-07')
    expect(states(store, series, '2026-07-01', '2026-07-31')).toEqual(['2026-07 cached'])
  })

  test('outside the days that the index of raw events names, nothing is expected', () => {
    const store = openTestStore()
    expect(states(store, raw, '2026-07-01', '2026-08-01')).toEqual(['2026-07 missing', '2026-08-01 missing'])
    store.coverage.replaceCoverage({ ...document, name: 'raw-catalog' }, [
      {
        ...raw,
        firstDay: dayNumberOf('2026-06-30'),
        lastDay: dayNumberOf('2026-08-02'),
        days: 5,
        missing: null,
        sizeBytes: null,
      },
    ])
    expect(states(store, raw, '2026-05-01', '2026-08-03')).toEqual([
      '2026-05 unknown',
      '2026-06 missing',
      '2026-07 missing',
      '2026-08-01 missing',
      '2026-08-02 missing',
      '2026-08-03 unknown',
    ])
    expect(states(store, { ...raw, symbol: 'perpetual-Z-USDT:USDT' }, '2026-07-01', '2026-07-02')).toEqual([
      '2026-07 unknown',
    ])
  })

  test('of which the catalog says that all days are missing are not available', () => {
    const store = openTestStore()
    const missing = [
      [dayNumberOf('2026-06-30'), dayNumberOf('2026-08-01')],
      [dayNumberOf('2026-08-02'), dayNumberOf('2026-08-03')],
    ] as const
    store.coverage.replaceCoverage({ ...document, name: 'raw-catalog' }, [
      {
        ...raw,
        firstDay: dayNumberOf('2026-05-01'),
        lastDay: dayNumberOf('2026-08-03'),
        days: 63,
        missing,
        sizeBytes: null,
      },
    ])
    expect(states(store, raw, '2026-06-01', '2026-08-03')).toEqual([
      '2026-06 missing',
      '2026-07 absent',
      '2026-08-01 missing',
      '2026-08-02 absent',
      '2026-08-03 missing',
    ])
  })

  test('a symbol that the venue does not list is not expected; what the tier does not open is locked', () => {
    const store = openTestStore()
    store.coverage.replaceSymbols({ ...document, name: 'symbols/venuea-futures' }, 'venuea-futures', [
      'perpetual-BTC-USDT:USDT',
    ])
    expect(states(store, flowSeries(), '2026-07-01', '2026-07-02', 3)).toEqual(['2026-07 missing'])
    expect(states(store, flowSeries(), '2026-07-01', '2026-07-02', 0)).toEqual(['2026-07 locked'])
    expect(states(store, flowSeries({ symbol: 'perpetual-Z-USDT:USDT' }), '2026-07-01', '2026-07-02')).toEqual([
      '2026-07 unknown',
    ])
  })
})

test('days of raw events that are here count once, however many files contain them', () => {
  const store = openTestStore()
  record(store, raw, '2026-07', '2026-07-03', '2026-07-31', '2026-08-01', '2026-08-03')
  record(store, { ...raw, dataset: 'quotes' }, '2026-08-01')
  record(store, { ...raw, connectionId: 'other' }, '2026-08-01')
  record(store, flowSeries(), '2026-08-01')
  expect(store.cacheIndex.rawDays('sandbox')).toEqual([
    { dataset: 'trades', exchange: 'venuea-futures', symbol: raw.symbol, days: 33 },
    { dataset: 'quotes', exchange: 'venuea-futures', symbol: raw.symbol, days: 1 },
  ])
  expect(store.cacheIndex.series('sandbox').map(({ series, files }) => [series.kind, series.dataset, files])).toEqual([
    ['metrics', 'flow', 1],
    ['raw', 'quotes', 1],
    ['raw', 'trades', 5],
  ])
})

test('days that a metric series lacks between its files are gaps, those before and after are not', () => {
  const store = openTestStore()
  record(store, flowSeries(), '2026-06', '2026-06-03', '2026-08-01', '2026-08-04')
  record(store, flowSeries({ interval: '1h' }), '2026-07', '2026-08-01')
  record(store, raw, '2026-06', '2026-08-01')
  const { dataset, exchange, symbol, interval } = flowSeries()
  expect(store.cacheIndex.gaps('sandbox')).toEqual([{ dataset, exchange, symbol, interval, missing: 31 + 2 }])
})

test('gaps are the same whether months reach into the single days or end before them', () => {
  const store = openTestStore()
  const missingOf = (...periods: string[]) => {
    const series = flowSeries({ symbol: `perpetual-${periods.join('/')}-USDT:USDT` })
    record(store, series, ...periods)
    return store.cacheIndex.gaps('sandbox').find(({ symbol }) => symbol === series.symbol)?.missing ?? 0
  }
  expect(missingOf('2026-06-29', '2026-07', '2026-08-01')).toBe(1)
  expect(missingOf('2026-05', '2026-07', '2026-08-01', '2026-08-03')).toBe(30 + 1)
  expect(missingOf('2026-05', '2026-05-31', '2026-06-02')).toBe(1)
  expect(missingOf('2026-06', '2026-07')).toBe(0)
  expect(missingOf('2026-08-01', '2026-08-02')).toBe(0)
  expect(missingOf('2026-08-01', '2026-08-05')).toBe(3)
})
