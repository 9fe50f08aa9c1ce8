import { describe, expect, it } from 'vitest'
import { filteredRows } from '#shared/tables/arrangement.ts'
import { cellOf, columnOf, numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { cachedByDataset } from '../../renderer/views/catalog/cachedByDataset.ts'
import { tierState } from '../../renderer/views/catalog/tierState.ts'
import {
  readAddress,
  writeAddress,
  coverageConditions,
  pairCondition,
} from '../../renderer/views/coverage/coverageAddress.ts'
import { metricFrame } from '../../renderer/views/coverage/metricFrame.ts'
import { periodCalendar, stateCounts, stateRuns } from '../../renderer/views/coverage/periodCalendar.ts'
import { firstDayOf, rawFactsAt, rowWith } from '../../renderer/views/coverage/rawFacts.ts'
import { metricPivot, rawPivot } from '../../renderer/views/coverage/pivotFrame.ts'
import { timesRange } from '../../renderer/views/coverage/symbolFrame.ts'
import { rawCoverageColumns, rawFrameSteps, withShares } from '../../renderer/views/coverage/rawFrame.ts'

/** Runs all steps that build the frame, without pauses between them. */
function rawFrame(frame: Frame): Frame {
  const steps = rawFrameSteps(frame)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const day = (text: string) => Date.parse(text)
const DRAGON = 'perpetual-龙-USDT:USDT'
const HYPHEN = 'perpetual-A-B-USD:USDC'

const index: Frame = {
  rows: 3,
  columns: [
    textColumn('dataset', ['quotes', 'trades', 'trades']),
    textColumn('exchange', ['v1', 'v1', 'v2']),
    textColumn('symbol', [DRAGON, DRAGON, HYPHEN]),
    timeColumn('first', [day('2026-02-01'), day('2026-01-01'), day('2026-03-01')]),
    timeColumn('last', [day('2026-02-10'), day('2026-01-10'), day('2026-03-04')]),
    numberColumn('days', [10, 8, 4]),
    numberColumn('missing', [0, 2, 0]),
    numberColumn('bytes', [null, 5000, null]),
    textColumn('gaps', [null, '2026-01-03/2026-01-04', '']),
  ],
}
const cached: Frame = {
  rows: 2,
  columns: [
    textColumn('dataset', ['trades', 'trades']),
    textColumn('exchange', ['v1', 'v2']),
    textColumn('symbol', [DRAGON, HYPHEN]),
    numberColumn('days', [2, 31]),
  ],
}
const column = (frame: Frame, name: string) =>
  Array.from({ length: frame.rows }, (_, row) => {
    const found = columnOf(frame, name)
    return found ? cellOf(found, row) : undefined
  })

it('keeps the pairs of a list, not every symbol of it on every venue', async () => {
  const pairs = [
    { exchange: 'v1', symbol: DRAGON },
    { exchange: 'v2', symbol: DRAGON },
    { exchange: 'v1', symbol: HYPHEN },
  ]
  const kept = await filteredRows(rawFrame(index), { text: '', conditions: [pairCondition(pairs)] }, async () => {})
  expect([...kept!]).toEqual([1, 1, 0])
})

describe('the pivot', () => {
  const everything = { dataset: '', venue: '', hasGaps: false }

  it('has a row for each symbol and a column for each dataset on each venue; what is not listed is missing', () => {
    const { frame, places } = rawPivot(withShares(rawFrame(index), cached), everything)
    expect(column(frame, 'symbol')).toEqual([DRAGON, HYPHEN])
    expect(column(frame, 'base')).toEqual(['龙', 'A-B'])
    expect([...places.keys()]).toEqual(['quotes v1', 'trades v1', 'trades v2'])
    expect([...places.keys()].map((key) => column(frame, key))).toEqual([
      [0, null],
      [0.25, null],
      [null, 1],
    ])
  })

  it('takes only the chosen dataset and venue, and only what has gaps', () => {
    const frame = withShares(rawFrame(index), cached)
    expect([...rawPivot(frame, { ...everything, dataset: 'quotes' }).places.keys()]).toEqual(['quotes v1'])
    expect([...rawPivot(frame, { ...everything, venue: 'v2' }).places.keys()]).toEqual(['trades v2'])
    const gaps = rawPivot(frame, { ...everything, hasGaps: true })
    expect([column(gaps.frame, 'symbol'), [...gaps.places.keys()]]).toEqual([[DRAGON], ['trades v1']])
  })

  it('adds up the files of all intervals of a symbol', () => {
    const rows = [
      ['metrics', 'flow', 'v1', DRAGON, '1m'],
      ['metrics', 'flow', 'v1', DRAGON, '1h'],
      ['raw', 'trades', 'v1', DRAGON, ''],
    ]
    const names = ['kind', 'dataset', 'exchange', 'symbol', 'interval']
    const texts = names.map((name, at) =>
      textColumn(
        name,
        rows.map((row) => row[at]),
      ),
    )
    const series = { rows: 3, columns: [...texts, numberColumn('files', [3, 4, 9])] }
    const { frame, places } = metricPivot(series, null, everything)
    expect([...places.keys()]).toEqual(['flow v1'])
    expect(column(frame, 'flow v1')).toEqual([7])
  })

  it('keeps only series with gaps of the cached metric files', () => {
    const rows = [
      ['metrics', 'flow', 'v1', DRAGON, '1h'],
      ['metrics', 'flow', 'v1', HYPHEN, '1h'],
      ['metrics', 'ohlcv', 'v1', HYPHEN, '1h'],
    ]
    const texts = ['kind', 'dataset', 'exchange', 'symbol', 'interval'].map((name, at) =>
      textColumn(
        name,
        rows.map((row) => row[at]),
      ),
    )
    const series = { rows: 3, columns: [...texts, numberColumn('files', [3, 4, 9])] }
    const gaps = {
      rows: 1,
      columns: [
        textColumn('dataset', ['ohlcv']),
        textColumn('exchange', ['v1']),
        textColumn('symbol', [HYPHEN]),
        textColumn('interval', ['1h']),
        numberColumn('missing', [2]),
      ],
    }
    const { frame, places } = metricPivot(series, gaps, { ...everything, hasGaps: true })
    expect([column(frame, 'symbol'), [...places.keys()]]).toEqual([[HYPHEN], ['ohlcv v1']])
    expect(metricPivot(series, gaps, everything).frame.rows).toBe(2)
  })

  it('has an address of its own, and timelines run between the first and the last day of all', () => {
    const query = { view: 'pivot', dataset: 'trades' }
    expect(readAddress(query).isPivot).toBe(true)
    expect(writeAddress(readAddress(query))).toEqual(query)
    expect(timesRange(index)).toEqual({ startMs: day('2026-01-01'), endMs: day('2026-03-04') })
    expect(timesRange({ rows: 0, columns: [] })).toEqual({ startMs: 0, endMs: 0 })
  })
})

describe('the table of raw events', () => {
  const frame = withShares(rawFrame(index), cached)

  it('knows the parts of each symbol, also with hyphens and in any script', () => {
    expect(column(frame, 'base')).toEqual(['龙', '龙', 'A-B'])
    expect(column(frame, 'quote')).toEqual(['USDT', 'USDT', 'USD'])
    expect(column(frame, 'settle')).toEqual(['USDT', 'USDT', 'USDC'])
  })

  it('says how much of each is here, at most all, and nothing while that is not known', () => {
    expect(column(frame, 'share')).toEqual([0, 0.25, 1])
    expect(column(withShares(rawFrame(index), null), 'share')).toEqual([null, null, null])
    const format = rawCoverageColumns.find(({ key }) => key === 'share')?.format
    expect([0, 0.0001, 0.25, 0.9999, 1].map((share) => format?.(share))).toEqual(['0', '0.1', '25.0', '99.9', '100'])
  })

  it('has a column for all it shows', () => {
    for (const { key } of rawCoverageColumns) expect(columnOf(frame, key), key).toBeDefined()
  })

  it('finds the row of an address, and what the index says of it', () => {
    const row = rowWith(frame, { dataset: 'trades', exchange: 'v1', symbol: DRAGON })
    expect(rawFactsAt(frame, row)).toEqual({
      ...{ first: '2026-01-01', last: '2026-01-10', days: 8, missing: 2, bytes: 5000 },
      gaps: [{ first: '2026-01-03', last: '2026-01-04' }],
    })
    expect(rowWith(frame, { dataset: 'trades', exchange: 'v9', symbol: DRAGON })).toBe(-1)
    expect(firstDayOf(frame, 'v1', DRAGON)).toBe('2026-01-01')
    expect(firstDayOf(frame, 'v2', DRAGON)).toBeNull()
  })

  it('is narrowed as the address says; a base in any width and case', () => {
    const address = readAddress({ dataset: 'trades', venue: 'v2', base: 'ａ-b' })
    expect(coverageConditions(frame, address)).toEqual([
      { key: 'dataset', oneOf: ['trades'] },
      { key: 'exchange', oneOf: ['v2'] },
      { key: 'base', oneOf: ['A-B'] },
    ])
    expect(coverageConditions(frame, readAddress({ base: 'nothing' }))).toEqual([{ key: 'base', oneOf: [] }])
    expect(coverageConditions(frame, readAddress({ gaps: '1' }))).toEqual([{ key: 'missing', from: 1 }])
    expect(coverageConditions(frame, readAddress({ gaps: '1', kind: 'metrics' }))).toEqual([
      { key: 'missing', from: 1 },
    ])
    expect(writeAddress(readAddress({ gaps: '1' }))).toEqual({ gaps: '1' })
  })
})

describe('the address of the coverage', () => {
  it('comes back as it was written, and holds only what is chosen', () => {
    expect(writeAddress(readAddress({ list: 'majors' }))).toEqual({ list: 'majors' })
    expect(writeAddress(readAddress({}))).toEqual({})
    const query = { kind: 'metrics', at: `flow/v1/${DRAGON}`, interval: '15s', text: '龙', settle: 'USDC' }
    expect(writeAddress(readAddress(query))).toEqual(query)
    expect(readAddress({ at: 'broken', kind: 'else', text: ['a', 'b'] })).toMatchObject({
      at: null,
      kind: 'raw',
      text: '',
    })
  })
})

const series: Frame = {
  rows: 4,
  columns: [
    textColumn('kind', ['metrics', 'metrics', 'metrics', 'raw']),
    textColumn('dataset', ['flow', 'flow', 'range', 'trades']),
    textColumn('exchange', ['v1', 'v1', 'v1', 'v1']),
    textColumn('symbol', [DRAGON, DRAGON, DRAGON, DRAGON]),
    textColumn('interval', ['1h', '7m', '1h', '']),
    textColumn('timestamp', ['exchange', 'true', 'exchange', '']),
    numberColumn('files', [3, 2, 5, 9]),
    numberColumn('bytes', [30, 20, 50, 90]),
  ],
}

describe('the table of metric files', () => {
  const listed = [{ exchange: 'v1', symbols: [DRAGON, HYPHEN] }]

  it('counts what is here by interval, of all datasets or of one', () => {
    const all = metricFrame(listed, series, null, '')
    expect([column(all, 'files'), column(all, '1h'), column(all, '1m')]).toEqual([
      [10, 0],
      [8, 0],
      [0, 0],
    ])
    expect(column(metricFrame(listed, series, null, 'flow'), 'bytes')).toEqual([50, 0])
    expect(column(metricFrame(listed, null, null, ''), 'files')).toEqual([null, null])
  })

  it('ends with the symbols of which files are here although the service lists them no longer', () => {
    const left = metricFrame([{ exchange: 'v2', symbols: [HYPHEN] }], series, null, '')
    expect([column(left, 'exchange'), column(left, 'symbol'), column(left, 'files')]).toEqual([
      ['v2', 'v1'],
      [HYPHEN, DRAGON],
      [0, 10],
    ])
  })

  it('adds up the days that the series of a symbol lack, and keeps the symbols with gaps alone', () => {
    const gaps: Frame = {
      rows: 2,
      columns: [
        textColumn('dataset', ['flow', 'range']),
        textColumn('exchange', ['v1', 'v1']),
        textColumn('symbol', [DRAGON, DRAGON]),
        textColumn('interval', ['1h', '1h']),
        numberColumn('missing', [4, 2]),
      ],
    }
    const all = metricFrame(listed, series, gaps, '')
    expect(column(all, 'missing')).toEqual([6, 0])
    expect(column(metricFrame(listed, series, gaps, 'flow'), 'missing')).toEqual([4, 0])
    const address = readAddress({ kind: 'metrics', gaps: '1' })
    expect(coverageConditions(all, address)).toContainEqual({ key: 'missing', from: 1 })
  })

  it('is summed by dataset for the catalog', () => {
    const largestSeries = { exchange: 'v1', symbol: DRAGON, interval: '1h', timestamp: 'exchange' }
    expect([...cachedByDataset(series, 'metrics')]).toEqual([
      ['flow', { files: 5, bytes: 50, symbols: 1, largestSeries: { dataset: 'flow', ...largestSeries } }],
      ['range', { files: 5, bytes: 50, symbols: 1, largestSeries: { dataset: 'range', ...largestSeries } }],
    ])
  })
})

describe('the calendar of a series', () => {
  const periods = [
    { period: '2025-12', state: 'cached' as const },
    { period: '2026-01', state: 'cached' as const },
    { period: '2026-07', state: 'missing' as const },
    { period: '2026-08-01', state: 'missing' as const },
    { period: '2026-08-02', state: 'missing' as const },
    { period: '2026-09-30', state: 'failed' as const },
  ]

  it('puts months in lines of years and days in lines of months, each at its place', () => {
    const { years, months } = periodCalendar(periods)
    expect(years.map(({ label, cells }) => [label, cells.length, cells.findLastIndex(Boolean)])).toEqual([
      ['2025', 12, 11],
      ['2026', 12, 6],
    ])
    expect(months.map(({ label, cells }) => [label, cells.length, cells.findLastIndex(Boolean)])).toEqual([
      ['2026-08', 31, 1],
      ['2026-09', 31, 29],
    ])
    expect(years[1].cells[0]).toEqual({ period: '2026-01', state: 'cached' })
  })

  it('counts the states and joins neighbours, months apart from days', () => {
    expect(stateCounts(periods)).toEqual([
      { state: 'cached', count: 2 },
      { state: 'missing', count: 3 },
      { state: 'failed', count: 1 },
    ])
    expect(stateRuns(periods).map(({ first, last, count }) => [first, last, count])).toEqual([
      ['2025-12', '2026-01', 2],
      ['2026-07', '2026-07', 1],
      ['2026-08-01', '2026-08-02', 2],
      ['2026-09-30', '2026-09-30', 1],
    ])
    expect(stateRuns([])).toEqual([])
  })
})

it.each([
  ['what the tier opens', { id: 'flow', minTier: 1 }, 1, 'open'],
  ['what it does not', { id: 'flow', minTier: 2 }, 1, 'locked'],
  ['an unknown tier', { id: 'flow', minTier: 2 }, null, 'unknown'],
  ['what the documents do not say', { id: 'basis', minTier: null }, 3, 'unknown'],
  ['a refusal outweighs all', { id: 'l2', minTier: 0 }, 3, 'refused'],
])('the badge of a dataset: %s', (_what, dataset, tier, state) => {
  const refusals = [
    { kind: 'metrics' as const, dataset: 'l2', interval: '', message: 'subscribe', at: 1 },
    { kind: 'metrics' as const, dataset: 'flow', interval: '15s', message: null, at: 1 },
    { kind: 'raw' as const, dataset: 'basis', interval: '', message: null, at: 1 },
  ]
  expect(tierState(dataset, tier, refusals).state).toBe(state)
})
