import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitHistory, FIRST_DAY, missingRanges } from '#core/portfolio/portfolio.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const known = (start: number, end: number, lastDay: number | null, isFresh = true) => ({
  range: { start, end },
  lastDay,
  isFresh,
})
const want = (start: number, end: number) => ({ start, end })

describe('what is asked for', () => {
  test.each([
    ['nothing is known', null, want(10, 20), [want(10, 20)]],
    ['all of it is known and fresh', known(10, 20, 19), want(12, 20), []],
    ['the end may have grown', known(10, 20, 19), want(12, 21), [want(14, 21)]],
    ['the end is old', known(10, 20, 19, false), want(12, 20), [want(14, 20)]],
    ['only settled days are wanted, however old', known(10, 20, 19, false), want(10, 14), []],
    ['the beginning is missing', known(10, 20, 19), want(FIRST_DAY, 15), [want(FIRST_DAY, 10)]],
    ['both sides are missing', known(10, 20, 19), want(5, 30), [want(14, 30), want(5, 10)]],
    ['it lies far behind', known(10, 20, 19), want(50, 60), [want(14, 60)]],
    ['it lies far before', known(10, 20, 19), want(1, 3), [want(1, 10)]],
    ['the data ended long ago', known(0, 100, 40, false), want(90, 100), [want(35, 100)]],
    ['there never were data', known(0, 100, null, false), want(90, 100), [want(0, 100)]],
  ] as const)('where %s', (_, knownDays, wanted, asked) => {
    expect(missingRanges(wanted, knownDays, false)).toEqual(asked)
  })

  test('on demand it is all that is wanted, and what lies between', () => {
    expect(missingRanges(want(12, 15), known(10, 20, 19), true)).toEqual([want(12, 15)])
    expect(missingRanges(want(30, 35), known(10, 20, 19), true)).toEqual([want(20, 35)])
  })
})

test('parts together are the answer, and what is known afterwards is what was known and what was asked', () => {
  const { portfolio: store } = openTestStore()
  let run = 0
  const range = fc
    .tuple(fc.nat(60), fc.integer({ min: 1, max: 40 }))
    .map(([start, length]) => want(start, start + length))
  const given = fc.record({
    asked: range,
    days: fc.uniqueArray(fc.nat(110), { minLength: 5, maxLength: 60 }).map((days) => days.sort((a, b) => a - b)),
    known: fc.option(range),
    cellsAtOnce: fc.integer({ min: 1, max: 20 }),
  })
  fc.assert(
    fc.property(given, ({ asked, days, known: span, cellsAtOnce }) => {
      if (span && (asked.start > span.end || asked.end < span.start)) return
      const values = Float64Array.from(days.flatMap((day) => [day, -day]))
      const matrix = { days: Int32Array.from(days), columns: ['a', 'b'], values }
      const parts = splitHistory(asked, matrix, span, cellsAtOnce)
      const byStart = parts.toSorted((a, b) => a.days.start - b.days.start || a.days.end - b.days.end)
      expect(byStart[0].days.start).toBe(asked.start)
      expect(byStart.at(-1)?.days.end).toBe(asked.end)
      byStart.slice(1).forEach((part, at) => expect(part.days.start).toBe(byStart[at].days.end))
      expect(parts.flatMap(({ matrix }) => [...matrix.days]).sort((a, b) => a - b)).toEqual(days)
      for (const { matrix } of parts) {
        expect([...matrix.values]).toEqual([...matrix.days].flatMap((day) => [day, -day]))
        expect(matrix.values.length).toBeLessThanOrEqual(Math.max(2, cellsAtOnce))
      }
      const key = { connectionId: `c${run++}`, endpoint: 'history', query: '' }
      const fetched = { fetchedAtMs: 1, source: '', problems: [] }
      const nothing = { days: new Int32Array(0), columns: [], values: new Float64Array(0) }
      if (span) store.saveDays(key, span, nothing, fetched)
      for (const part of parts) store.saveDays(key, part.days, part.matrix, fetched)
      const start = Math.min(asked.start, span?.start ?? Infinity)
      expect(store.find(key)?.range).toEqual({ start, end: Math.max(asked.end, span?.end ?? 0) })
    }),
  )
})
