import { documentedVenue } from '../../../electron/sandbox/market/venues.ts'
import { describe, expect, test } from 'vitest'
import { checkRows, missingBetween } from '#shared/quality/checkRows.ts'
import { compareRows, compareVenues } from '#shared/quality/compareRows.ts'
import { findingDefinitions, type FindingKind, qualityLimits } from '#shared/quality/findings.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { computeMetricRows, PendingRows, rowsWithFaults } from '../../../electron/sandbox/files/metricFile.ts'
import { plantedRows, type QualityFaults, withQualityFaults } from '../../../electron/sandbox/faults/qualityFaults.ts'

const MINUTE = 60_000
const datasets: MetricDatasetId[] = ['ohlcv', 'l1_price', 'open_interest', 'funding', 'flow']
const venues = ['venuea-futures', 'venueb-perps'] as const
const BTC = 'perpetual-BTC-USDT:USDT'

/** Generates the rows of a day of the sandbox for each dataset. */
function sandboxDay(
  venue: (typeof venues)[number],
  { period = '2026-09-01', seed = 1, symbol = BTC }: { period?: string; seed?: number; symbol?: string } = {},
): MetricRows[] {
  const day = Date.parse(period)
  const job = { kind: 'metrics', dataset: 'ohlcv', interval: '1m', timestamp: 'exchange', faults: {}, seed } as const
  const pending = datasets.map(() => new PendingRows())
  const rows = { ...job, venue: documentedVenue(venue), symbol, period, untilMs: day + 86_400_000, revision: 0 }
  for (const { rows: pieces } of computeMetricRows(rows, datasets))
    pieces.forEach((piece, at) => pending[at].add(piece))
  return pending.map((each) => each.take())
}

const days = venues.map((venue) => sandboxDay(venue))
const columnsByName = (rows: MetricRows) =>
  new Map(metricDataset(rows.dataset).columns.map(({ name }, at) => [name, rows.columns[at]]))
const check = (rows: MetricRows, tradeTimes: ReadonlySet<number> | null = null) =>
  checkRows({ dataset: rows.dataset, times: rows.timeMs, columns: columnsByName(rows), intervalMs: MINUTE, tradeTimes })
const spoil = (rows: MetricRows, quality: QualityFaults, period = '2026-09-01') =>
  withQualityFaults(rows, quality, { venue: documentedVenue('venueb-perps'), period })

test('clean rows of the sandbox have no findings', () => {
  expect(days.flat().flatMap((rows) => check(rows).map((found) => ({ dataset: rows.dataset, ...found })))).toEqual([])
})

describe('over many days of several seeds and symbols', () => {
  const symbols = ['BTC', 'ETH', 'DOGE', 'SOL'].map((base) => `perpetual-${base}-USDT:USDT`)
  const many = [2, 3, 5].flatMap((seed) =>
    symbols.flatMap((symbol) => venues.flatMap((venue) => sandboxDay(venue, { seed, symbol, period: '2026-08-15' }))),
  )

  test('at most one of 1,000 clean symbol-days has a finding', () => {
    expect(many.length).toBe(120)
    const falseFindings = many.flatMap((rows) => check(rows).map((found) => ({ dataset: rows.dataset, ...found })))
    expect(falseFindings.length, JSON.stringify(falseFindings.slice(0, 3))).toBeLessThanOrEqual(many.length / 1000)
  })

  test.each([
    ['missing', 'missing', datasets],
    ['stale', 'stale', ['ohlcv', 'l1_price', 'open_interest']],
    ['spikes', 'spike', ['ohlcv', 'l1_price', 'open_interest']],
    ['impossible', 'impossible', ['ohlcv', 'l1_price']],
  ] as const)('every day with %s has its finding', (fault, kind, wanted: readonly string[]) => {
    // A minute without trades has no value that could be spoiled.
    const isThere = (rows: MetricRows) => fault === 'missing' || rows.columns[0][plantedRows[fault][0]] > 0
    const planted = many.filter((rows) => wanted.includes(rows.dataset) && isThere(rows))
    expect(planted.length).toBeGreaterThan(40)
    for (const rows of planted)
      expect(check(spoil(rows, { [fault]: true }, '2026-08-15')).map((each) => each.kind)).toContain(kind)
  })
})

