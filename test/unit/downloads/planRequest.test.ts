import { describe, expect, test } from 'vitest'
import type { DownloadRequest } from '#shared/contract/areas/downloads.ts'
import type { Instrument } from '#shared/contract/areas/instruments.ts'
import type { Column, Frame } from '#shared/contract/frame.ts'
import {
  firstDailyDayOf,
  enqueuePlan,
  planFrame,
  planPreview,
  requestedFiles,
  seriesOfRequest,
} from '#core/downloads/plan.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { cachedFile, flowSeries, minuteFacts } from '../../fakes/cachedFiles.ts'
import { instrumentRow } from '../../fakes/instrumentRow.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const nowMs = Date.parse('2026-08-04T12:00:00Z')
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const series = flowSeries({ interval: '1h' })

const requestOf = (changes: Partial<DownloadRequest> = {}): DownloadRequest => ({
  connectionId: 'sandbox',
  kind: 'metrics',
  datasets: ['flow'],
  exchanges: [series.exchange],
  symbols: [series.symbol],
  intervals: ['1h'],
  timestamps: ['exchange'],
  startDay: '2026-08-01',
  endDay: '2026-08-04',
  refresh: false,
  tryLocked: false,
  tryRefused: false,
  ...changes,
})

function openPlanner(tier: number | null = null) {
  const store = openTestStore()
  const deps = { store, clock: fakeClock(nowMs), tier, signal: new AbortController().signal }
  return {
    store,
    preview: (changes?: Partial<DownloadRequest>) => planPreview(deps, requestOf(changes)),
    frame: (changes?: Partial<DownloadRequest>) => planFrame(deps, requestOf(changes)),
    files: (changes?: Partial<DownloadRequest>) => requestedFiles(deps, requestOf(changes)),
    enqueue: (changes?: Partial<DownloadRequest>) =>
      enqueuePlan(deps, requestOf(changes), { label: 'test', priority: 3 }),
  }
}

const record = (store: Store, owned: OwnedSeries, period: string, changes: Parameters<typeof cachedFile>[2] = {}) =>
  store.files.record([{ file: cachedFile(owned, period, changes), facts: minuteFacts }])

const cellsOf = ({ columns }: Frame, name: string) => {
  const column: Column = columns.find((each) => each.name === name)!
  return Array.from(column.values, (value, row) => {
    if (column.valid?.[row] === 0) return null
    return column.kind === 'text' ? column.dictionary[value] : value
  })
}

