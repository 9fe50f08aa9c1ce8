import { describe, expect, it } from 'vitest'
import type { Frame } from '#shared/contract/frame.ts'
import { commonReturns, levelsOfReturns, returnsOfPrices, matchVolatility } from '#shared/portfolio/benchmark.ts'
import { extremes, yearTable } from '#shared/portfolio/calendarReturns.ts'
import {
  columnWithGaps,
  type DailyMatrix,
  type DailySeries,
  dailySeriesOf,
  dayFrame,
  problemMessages,
  returnsWarnings,
  rowOfDay,
  runSteps,
} from '#shared/portfolio/dailySeries.ts'
import { exposureValues } from '#shared/portfolio/exposure.ts'
import { figureValues, returnsView } from '#shared/portfolio/figures.ts'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { tearSheetDocument } from '#shared/portfolio/tearSheetDocument.ts'
import { allMembers, memberFinder, membersOnly } from '#shared/portfolio/universeHistory.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'

const clean = { duplicateDays: 0, outOfOrder: 0, invalidDates: 0, invalidValues: 0 }
const cellsOf = ({ values, valid }: { values: Float64Array; valid: Uint8Array | null }) =>
  [...values].map((value, row) => (valid?.[row] === 0 ? null : value))

function series(
  values: readonly (number | null)[],
  firstDay = 0,
  days = values.map((_, at) => firstDay + at),
): DailySeries {
  return {
    days: Int32Array.from(days),
    values: Float64Array.from(values, (value) => value ?? 0),
    valid: Uint8Array.from(values, (value) => Number(value !== null)),
  }
}

describe('a frame as a series of days', () => {
  const time = (days: number[], valid: number[] | null = null) => ({
    name: 'time',
    kind: 'time' as const,
    values: Float64Array.from(days, (day) => day * MS_PER_DAY),
    valid: valid && Uint8Array.from(valid),
  })
  const value = (values: number[], valid: number[] | null = null) => ({
    name: 'return',
    kind: 'number' as const,
    values: Float64Array.from(values),
    valid: valid && Uint8Array.from(valid),
  })

  it('has its days in order, and leaves out rows without a date', () => {
    const frame: Frame = {
      rows: 4,
      columns: [time([3, 1, 2, 9], [1, 1, 1, 0]), value([0.3, 0.1, 0.2, 0.9], [1, 1, 0, 1])],
    }
    const { series: found, problems } = dailySeriesOf(frame)
    expect([...found.days]).toEqual([1, 2, 3])
    expect(cellsOf(found)).toEqual([0.1, null, 0.3])
    expect(problems).toEqual({ ...clean, outOfOrder: 1, invalidDates: 1 })
  })

  it('is empty and without problems where a column is missing', () => {
    for (const columns of [[], [time([1, 2])], [value([0.1, 0.2])]]) {
      const { series: found, problems } = dailySeriesOf({ rows: 2, columns })
      expect(found.days).toHaveLength(0)
      expect(found.values).toHaveLength(0)
      expect(problems).toEqual(clean)
    }
  })

  it('a matrix becomes a frame with NaN as missing values', () => {
    const frame = dayFrame({ days: Int32Array.of(5, 6), columns: ['A', 'B'], values: Float64Array.of(1, NaN, 3, 4) })
    expect(frame.columns.map(({ name }) => name)).toEqual(['time', 'A', 'B'])
    expect([...(frame.columns[0] as { values: Float64Array }).values]).toEqual([5 * MS_PER_DAY, 6 * MS_PER_DAY])
    expect(frame.columns[1]).toMatchObject({ values: Float64Array.of(1, 3), valid: null })
    expect(frame.columns[2]).toMatchObject({ values: Float64Array.of(0, 4), valid: Uint8Array.of(0, 1) })
    expect(columnWithGaps('x', Float64Array.of(1, NaN, 0, NaN))).toMatchObject({
      values: Float64Array.of(1, 0, 0, 0),
      valid: Uint8Array.of(1, 0, 1, 0),
    })
  })

  it('finds days that are there, and no others', () => {
    const days = Int32Array.of(3, 5, 6)
    expect([2, 3, 4, 5, 6, 7].map((day) => rowOfDay(days, day))).toEqual([-1, 0, -1, 1, 2, -1])
  })
})