test('spikes are those that the medians of all rows show', () => {
  let state = 7
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647
  for (let round = 0; round < 60; round++) {
    const scale = [0.0005, 0.003, 0.02][round % 3]
    let price = 100
    const close = Float64Array.from({ length: 400 }, () => {
      price *= 1 + scale * (random() - 0.5)
      const [kind, size] = [random(), random()]
      return kind < 0.02 ? NaN : kind < 0.03 ? 0 : kind < 0.05 ? price * (1 + 0.4 * (size - 0.5)) : price
    })
    const times = close.map((_, row) => row * MINUTE)
    const found = checkRows({ dataset: 'ohlcv', times, columns: new Map([['close', close]]), intervalMs: MINUTE })
    const count = found.filter(({ kind }) => kind === 'spike').reduce((sum, each) => sum + each.count, 0)
    expect(count, `round ${round}`).toBe(spikesByAllMedians(close))
  }
})

/** Counts spikes by their definition, with the median of each row's surroundings. */
function spikesByAllMedians(values: Float64Array): number {
  const { spikeReach, spikeDeviations, spikeLeast } = qualityLimits
  const logs = [...values].filter((value) => value > 0).map(Math.log)
  const medianOf = (numbers: readonly number[]) => {
    const sorted = numbers.toSorted((a, b) => a - b)
    const half = sorted.length >> 1
    return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  }
  const distances = logs.map((log, at) =>
    Math.abs(log - medianOf(logs.slice(Math.max(0, at - spikeReach), at + spikeReach + 1))),
  )
  const nonZeroDistances = distances.filter((distance) => distance > 0).toSorted((a, b) => a - b)
  const threshold = Math.max(
    spikeLeast,
    spikeDeviations * 1.4826 * (nonZeroDistances[nonZeroDistances.length >> 1] ?? 0),
  )
  return distances.filter((distance) => distance > threshold).length
}

describe('what the sandbox plants is found at its rows', () => {
  const at = (rows: MetricRows, row: number) => rows.timeMs[0] + row * MINUTE
  const kinds: [keyof QualityFaults, FindingKind, MetricDatasetId[]][] = [
    ['missing', 'missing', datasets],
    ['stale', 'stale', ['ohlcv', 'l1_price', 'open_interest']],
    ['spikes', 'spike', ['ohlcv', 'l1_price', 'open_interest']],
    ['impossible', 'impossible', ['ohlcv', 'l1_price']],
  ]
  test.each(kinds)('%s', (fault, kind, wanted) => {
    for (const rows of days[0].filter(({ dataset }) => wanted.includes(dataset as MetricDatasetId))) {
      const found = check(spoil(rows, { [fault]: true }))
      const [from, to] = plantedRows[fault]
      expect([...new Set(found.map((each) => each.kind))], rows.dataset).toEqual([kind])
      for (const each of found) {
        expect(each.from, `${rows.dataset} ${each.column}`).toBeGreaterThanOrEqual(at(rows, from) - MINUTE)
        expect(each.to, `${rows.dataset} ${each.column}`).toBeLessThanOrEqual(at(rows, to) + 3 * MINUTE)
      }
    }
  })

  test('duplicates and rows in disorder', () => {
    const [rows] = days[0]
    const repeated = check(rowsWithFaults(rows, { duplicates: true }))
    expect(repeated.map(({ kind, count }) => [kind, count])).toEqual([['duplicate', 39]])
    const disordered = check(rowsWithFaults(rows, { unsorted: true }))
    expect(disordered.map(({ kind, count }) => [kind, count])).toEqual([['order', 1]])
  })

  test('open interest 0 beside trades, and no finding without trades', () => {
    const rows = spoil(days[0][2], { impossible: true })
    const [row] = plantedRows.impossible
    const time = at(rows, row)
    expect(check(rows, new Set([time]))).toMatchObject([
      { kind: 'impossible', column: 'open_interest', from: time, count: 1 },
    ])
    expect(check(rows, new Set())).toEqual([])
  })

  test('monthly against daily, and served against computed', () => {
    const [rows] = days[0]
    const wrong = spoil(rows, { revised: true })
    const rowsToCompare = (each: MetricRows) => ({ times: each.timeMs, columns: columnsByName(each) })
    for (const kind of ['overlap', 'computed'] as const) {
      const found = compareRows(kind, rowsToCompare(wrong), rowsToCompare(rows), MINUTE)
      expect(found.map(({ column, count }) => [column, count])).toEqual(
        ['open', 'high', 'low', 'close'].map((name) => [name, 20]),
      )
      expect(compareRows(kind, rowsToCompare(rows), rowsToCompare(rows), MINUTE)).toEqual([])
    }
  })

  test('one venue against the others', () => {
    const venueRows = (rows: MetricRows, exchange: string, column: string) => {
      return { exchange, symbol: BTC, times: rows.timeMs, values: columnsByName(rows).get(column)! }
    }
    for (const [column, dataset] of [
      ['midprice', 1],
      ['funding_rate', 3],
    ] as const) {
      const clean = venues.map((venue, which) => venueRows(days[which][dataset], venue, column))
      expect(compareVenues(column, clean, MINUTE), column).toEqual([])
      const wrong = [clean[0], venueRows(spoil(days[1][dataset], { venues: true }), venues[1], column)]
      expect(compareVenues(column, wrong, MINUTE), column).toMatchObject([{ kind: 'venue', exchange: 'venueb-perps' }])
    }
  })
})

