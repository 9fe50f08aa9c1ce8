import { AppError } from '#shared/contract/errors.ts'
import { describe, expect, test, vi } from 'vitest'
import { dayNumberOf } from '#shared/time/periods.ts'
import { cachedFile, flowSeries, minuteFacts } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const day = dayNumberOf

describe('files of a series', () => {
  const series = flowSeries()

  test('are found by the days they touch, months and days alike', () => {
    const { files } = openTestStore()
    files.record(
      ['2026-06', '2026-07', '2026-08-01', '2026-08-02'].map((period) => ({
        file: cachedFile(series, period),
        facts: minuteFacts,
      })),
    )
    const periods = (start: string, end: string) =>
      files.ofSeries(series, day(start), day(end)).map(({ period }) => period)
    expect(periods('2026-07-31', '2026-08-02')).toEqual(['2026-07', '2026-08-01'])
    expect(periods('2026-06-15', '2026-06-16')).toEqual(['2026-06'])
    expect(periods('2026-08-03', '2027-01-01')).toEqual([])
    expect(files.ofSeries(flowSeries({ interval: '1h' }), 0, 99_999)).toEqual([])
    expect(files.ranges(series, day('2026-07-31'), day('2026-08-02'))).toEqual([
      { startDay: day('2026-07-01'), endDay: day('2026-08-01'), isFinal: true },
      { startDay: day('2026-08-01'), endDay: day('2026-08-02'), isFinal: true },
    ])
  })

  test('come back exactly as recorded, after a restart too', () => {
    const dataDir = temporaryFolder()
    const file = cachedFile(series, '2026-08-01', {
      state: 'partial',
      etag: null,
      pinned: true,
      changedUpstreamAtMs: 5,
    })
    openTestStore(dataDir).files.record([{ file, facts: minuteFacts }])
    const { files } = openTestStore(dataDir)
    expect(files.find(series, '2026-08-01')).toEqual(file)
    expect(files.facts(series, '2026-08-01')).toEqual(minuteFacts)
    expect(files.facts(series, '2026-08-02')).toBeUndefined()
  })

  test('recorded again are replaced, and totals count each once', () => {
    const { files } = openTestStore()
    files.record([{ file: cachedFile(series, '2026-08-01', { state: 'partial', sizeBytes: 10 }), facts: minuteFacts }])
    files.record([{ file: cachedFile(series, '2026-08-01', { sizeBytes: 30 }), facts: minuteFacts }])
    files.record([
      { file: cachedFile(flowSeries({ dataset: 'range' }), '2026-08-01', { sizeBytes: 5 }), facts: minuteFacts },
    ])
    expect(files.totals({})).toEqual({ files: 2, sizeBytes: 35 })
    expect(files.totals({ datasets: ['flow'] })).toEqual({ files: 1, sizeBytes: 30 })
    expect(files.totals({ startDay: day('2026-08-02') })).toEqual({ files: 0, sizeBytes: 0 })
    files.forget([{ series, period: '2026-08-01' }])
    files.forget([{ series, period: '2026-08-01' }])
    expect(files.totals({})).toEqual({ files: 1, sizeBytes: 5 })
    expect(files.facts(series, '2026-08-01')).toBeUndefined()
  })

  test('page through everything once, with a filter', () => {
    const { files } = openTestStore()
    const symbols = ['A', 'B', '龙'].map((base) => `perpetual-${base}-USDT:USDT`)
    const all = symbols.flatMap((symbol) =>
      ['2026-08-01', '2026-08-02', '2026-08-03'].map((period) => cachedFile(flowSeries({ symbol }), period)),
    )
    files.record(all.map((file) => ({ file, facts: minuteFacts })))
    const seen = []
    for (let page = files.page({}, null, 2); page.length > 0; page = files.page({}, page[page.length - 1], 2))
      seen.push(...page)
    expect(seen).toEqual(all)
    expect(
      files.page({ symbols: [symbols[2]], startDay: day('2026-08-02'), endDay: day('2026-08-03') }, null, 10),
    ).toEqual([all[7]])
  })

  test('the usual size is learned apart for months and days', () => {
    const { files } = openTestStore()
    expect(files.sizeEstimate('flow', '1m', 1)).toBeNull()
    files.record([
      { file: cachedFile(series, '2026-08-01', { sizeBytes: 100 }), facts: minuteFacts },
      { file: cachedFile(series, '2026-08-02', { sizeBytes: 300 }), facts: minuteFacts },
      { file: cachedFile(series, '2026-07', { sizeBytes: 9000 }), facts: minuteFacts },
    ])
    expect(files.sizeEstimate('flow', '1m', 1)).toBe(200)
    expect(files.sizeEstimate('flow', '1m', 31)).toBe(9000)
  })
})