describe('messages about corrected rows', () => {
  it('agree with their numbers', () => {
    expect(problemMessages(clean)).toEqual([])
    expect(problemMessages({ duplicateDays: 1, outOfOrder: 1, invalidDates: 1, invalidValues: 1 })).toEqual([
      'one day appears twice: the later row was used',
      'one row was out of order',
      'one row has no date and was left out',
      'one value is not numeric and was treated as missing',
    ])
    expect(problemMessages({ duplicateDays: 2, outOfOrder: 3, invalidDates: 4, invalidValues: 5 })).toEqual([
      '2 rows repeat a day: the later row was used',
      '3 rows were out of order',
      '4 rows have no date and were left out',
      '5 values are not numeric and were treated as missing',
    ])
  })

  it('name the first day that lost more than everything', () => {
    const first = dayNumberOf('2026-03-01')
    expect(returnsWarnings(series([0.1, -1, 0.2], first), { ...clean, outOfOrder: 1 })).toEqual([
      'one row was out of order',
    ])
    expect(returnsWarnings(series([0.1, -1.5, null, -2], first), clean)).toEqual([
      '2 values are below −100 % (first on 2026-03-02), so equity and everything derived from it are meaningless from then on',
    ])
    expect(returnsWarnings(series([-1.01], first), { ...clean, outOfOrder: 1 })).toHaveLength(2)
  })
})

describe('prices and returns', () => {
  it('a return needs a positive price on both of two successive days', () => {
    expect(cellsOf(returnsOfPrices(series([100, 110, 0, 120, null, 130, 65])))).toEqual([
      null,
      expect.closeTo(0.1),
      null,
      null,
      null,
      null,
      -0.5,
    ])
    expect(cellsOf(returnsOfPrices(series([100, 110, 121], 0, [1, 2, 4])))).toEqual([null, expect.closeTo(0.1), null])
    expect([...returnsOfPrices(series([100, 0, 50])).values]).toEqual([0, 0, 0])
    expect(cellsOf(returnsOfPrices({ ...series([100, 50]), valid: null }))).toEqual([null, -0.5])
  })

  it('levels compound from 1, and a day without a return has none', () => {
    const levels = levelsOfReturns(series([0.5, null, -0.5, 1]))
    expect(cellsOf(levels)).toEqual([1.5, null, 0.75, 1.5])
    expect([...levelsOfReturns({ ...series([0.5, 0.5]), valid: null }).values]).toEqual([1.5, 2.25])
  })

  it('a benchmark is scaled from two days on', () => {
    const common = (returns: number[], benchmark: number[]) =>
      commonReturns(
        { days: Int32Array.from(returns.keys()), returns: Float64Array.from(returns) },
        { days: Int32Array.from(benchmark.keys()), values: Float64Array.from(benchmark), valid: null },
      )
    const benchmark = series([0.1, -0.1])
    const scaled = matchVolatility(common([0.2, -0.2], [0.1, -0.1]), benchmark)
    expect(scaled?.multiplier).toBeCloseTo(2)
    expect(cellsOf(scaled?.returns ?? series([]))).toEqual([expect.closeTo(0.2), expect.closeTo(-0.2)])
    expect(matchVolatility(common([0.2], [0.1]), benchmark)).toBeNull()
    expect(matchVolatility(common([0.2, 0.2], [0.1, -0.1]), benchmark)).toBeNull()
  })
})

describe('years and extremes', () => {
  const year = (first: string, count: number) =>
    yearTable(
      returnsView(
        series(
          Array.from({ length: count }, () => 0.01),
          dayNumberOf(first),
        ),
      ),
    )

  it('only the running calendar year is to date', () => {
    const past = series(
      Array.from({ length: 200 }, () => 0.01),
      dayNumberOf('2025-01-01'),
    )
    const inYear = (today: string) => {
      const { years, windows } = tearSheet(past, { today: dayNumberOf(today) })
      return [years[0].isYearToDate, windows.find(({ id }) => id === 'YTD')?.figures !== null]
    }
    expect([inYear('2025-07-20'), inYear('2026-01-01')]).toEqual([
      [true, true],
      [false, false],
    ])
  })

  it('a year is to date until its last day', () => {
    expect(year('2025-12-01', 31).map(({ isYearToDate }) => isYearToDate)).toEqual([false])
    expect(year('2025-12-01', 30).map(({ isYearToDate }) => isYearToDate)).toEqual([true])
    expect(year('2025-12-01', 32).map(({ year: calendarYear, isYearToDate }) => [calendarYear, isYearToDate])).toEqual([
      [2025, false],
      [2026, true],
    ])
  })

  it('among equal periods the earlier comes first, also where not all find room', () => {
    const periods = [0.1, 0.3, 0.3, -0.2, 0.1, -0.2, NaN].map((value, startDay) => ({
      startDay,
      return: value,
      dayCount: 1,
    }))
    const { best, worst } = extremes(periods, 3)
    expect(best.map(({ startDay }) => startDay)).toEqual([1, 2, 0])
    expect(worst.map(({ startDay }) => startDay)).toEqual([3, 5, 0])
    expect(extremes(periods, 9).best.map(({ startDay }) => startDay)).toEqual([1, 2, 0, 4, 3, 5])
  })
})