test('a gap over midnight is one finding a day', () => {
  const midnight = Date.parse('2026-09-02')
  const gaps = missingBetween(midnight - 3 * MINUTE, midnight + 2 * MINUTE, MINUTE)
  expect(gaps.map(({ from, to, count }) => [from - midnight, to - midnight, count])).toEqual([
    [-2 * MINUTE, 0, 2],
    [0, 2 * MINUTE, 2],
  ])
})

test('a price that moves and stays, a funding rate that does not move and quiet minutes are no findings', () => {
  const times = Float64Array.from({ length: 1440 }, (_, row) => row * MINUTE)
  const noise = (row: number) => 1 + 0.0005 * Math.sin(row * 12.9898)
  const close = times.map((_, row) => (row < 700 ? 100 : 130) * noise(row))
  const volume = times.map((_, row) => (row > 900 ? 0 : 5 + (row % 7)))
  const quiet = close.map((value, row) => (row > 900 ? close[900] : value))
  const columns = new Map([
    ['close', quiet],
    ['volume', volume],
  ])
  expect(checkRows({ dataset: 'ohlcv', times, columns, intervalMs: MINUTE })).toEqual([])
  const rates = new Map([['funding_rate', new Float64Array(1440).fill(0.0001)]])
  expect(checkRows({ dataset: 'funding', times, columns: rates, intervalMs: MINUTE })).toEqual([])
})

test('an amount that repeats a common value is no finding, and one that repeats a rare value is', () => {
  const times = Float64Array.from({ length: 1440 }, (_, row) => row * MINUTE)
  const columnsWith = (frozen: number) => {
    // Every fourth row has the smallest lot, and one hour has a single constant value.
    const least = times.map((_, row) =>
      row >= 700 && row < 760 ? frozen : row % 4 === 0 ? 0.0002 : 0.001 + row * 1e-6,
    )
    return new Map([
      ['trade_amount_min', least],
      ['n_trades', times.map(() => 9)],
    ])
  }
  const found = (frozen: number) =>
    checkRows({ dataset: 'trade_size', times, columns: columnsWith(frozen), intervalMs: MINUTE })
  expect(found(0.0002)).toEqual([])
  expect(found(0.0007)).toMatchObject([{ kind: 'stale', column: 'trade_amount_min', count: 60 }])
})

test('a stale stretch is found wherever it begins', () => {
  const times = Float64Array.from({ length: 200 }, (_, row) => row * MINUTE)
  for (let first = 0; first <= 180; first++) {
    const close = times.map((_, row) => (row >= first && row < first + 20 ? 55 : 100 + row * 0.01))
    const found = checkRows({ dataset: 'ohlcv', times, columns: new Map([['close', close]]), intervalMs: MINUTE })
    expect(
      found.filter(({ kind }) => kind === 'stale'),
      `from row ${first}`,
    ).toMatchObject([{ count: 20 }])
  }
})

