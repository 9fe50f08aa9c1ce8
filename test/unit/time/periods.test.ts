import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayFromNumber, dayNumberOf, expectedPeriods, periodDays } from '#shared/time/periods.ts'

describe('expected periods', () => {
  test('are months before the change and days from it', () => {
    expect(expectedPeriods('2026-06-15', '2026-08-02', '2026-08-01')).toEqual([
      '2026-06',
      '2026-07',
      '2026-08-01',
      '2026-08-02',
    ])
    expect(expectedPeriods('2025-12-31', '2026-01-01', '2026-08-01')).toEqual(['2025-12', '2026-01'])
    expect(expectedPeriods('2026-08-02', '2026-08-01', '2026-08-01')).toEqual([])
  })

  test('cover every day of the range once', () => {
    const day = fc.integer({ min: dayNumberOf('2019-01-01'), max: dayNumberOf('2027-12-31') })
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 500 }), day, (start, length, change) => {
        const dailyFrom = `${dayFromNumber(change).slice(0, 7)}-01`
        const spans = expectedPeriods(dayFromNumber(start), dayFromNumber(start + length), dailyFrom).map((period) =>
          periodDays(period),
        )
        for (const [index, span] of spans.entries()) {
          if (!span) throw new Error('not a period')
          if (index === 0) expect(span.start <= start && start < span.end).toBe(true)
          else expect(span.start).toBe(spans[index - 1]?.end)
        }
        expect((spans.at(-1)?.end ?? 0) > start + length).toBe(true)
      }),
    )
  })
})

test.each(['2026-13', '2026-02-30', '2026', '', '2026-1-1', 'x'])('%s is no period', (text) =>
  expect(periodDays(text)).toBeNull(),
)

test('knows the months at both ends of what a calendar day can be', () => {
  for (const [month, days] of [
    ['0000-12', 31],
    ['9999-12', 31],
    ['2000-02', 29],
    ['1900-02', 28],
  ] as const) {
    const period = periodDays(month)
    expect(period && period.end - period.start).toBe(days)
  }
  expect(expectedPeriods('0000-11-30', '0001-01-01', '2026-08-01')).toEqual(['0000-11', '0000-12', '0001-01'])
})