describe('the preview', () => {
  test('counts every period by its state, and what a download fetches', async () => {
    const { store, preview } = openPlanner()
    record(store, series, '2026-08-01')
    store.unavailable.recordAbsent(series, ['2026-08-02'], nowMs)
    expect(await preview()).toMatchObject({
      files: { cached: 1, partial: 0, missing: 2, absent: 1, locked: 0, unknown: 0 },
      toFetch: 2,
      locked: [],
      firstPeriod: '2026-08-01',
      lastPeriod: '2026-08-04',
    })
    expect((await preview({ refresh: true })).toFetch).toBe(4)
    expect(await preview({ startDay: '2026-08-05', endDay: '2026-08-09' })).toMatchObject({
      toFetch: 0,
      firstPeriod: null,
      lastPeriod: null,
    })
  })

  test('skips the days before a symbol was listed and after it was delisted, and counts them', async () => {
    const { store, preview, frame, enqueue } = openPlanner()
    const { exchange, symbol } = series
    const listings = (...rows: Partial<Instrument>[]) =>
      store.instruments.replace(rows.map((row) => instrumentRow({ exchange, symbol, ...row })))
    listings({ listed: '2026-08-02', delisted: '2026-08-03' })
    const expected = { files: { missing: 2 }, toFetch: 2, outsideListing: 2 }
    expect(await preview()).toMatchObject({ ...expected, firstPeriod: '2026-08-02', lastPeriod: '2026-08-03' })
    expect(await preview({ tryLocked: true, refresh: true })).toMatchObject(expected)
    expect(cellsOf(await frame(), 'period')).toEqual(['2026-08-02', '2026-08-03'])
    expect(await enqueue()).toMatchObject({ files: 2 })
    expect(await preview({ symbols: [symbol, 'perpetual-OTHER-USDT:USDT'] })).toMatchObject({
      toFetch: 6,
      outsideListing: 2,
    })
    // A month is one file, so it is needed if the symbol was listed on any of its days.
    expect(await preview({ startDay: '2026-06-01' })).toMatchObject({ toFetch: 2, outsideListing: 4 })
    listings({ listed: '2026-07-31' })
    expect(await preview({ startDay: '2026-06-01' })).toMatchObject({ toFetch: 5, outsideListing: 1 })
    expect(await preview({ startDay: '2026-06-01', endDay: '2026-06-30' })).toMatchObject({
      ...{ toFetch: 0, outsideListing: 1, firstPeriod: null, lastPeriod: null },
    })
    // Each row holds for its time, and the first one also for the time before.
    listings({ valid_from: '2026-08-03', listed: '2026-08-02' }, { valid_from: '2026-08-04', delisted: '2026-08-03' })
    expect(cellsOf(await frame(), 'period')).toEqual(['2026-08-02', '2026-08-03'])
    listings({ contract_size: 1 })
    expect(await preview()).toMatchObject({ toFetch: 4, outsideListing: 0 })
  })

  test('fetches the file of an unfinished period again after an hour', async () => {
    const { store, preview } = openPlanner()
    const toFetch = async (ageMs: number) => {
      record(store, series, '2026-08-04', { state: 'partial', fetchedAtMs: nowMs - ageMs })
      const { files, toFetch } = await preview({ startDay: '2026-08-04' })
      expect(files.partial).toBe(1)
      return toFetch
    }
    expect([await toFetch(0), await toFetch(hourMs - 1), await toFetch(hourMs)]).toEqual([0, 0, 1])
  })

  test('asks again after a day for what is absent, and never after forty days', async () => {
    const { store, preview } = openPlanner()
    const toFetch = async (period: string, ageMs: number) => {
      store.unavailable.recordAbsent(series, [period], nowMs - ageMs)
      return (await preview({ startDay: period, endDay: period })).toFetch
    }
    expect([await toFetch('2026-08-02', dayMs - 1), await toFetch('2026-08-02', dayMs)]).toEqual([0, 1])
    // A month is one file; June ended 34 days ago and May 64 days ago.
    expect([await toFetch('2026-06', dayMs), await toFetch('2026-05', dayMs)]).toEqual([1, 0])
  })

  test('estimates bytes from earlier files of the same kind, else from rows and columns, and says where it cannot', async () => {
    const { store, preview } = openPlanner()
    const bytesOf = async (changes: Partial<DownloadRequest>) => {
      const { toFetch, bytes, withoutSize } = await preview(changes)
      return { toFetch, bytes, withoutSize }
    }
    // An estimate has 4.4 bytes per cell and 250 more per column; the time is a column too.
    const columns = 37
    const estimate = Math.round(24 * columns * 4.4 + columns * 250)
    expect(await bytesOf({})).toEqual({ toFetch: 4, bytes: 4 * estimate, withoutSize: 0 })
    record(store, series, '2026-08-01', { sizeBytes: 5000 })
    expect(await bytesOf({})).toEqual({ toFetch: 3, bytes: 15_000, withoutSize: 0 })
    // Sizes of daily files do not change the estimate for monthly ones.
    const month = Math.round(31 * 24 * columns * 4.4 + columns * 250)
    expect(await bytesOf({ startDay: '2026-07-01', endDay: '2026-07-31' })).toMatchObject({ toFetch: 1, bytes: month })
    expect(await bytesOf({ datasets: ['new_thing'] })).toEqual({ toFetch: 4, bytes: 0, withoutSize: 4 })
    expect(await bytesOf({ kind: 'raw', datasets: ['trades'] })).toEqual({ toFetch: 4, bytes: 0, withoutSize: 4 })
  })

  test('names what the key does not open, and why', async () => {
    const { store, preview } = openPlanner(0)
    const wanted = { datasets: ['flow', 'vtwap'] }
    expect(await preview(wanted)).toMatchObject({
      files: { locked: 4, missing: 4 },
      toFetch: 4,
      locked: [{ dataset: 'flow', interval: '1h', neededTier: 1, refusal: null }],
    })
    expect((await preview({ ...wanted, tryLocked: true })).toFetch).toBe(8)
    store.unavailable.recordRefusal({
      connectionId: 'sandbox',
      kind: 'metrics',
      dataset: 'vtwap',
      interval: '',
      message: 'No.',
      atMs: 7,
    })
    const refused = await preview(wanted)
    expect(refused.locked).toMatchObject([
      { dataset: 'flow' },
      { dataset: 'vtwap', refusal: { message: 'No.', at: 7 } },
    ])
    expect([refused.toFetch, (await preview({ ...wanted, tryRefused: true })).toFetch]).toEqual([0, 4])
  })

  test('fetches nothing of a locked series, not even what is there in part', async () => {
    const { store, preview } = openPlanner(0)
    record(store, series, '2026-08-04', { state: 'partial', fetchedAtMs: 1 })
    expect(await preview()).toMatchObject({ files: { partial: 1, locked: 3 }, toFetch: 0 })
  })

  test('counts no days before a symbol was listed or after it was delisted, and newer days than the index has', async () => {
    const { store, preview } = openPlanner()
    const [old, gone] = ['perpetual-OLD-USDT:USDT', 'perpetual-GONE-USDT:USDT']
    const covered = (symbol: string, dataset: string, firstDay: string, lastDay: string) => ({
      ...{ dataset, exchange: series.exchange, symbol, days: 9, missing: null, sizeBytes: null },
      ...{ firstDay: dayNumberOf(firstDay), lastDay: dayNumberOf(lastDay) },
    })
    store.coverage.replaceCoverage(
      {
        ...{ connectionId: 'sandbox', name: 'raw-catalog', body: '{}' },
        ...{ fetchedAtMs: 1, generatedAtMs: null, source: 'https://a.example' },
      },
      [
        covered(old, 'trades', '2026-05-20', '2026-07-30'),
        covered(old, 'quotes', '2026-06-10', '2026-07-29'),
        covered(gone, 'trades', '2026-03-01', '2026-06-03'),
      ],
    )
    const range = { startDay: '1900-01-01' }
    const months = 126 * 12
    // From May to July and four days of August, and from March to June.
    expect(await preview({ ...range, symbols: [old] })).toMatchObject({
      files: { missing: 7, unknown: months + 4 },
      toFetch: 7,
    })
    expect(await preview({ ...range, symbols: [gone] })).toMatchObject({ toFetch: 4 })
    const raw = { ...range, kind: 'raw' as const, datasets: ['quotes'] }
    expect(await preview({ ...raw, symbols: [old] })).toMatchObject({ files: { missing: 6 }, toFetch: 6 })
    // The index of raw events is complete for raw events, but metrics may exist without them.
    expect(await preview({ ...raw, symbols: [gone] })).toMatchObject({ files: { missing: 0 }, toFetch: 0 })
    expect((await preview({ symbols: ['perpetual-NEW-USDT:USDT'] })).toFetch).toBe(4)
  })

  test('requests no day that the catalog names as missing, counts it, and expects the sizes that the catalog says', async () => {
    const { store, preview, frame } = openPlanner()
    const day = dayNumberOf
    store.coverage.replaceCoverage(
      {
        ...{ connectionId: 'sandbox', name: 'raw-catalog', body: '{}' },
        ...{ fetchedAtMs: 1, generatedAtMs: null, source: 'https://a.example' },
      },
      [
        {
          ...{ dataset: 'liquidations', exchange: series.exchange, symbol: series.symbol },
          ...{ firstDay: day('2026-05-11'), lastDay: day('2026-08-04'), days: 50, sizeBytes: 5000 },
          missing: [
            [day('2026-05-20'), day('2026-05-25')],
            [day('2026-06-30'), day('2026-08-01')],
            [day('2026-08-03'), day('2026-08-04')],
          ],
        },
      ],
    )
    const raw = { kind: 'raw' as const, datasets: ['liquidations'], startDay: '2026-05-01' }
    // May has 16 days with data and June 29, and July has none.
    expect(await preview(raw)).toMatchObject({
      files: { missing: 5, gap: 2 },
      toFetch: 5,
      bytes: (16 + 29 + 3) * 100,
      withoutSize: 0,
    })
    expect((await preview({ ...raw, refresh: true })).toFetch).toBe(5)
    expect((await preview({ ...raw, tryLocked: true })).toFetch).toBe(7)
    const planned = await frame({ ...raw, startDay: '2026-07-01' })
    expect(cellsOf(planned, 'state')).toEqual(['gap', 'missing', 'missing', 'gap', 'missing'])
    record(store, flowSeries({ kind: 'raw', dataset: 'liquidations', interval: '', timestamp: '' }), '2026-08-03')
    expect(await preview(raw)).toMatchObject({ files: { cached: 1, gap: 1 } })
    // Metrics are the service's own, whatever the raw events lack.
    expect((await preview({ startDay: '2026-07-01', endDay: '2026-08-03' })).toFetch).toBe(4)
  })

  test('of a connection of previews refuses what is outside the slice, and says what the slice is', async () => {
    const { store } = openPlanner()
    const slice = { period: '2026-06', symbols: { [series.exchange]: series.symbol } }
    const deps = { store, clock: fakeClock(nowMs), tier: null, slice, signal: new AbortController().signal }
    const range = { startDay: '2026-06-01', endDay: '2026-06-30' }
    expect((await planPreview(deps, requestOf(range))).toFetch).toBe(1)
    await expect(planPreview(deps, requestOf())).rejects.toMatchObject({
      code: 'unsupported',
      detail: `This connection is one of previews: it offers 2026-06 of ${series.symbol} on ${series.exchange}, and not 2026-08-01 to 2026-08-04.`,
    })
    await expect(
      enqueuePlan(deps, requestOf({ ...range, symbols: [series.symbol, 'perpetual-ETH-USDT:USDT'] }), {
        label: 'test',
        priority: 0,
      }),
    ).rejects.toThrow(/and not perpetual-ETH-USDT:USDT/)
  })

  test('does not know of symbols that the venue does not list', async () => {
    const { store, preview, enqueue } = openPlanner()
    const document = {
      connectionId: 'sandbox',
      body: '{}',
      fetchedAtMs: 1,
      generatedAtMs: null,
      source: 'https://a.example',
    }
    store.coverage.replaceSymbols({ ...document, name: `symbols/${series.exchange}` }, series.exchange, [series.symbol])
    const both = [series.symbol, 'perpetual-Z-USDT:USDT']
    expect(await preview({ symbols: both })).toMatchObject({ files: { missing: 4, unknown: 4 }, toFetch: 4 })
    expect((await preview({ symbols: both, tryLocked: true })).toFetch).toBe(8)
    expect((await preview({ symbols: both, refresh: true })).toFetch).toBe(4)
    expect(await enqueue({ symbols: both })).toMatchObject({ files: 4 })
    // Raw events have a separate index.
    expect(await preview({ kind: 'raw', datasets: ['trades'], symbols: ['perpetual-Z-USDT:USDT'] })).toMatchObject({
      files: { missing: 4, unknown: 0 },
    })
  })
})