test('definitions state their limits in numbers that can be read', () => {
  for (const definition of Object.values(findingDefinitions)) expect(definition).not.toMatch(/\d{7}|NaN|undefined/)
})

describe('times that no row can have', () => {
  const start = Date.UTC(2026, 0, 1)
  const far = [8e15, Number.MAX_VALUE, -1, NaN]
  const rowsWith = (odd: readonly number[]) => {
    const times = Float64Array.of(start, start + MINUTE, ...odd)
    return { dataset: 'ohlcv', times, columns: new Map([['close', times.map(() => 5)]]), intervalMs: MINUTE }
  }

  test.each(far)('%s is one finding, not one for each day up to it', (time) => {
    const found = checkRows(rowsWith([time]))
    expect(found.map(({ kind, column, count }) => [kind, column, count])).toEqual([['impossible', 'time', 1]])
    expect(found.every(({ from, to }) => to > from && Number.isFinite(new Date(from).getTime()))).toBe(true)
  })

  test.each([
    ['before', Date.UTC(1999, 0, 1)],
    ['after', Date.UTC(2150, 0, 1)],
  ])('lie %s the period of their file: one finding, within the period', (_, time) => {
    const period = { startMs: start, endMs: start + 86_400_000 }
    const found = checkRows({ ...rowsWith([time, time]), period })
    expect(found).toMatchObject([{ kind: 'impossible', column: 'time', count: 2, value: time }])
    expect(found[0].from).toBeGreaterThanOrEqual(period.startMs)
    expect(found[0].to).toBeLessThanOrEqual(period.endMs)
  })

  test('that are missing or not plausible are reported in the period of their file, a missing time as such', () => {
    const period = { startMs: start, endMs: start + 86_400_000 }
    const foundFor = (odd: readonly number[]) =>
      checkRows({ ...rowsWith(odd), period }).map(({ from, count, detail, value }) => [from, count, detail, value])
    const detail = 'times outside the years 1970 to 2199'
    expect(foundFor([NaN, NaN, -1])).toEqual([
      [start, 2, 'rows without a time', null],
      [start, 1, detail, -1],
    ])
    expect(foundFor([8e15])).toEqual([[period.endMs - 1, 1, detail, 8e15]])
    expect(checkRows(rowsWith([NaN]))).toMatchObject([{ from: start, detail: 'rows without a time' }])
  })

  test('are left out where rows or venues are compared', () => {
    const [rows, other] = [5, 6].map((value) => {
      const { times } = rowsWith(far)
      return { times, columns: new Map([['close', times.map(() => value)]]) }
    })
    expect(compareRows('overlap', rows, other, MINUTE).map(({ count }) => count)).toEqual([2])
    const venue = (exchange: string, value: number) => ({
      exchange,
      symbol: 's',
      times: rows.times,
      values: rows.times.map(() => value),
    })
    expect(compareVenues('midprice', [venue('a', 1), venue('b', 2)], MINUTE).map(({ count }) => count)).toEqual([2])
  })

  test('venues are compared whatever the order of their rows, the last of each time counting', () => {
    const venue = (exchange: string, rows: readonly (readonly [number, number])[]) => ({
      exchange,
      symbol: 's',
      times: Float64Array.from(rows, ([minute]) => start + minute * MINUTE),
      values: Float64Array.from(rows, ([, value]) => value),
    })
    const far = venue('b', [
      [3, 100],
      [1, 100],
      [2, 100],
      [2, 150],
      [4, NaN],
      [5, -1],
    ])
    const near = venue('a', [
      [0, 100],
      [1, 100],
      [2, 100],
      [3, 100],
      [4, 100],
      [5, 100],
    ])
    expect(compareVenues('midprice', [far, near], MINUTE)).toMatchObject([
      { exchange: 'b', from: start + 2 * MINUTE, to: start + 3 * MINUTE, count: 1, value: 150, expected: 100 },
    ])
  })

  test('a file in any order is compared by its first and last time', () => {
    const times = Float64Array.of(start + 2 * MINUTE, start)
    const [rows, other] = [5, 6].map((value) => ({ times, columns: new Map([['close', times.map(() => value)]]) }))
    expect(compareRows('overlap', rows, other, MINUTE)).toMatchObject([
      { from: start, to: start + 3 * MINUTE, count: 2 },
    ])
  })
})