test('room is made with the least recently used, never with pinned ones or ones a job waits for', () => {
  const { files, jobs } = openTestStore()
  const series = flowSeries()
  const used = { '2026-08-01': 10, '2026-08-02': 5, '2026-08-03': 1, '2026-08-04': 2 }
  files.record(
    Object.entries(used).map(([period, usedAtMs]) => ({
      file: cachedFile(series, period, { usedAtMs }),
      facts: minuteFacts,
    })),
  )
  files.setPinned(series, '2026-08-03', true)
  jobs.add(jobs.newBatch('refresh', 1), [{ series, period: '2026-08-04', refresh: true }], { priority: 0, nowMs: 1 })
  const order = () => files.leastRecentlyUsed(10).map(({ period }) => period)
  expect(order()).toEqual(['2026-08-02', '2026-08-01'])
  files.touch(series, '2026-08-02', 99)
  expect(order()).toEqual(['2026-08-02', '2026-08-01'])
  files.flushTouches()
  expect(order()).toEqual(['2026-08-01', '2026-08-02'])
})

test('the use of a file is written later if the disk is full', () => {
  const { files, database } = openTestStore()
  const series = flowSeries()
  files.record([{ file: cachedFile(series, '2026-08-01', { usedAtMs: 1 }), facts: minuteFacts }])
  files.touch(series, '2026-08-01', 99)
  vi.spyOn(database.writes, 'inTransaction').mockImplementationOnce(() => {
    throw new AppError('disk-full')
  })
  files.flushTouches()
  expect(files.find(series, '2026-08-01')).toMatchObject({ usedAtMs: 1 })
  files.flushTouches()
  expect(files.find(series, '2026-08-01')).toMatchObject({ usedAtMs: 99 })
})

test('what a service does not have is remembered until it has it', () => {
  const { files, unavailable } = openTestStore()
  const series = flowSeries()
  unavailable.recordAbsent(series, ['2026-07', '2026-08-01'], 7)
  const absent = () =>
    unavailable.absentPeriods(series, day('2026-07-15'), day('2026-08-05')).map(({ period }) => period)
  expect(absent()).toEqual(['2026-07', '2026-08-01'])
  files.record([{ file: cachedFile(series, '2026-08-01'), facts: minuteFacts }])
  expect(absent()).toEqual(['2026-07'])
})

test('a refusal is remembered per dataset and interval with the service’s words, and can be cleared', () => {
  const { unavailable } = openTestStore()
  const kind = 'metrics' as const
  const refusal = { connectionId: 'c', kind, dataset: 'flow', interval: '15s', message: 'tier 3 needed', atMs: 4 }
  unavailable.recordRefusal({ ...refusal, message: 'old' })
  unavailable.recordRefusal(refusal)
  unavailable.recordRefusal({ ...refusal, dataset: 'l2_imbalance', interval: '' })
  expect(unavailable.refusals('c')).toEqual([refusal, { ...refusal, dataset: 'l2_imbalance', interval: '' }])
  unavailable.clearRefusal(refusal)
  expect(unavailable.refusals('c')).toHaveLength(1)
  expect(unavailable.refusals('other')).toEqual([])
})