describe('the queue', () => {
  const queuedJobs = (store: Store) =>
    store.jobs.list({}, 0, 100).jobs.map(({ period, priority }) => `${period} ${priority}`)

  test('gets the last period first, so that a refused range shows early, then the others in order', async () => {
    const { store, enqueue } = openPlanner()
    expect(await enqueue()).toMatchObject({ files: 4, added: 4 })
    expect(queuedJobs(store)).toEqual(['2026-08-04 3', '2026-08-01 3', '2026-08-02 3', '2026-08-03 3'])
    expect(await enqueue()).toMatchObject({ files: 4, added: 0 })
  })

  test('gets nothing where all is here', async () => {
    const { store, enqueue } = openPlanner()
    for (const day of ['01', '02', '03', '04']) record(store, series, `2026-08-${day}`)
    expect(await enqueue()).toMatchObject({ files: 0, added: 0 })
    expect(queuedJobs(store)).toEqual([])
    expect(await enqueue({ refresh: true, startDay: '2026-08-03' })).toMatchObject({ files: 2, added: 2 })
    expect(store.jobs.list({}, 0, 9).jobs.map(({ period, refresh }) => [period, refresh])).toEqual([
      ['2026-08-04', true],
      ['2026-08-03', true],
    ])
  })
})

describe('the table of a plan', () => {
  test('has a row for each file, with its path and size if it is here', async () => {
    const { store, frame } = openPlanner()
    record(store, series, '2026-08-02', { sizeBytes: 700 })
    record(store, series, '2026-08-03', { state: 'partial', sizeBytes: 300, fetchedAtMs: 1 })
    const table = await frame()
    expect(table.rows).toBe(4)
    expect(cellsOf(table, 'symbol')).toEqual(Array(4).fill(series.symbol))
    expect(cellsOf(table, 'state')).toEqual(['missing', 'cached', 'partial', 'missing'])
    expect(cellsOf(table, 'bytes')).toEqual([null, 700, 300, null])
    expect(cellsOf(table, 'fetch')).toEqual([1, 0, 1, 1])
    const pathOf = (period: string) => store.folder.pathOf(series, period)
    expect(cellsOf(table, 'path')).toEqual([null, pathOf('2026-08-02'), pathOf('2026-08-03'), null])
  })

  test('has no single path for a month that is here as days, and the sum of their sizes', async () => {
    const { store, frame } = openPlanner()
    record(store, series, '2026-07-01', { sizeBytes: 10 })
    record(store, series, '2026-07-31', { sizeBytes: 5 })
    const table = await frame({ startDay: '2026-07-01', endDay: '2026-07-31' })
    expect([cellsOf(table, 'state'), cellsOf(table, 'path'), cellsOf(table, 'bytes')]).toEqual([
      ['partial'],
      [null],
      [15],
    ])
  })

  test('of the files that are here lists those that came from the service', async () => {
    const { store, files } = openPlanner()
    record(store, series, '2026-08-01')
    record(store, series, '2026-08-02', { origin: 'import' })
    expect((await files()).map(({ period }) => period)).toEqual(['2026-08-01'])
    expect(await files({ startDay: '2026-08-03' })).toEqual([])
  })
})