describe('exposure', () => {
  it('adds the five largest weights, equal ones too', () => {
    const weights = [0.1, -0.1, 0.3, 0.1, -0.2, 0.1, 0.1, 0]
    expect(exposureValues(Float64Array.from(weights))).toMatchObject({
      long: expect.closeTo(0.7) as number,
      short: expect.closeTo(-0.3) as number,
      gross: expect.closeTo(1) as number,
      net: expect.closeTo(0.4) as number,
      names: 7,
      topFive: expect.closeTo(0.8) as number,
    })
  })

  it('a net of nothing but rounding is 0', () => {
    expect(exposureValues(Float64Array.of(0.1, 0.2, -0.3)).net).toBe(0)
    expect(exposureValues(Float64Array.of(0.3, -0.2999)).net).toBeCloseTo(0.0001)
  })
})

describe('members of a universe on a day', () => {
  const universe: DailyMatrix = {
    days: Int32Array.of(10, 11, 14),
    tickers: ['A', 'B', 'C'],
    values: Float64Array.of(1, 0, 0, 1, 1, 0, 0, 1, 1),
    valid: Uint8Array.of(1, 1, 1, 1, 1, 0, 1, 1, 1),
  }

  it('are those of the last row before it', () => {
    const members = memberFinder(universe, ['C', 'A', 'X', 'B'])
    const on = (day: number) => [...members(day)]
    expect(on(10)).toEqual([0, 0, 0, 0])
    expect(on(11)).toEqual([0, 1, 0, 0])
    expect(on(12)).toEqual([0, 1, 0, 1])
    expect(on(14)).toEqual([0, 1, 0, 1])
    expect(on(15)).toEqual([1, 0, 0, 1])
    expect(on(11)).toEqual([0, 1, 0, 0])
  })

  it('keep their values, the others are missing', () => {
    const prices: DailyMatrix = {
      days: Int32Array.of(10, 11, 15),
      tickers: ['B', 'A'],
      values: Float64Array.of(1, 2, 3, 4, 5, 6),
      valid: new Uint8Array(6).fill(1),
    }
    expect([...runSteps(membersOnly(prices, universe)).valid]).toEqual([0, 0, 0, 1, 1, 0])
    expect([...prices.valid]).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('over a range are all that were in on any of its days', () => {
    expect(allMembers(universe, 11, 12)).toEqual(['A'])
    expect(allMembers(universe, 11, 13)).toEqual(['A', 'B'])
    expect(allMembers(universe, 15, 16)).toEqual(['B', 'C'])
    expect(allMembers(universe, 5, 11)).toEqual([])
  })
})

describe('a tear sheet as a document', () => {
  const request = { portfolio: 'core', riskFree: 0 }
  const document = (values: (number | null)[]) =>
    tearSheetDocument(request, tearSheet(series(values, dayNumberOf('2026-01-01'))), [], null)

  it('has its first and last day, and null for what is not known', () => {
    const sheet = document([0.1, null, -0.5, 0.2])
    expect(sheet).toMatchObject({ start: '2026-01-01', end: '2026-01-04', exchange: 'unconstrained', smoothing: null })
    expect(sheet.daily.index).toEqual(['2026-01-01', '2026-01-03', '2026-01-04'])
    expect(sheet.daily.rollingSharpe).toEqual([null, null, null])
    expect(sheet.daily.drawdown.map((value) => value !== null && value < 0)).toEqual([false, true, true])
    expect(document([])).toMatchObject({ start: null, end: null })
  })

  it('says when a drawdown recovered, and null while it lasts', () => {
    const [lasting] = document([0.1, -0.5, 0.2]).drawdowns
    expect(lasting).toMatchObject({ start: '2026-01-02', trough: '2026-01-02', recovery: null })
    const [over] = document([0.1, -0.5, 2]).drawdowns
    expect(over).toMatchObject({ start: '2026-01-02', recovery: '2026-01-03' })
  })

  it('the ulcer index needs two days', () => {
    const figures = (values: number[]) => figureValues(returnsView(series(values)))
    expect(figures([0.1]).ulcer).toBeNull()
    expect(figures([0, -0.5]).ulcer).toBeCloseTo(0.5)
  })
})
