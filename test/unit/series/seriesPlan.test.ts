import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planSeries, uncovered, type PeriodFile } from '#core/series/planSeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, isMonth, periodDays } from '#shared/time/periods.ts'

const file = (period: string): PeriodFile => {
  const { start, end } = periodDays(period)!
  return { period, startDay: start, endDay: end }
}
const ms = (text: string) => Date.parse(`${text}T00:00:00Z`)
const planOf = (files: PeriodFile[], start: string, end: string) =>
  planSeries(files, { startMs: ms(start), endMs: ms(end) }).map(
    (slice) =>
      `${slice.file.period} ${[slice.startMs, slice.endMs].map((at) => new Date(at).toISOString().slice(5, 10)).join('/')}`,
  )

describe('which file answers for which days', () => {
  it.each([
    [[], []],
    [['2026-07'], ['2026-07 07-10/08-01']],
    [['2026-07-09', '2026-08-02'], []],
    [
      ['2026-07-31', '2026-07'],
      ['2026-07 07-10/07-31', '2026-07-31 07-31/08-01'],
    ],
    [
      ['2026-07', '2026-07-20'],
      ['2026-07 07-10/07-20', '2026-07-20 07-20/07-21', '2026-07 07-21/08-01'],
    ],
    [
      ['2026-08-01', '2026-07-10'],
      ['2026-07-10 07-10/07-11', '2026-08-01 08-01/08-02'],
    ],
  ])('%j', (periods, expected) => {
    expect(planOf(periods.map(file), '2026-07-10', '2026-08-02')).toEqual(expected)
  })

  const period = fc
    .integer({ min: 20_600, max: 20_700 })
    .chain((day) => fc.constantFrom(dayFromNumber(day), dayFromNumber(day).slice(0, 7)))
  const instant = fc.integer({ min: 20_590 * MS_PER_DAY, max: 20_710 * MS_PER_DAY })

  it('covers each instant once, by its day’s own file where there is one, and tells the rest as missing', () => {
    fc.assert(
      fc.property(fc.uniqueArray(period), instant, instant, instant, (periods, a, b, probe) => {
        const range = { startMs: Math.min(a, b), endMs: Math.max(a, b) }
        const slices = planSeries(periods.map(file), range)
        const covering = slices.filter(({ startMs, endMs }) => probe >= startMs && probe < endMs)
        const missing = uncovered(slices, range).filter(({ startMs, endMs }) => probe >= startMs && probe < endMs)
        const isAsked = probe >= range.startMs && probe < range.endMs
        expect(covering.length + missing.length).toBe(isAsked ? 1 : 0)
        const day = new Date(probe).toISOString().slice(0, 10)
        const wanted =
          periods.find((each) => each === day) ?? periods.find((each) => isMonth(each) && day.startsWith(each))
        if (isAsked) expect(covering.at(0)?.file.period).toBe(wanted)
        for (const [i, { startMs, endMs }] of slices.entries()) {
          expect(startMs).toBeLessThan(endMs)
          if (i > 0) expect(startMs).toBeGreaterThanOrEqual(slices[i - 1].endMs)
        }
      }),
    )
  })
})
