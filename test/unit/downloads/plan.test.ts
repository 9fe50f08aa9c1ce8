import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayNumberOf } from '#shared/time/periods.ts'
import { anyDay, isSeriesLocked, statesOfPeriods, plannedPeriods, type SeriesKnowledge } from '#core/downloads/plan.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'

const dailyFilesFrom = '2026-08-01'
const span = (startDay: string, endDay: string, isFinal = true) => ({
  startDay: dayNumberOf(startDay),
  endDay: dayNumberOf(endDay),
  isFinal,
})
const knowing = (known: Partial<SeriesKnowledge>): SeriesKnowledge => ({
  cachedRanges: [],
  absent: new Set(),
  isLocked: false,
  mayExist: anyDay,
  ...known,
})

function states(start: string, end: string, known: Partial<SeriesKnowledge>, today = '2026-12-31'): string[] {
  const periods = plannedPeriods(start, end, today, dailyFilesFrom)
  return statesOfPeriods(periods, knowing(known)).map((state, index) => `${periods[index].period} ${state}`)
}

describe('the plan of a series', () => {
  test('asks for nothing after today', () => {
    expect(states('2026-07-10', '2026-09-30', {}, '2026-08-02')).toEqual([
      '2026-07 missing',
      '2026-08-01 missing',
      '2026-08-02 missing',
    ])
    expect(states('2026-08-03', '2026-09-30', {}, '2026-08-02')).toEqual([])
  })

  test('knows what is here, whole or in part, as months or days', () => {
    const cachedRanges = [
      span('2026-05-01', '2026-06-01'),
      span('2026-07-01', '2026-07-03'),
      span('2026-08-01', '2026-08-02'),
      span('2026-08-02', '2026-08-03', false),
    ]
    expect(states('2026-05-15', '2026-08-03', { cachedRanges })).toEqual([
      '2026-05 cached',
      '2026-06 missing',
      '2026-07 partial',
      '2026-08-01 cached',
      '2026-08-02 partial',
      '2026-08-03 missing',
    ])
  })

  test('a month that is here as one file or as all its days is cached, and days inside a month that is here are too', () => {
    const days = Array.from({ length: 30 }, (_, index) => {
      const start = dayNumberOf('2026-06-01') + index
      return { startDay: start, endDay: start + 1, isFinal: true }
    })
    expect(states('2026-06-01', '2026-06-30', { cachedRanges: days })).toEqual(['2026-06 cached'])
    expect(states('2026-08-05', '2026-08-06', { cachedRanges: [span('2026-08-01', '2026-09-01')] })).toEqual([
      '2026-08-05 cached',
      '2026-08-06 cached',
    ])
  })

  test('a month that is here as one file stays cached if some of its days are here too', () => {
    const cachedRanges = [span('2026-06-01', '2026-07-01'), span('2026-06-03', '2026-06-04')]
    expect(states('2026-06-01', '2026-07-01', { cachedRanges })).toEqual(['2026-06 cached', '2026-07 missing'])
  })

  test('what the service does not have, does not open or does not list is told apart', () => {
    expect(states('2026-07-01', '2026-08-01', { absent: new Set(['2026-07']), isLocked: true })).toEqual([
      '2026-07 absent',
      '2026-08-01 locked',
    ])
    expect(states('2026-08-01', '2026-08-01', { mayExist: null })).toEqual(['2026-08-01 unknown'])
    const mayExist = { firstDay: dayNumberOf('2026-06-30'), lastDay: dayNumberOf('2026-08-01') }
    expect(states('2026-05-01', '2026-08-02', { mayExist })).toEqual([
      '2026-05 unknown',
      '2026-06 missing',
      '2026-07 missing',
      '2026-08-01 missing',
      '2026-08-02 unknown',
    ])
    expect(
      states('2026-08-01', '2026-08-01', { isLocked: true, cachedRanges: [span('2026-08-01', '2026-08-02')] }),
    ).toEqual(['2026-08-01 cached'])
  })

  test('agrees with counting day by day, whatever files are here', () => {
    const base = dayNumberOf('2026-06-01')
    const cachedRanges = fc
      .array(fc.tuple(fc.integer({ min: 0, max: 120 }), fc.constantFrom(1, 1, 1, 28, 31), fc.boolean()), {
        maxLength: 25,
      })
      .map((files) =>
        files
          .map(([offset, days, isFinal]) => ({ startDay: base + offset, endDay: base + offset + days, isFinal }))
          .sort((a, b) => a.startDay - b.startDay || a.endDay - b.endDay),
      )
    fc.assert(
      fc.property(cachedRanges, (files) => {
        const periods = plannedPeriods('2026-06-01', '2026-09-15', '2026-12-31', dailyFilesFrom)
        const found = statesOfPeriods(periods, knowing({ cachedRanges: files }))
        periods.forEach(({ startDay, endDay }, index) => {
          let covered = 0
          for (let day = startDay; day < endDay; day++) {
            if (files.some((file) => file.startDay <= day && day < file.endDay)) covered++
          }
          const whole = covered === endDay - startDay
          if (covered === 0) expect(found[index]).toBe('missing')
          else if (!whole) expect(found[index]).toBe('partial')
          else expect(['cached', 'partial']).toContain(found[index])
        })
      }),
    )
  })
})

describe('what a key does not open', () => {
  const refusal = { connectionId: 'sandbox', kind: 'metrics' as const, message: null, atMs: 1 }
  test.each([
    ['flow at tier 0', { dataset: 'flow' }, 0, true],
    ['flow at tier 1', { dataset: 'flow' }, 1, false],
    ['15 seconds at tier 2', { dataset: 'vtwap', interval: '15s' }, 2, true],
    ['15 seconds at tier 3', { dataset: 'vtwap', interval: '15s' }, 3, false],
    ['what the documents do not say', { dataset: 'basis' }, 0, false],
    ['a dataset nobody knows', { dataset: 'new_thing', interval: '7m' }, 0, false],
    ['an unknown tier', { dataset: 'l2_imbalance' }, null, false],
  ])('%s', (_what, series, tier, expected) => {
    expect(isSeriesLocked(flowSeries(series), tier, [])).toBe(expected)
  })

  test('a refusal outweighs the documents, for its interval or for all', () => {
    expect(isSeriesLocked(flowSeries(), 3, [{ ...refusal, dataset: 'flow', interval: '' }])).toBe(true)
    expect(isSeriesLocked(flowSeries(), 3, [{ ...refusal, dataset: 'flow', interval: '15s' }])).toBe(false)
    expect(isSeriesLocked(flowSeries(), null, [{ ...refusal, dataset: 'flow', interval: '1m' }])).toBe(true)
  })
})