test('raw events have neither intervals nor clocks, and every name counts once', () => {
  const { lists } = openTestStore()
  const twice = {
    exchanges: ['a', 'a'],
    symbols: ['X', 'Y', 'X'],
    intervals: ['1h', '1m', '1h'],
    timestamps: ['true', 'true'],
  }
  const names = (request: Partial<DownloadRequest>) =>
    Array.from(seriesOfRequest(requestOf({ ...twice, ...request }), lists), ({ symbol, interval, timestamp }) =>
      [symbol, interval, timestamp].join(' '),
    )
  expect(names({})).toEqual(['X 1h true', 'X 1m true', 'Y 1h true', 'Y 1m true'])
  expect(names({ kind: 'raw', datasets: ['trades'] })).toEqual(['X  ', 'Y  '])
})

test('the day from which files are daily is what the catalog of the connection says now', () => {
  const store = openTestStore()
  const documentedDay = firstDailyDayOf(store, 'sandbox')
  const publish = (body: string) =>
    store.coverage.replaceCoverage(
      {
        connectionId: 'sandbox',
        name: 'raw-catalog',
        body,
        fetchedAtMs: 1,
        generatedAtMs: null,
        source: 'https://a.example',
      },
      [],
    )
  expect(documentedDay).toMatch(/^2026-/)
  publish('{"catalog":{"daily_files_from":"2026-05-01"}}')
  expect([firstDailyDayOf(store, 'sandbox'), firstDailyDayOf(store, 'other')]).toEqual(['2026-05-01', documentedDay])
  publish('{"catalog":{"daily_files_from":"2026-06-01"}}')
  expect(firstDailyDayOf(store, 'sandbox')).toBe('2026-06-01')
  for (const body of [
    '{"catalog":{"daily_files_from":"soon"}}',
    '{"catalog":{}}',
    '{"catalog":null}',
    '{}',
    'damaged',
  ]) {
    publish(body)
    expect(firstDailyDayOf(store, 'sandbox'), body).toBe(documentedDay)
  }
})
