import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { benchmarkFigures, commonReturns, returnsOfPrices, matchVolatility } from '#shared/portfolio/benchmark.ts'
import { extremes, weeklyReturns, yearTable } from '#shared/portfolio/calendarReturns.ts'
import { type DailySeries, normaliseDays } from '#shared/portfolio/dailySeries.ts'
import { figureValues, deepestEpisodes, returnsView } from '#shared/portfolio/figures.ts'
import { histogramOf, tearSheet, returnWindows } from '#shared/portfolio/tearSheet.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'

const start = dayNumberOf('2024-01-01')

function seriesOf(values: (number | null)[], firstDay = start): DailySeries {
  return {
    days: Int32Array.from(values, (_, at) => firstDay + at),
    values: Float64Array.from(values, (value) => value ?? 0),
    valid: Uint8Array.from(values, (value) => Number(value !== null)),
  }
}

const dailyReturn = fc.double({ min: -0.5, max: 0.5, noNaN: true })
const roundReturn = fc.integer({ min: -5000, max: 5000 }).map((steps) => steps / 1e4)
const someReturns = fc.array(fc.option(dailyReturn, { freq: 5 }), { maxLength: 60 })

/** Returns every number inside a value, however deeply nested. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  if (ArrayBuffer.isView(value)) return [...(value as Float64Array)]
  if (Array.isArray(value)) return value.flatMap(numbersIn)
  return value && typeof value === 'object' ? Object.values(value).flatMap(numbersIn) : []
}

describe('returns near the largest number', () => {
  it('leave out what no number can hold, and say so', () => {
    const sheet = tearSheet(seriesOf([0.01, 1e308, -0.5, 1e308, 0.02]))
    expect(sheet.figures).toMatchObject({ totalReturn: null, volatility: null, sharpe: null, maxDrawdown: null })
    expect(sheet.conventions).toMatch(/; returns so large that some figures overflow and are shown as –$/)
    expect(tearSheet(seriesOf([1e200, 0.02])).conventions).toContain('so large')
  })

  it.each([{ returns: [] }, { returns: [0.5] }, { returns: [1e40, -0.5, 0.1] }])(
    'say nothing at $returns',
    ({ returns }) => {
      expect(tearSheet(seriesOf(returns)).conventions).not.toContain('so large')
    },
  )
})

describe('an equity that is not above 0', () => {
  const lossOf = (days: number, last: number) => seriesOf([last, ...Array.from({ length: days - 1 }, () => 0.01)])

  it.each([1, 2, 5, 10, 73, 365, 400])('has no growth rate if it is below 0 after %i days', (days) => {
    expect(figureValues(returnsView(lossOf(days, -1.5)))).toMatchObject({ cagr: null, calmar: null })
  })

  it.each([1, 10, 73])('has a growth rate of −1 if it is 0 after %i days', (days) => {
    expect(figureValues(returnsView(lossOf(days, -1)))).toMatchObject({ cagr: -1, calmar: -1, totalReturn: -1 })
  })

  it('has no capture of a benchmark', () => {
    const common = commonReturns(returnsView(seriesOf([-3])), seriesOf([0.1]))
    expect(benchmarkFigures.find(({ id }) => id === 'upCapture')?.compute(common)).toBeNull()
  })
})

describe('rows as a service may send them', () => {
  it('are sorted, the last of a day counts, and errors are counted', () => {
    const days = [3, 1, 2, 2, 5, NaN]
    const { series, problems } = normaliseDays(
      Float64Array.from(days, (day) => day * MS_PER_DAY),
      Float64Array.of(0.3, 0.1, 0.2, 0.25, Infinity, 0.9),
      null,
    )
    expect([...series.days]).toEqual([1, 2, 3, 5])
    expect([...series.values]).toEqual([0.1, 0.25, 0.3, 0])
    expect([...(series.valid ?? [])]).toEqual([1, 1, 1, 0])
    expect(problems).toEqual({ duplicateDays: 1, outOfOrder: 1, invalidDates: 1, invalidValues: 1 })
  })
})

describe('figures', () => {
  it('are missing, never NaN or infinite, where they are not defined', () => {
    fc.assert(
      fc.property(someReturns, fc.boolean(), (values, withBenchmark) => {
        const series = seriesOf(values)
        const sheet = tearSheet(series, { rollingWindow: 5, benchmark: withBenchmark ? series : undefined })
        expect(numbersIn(sheet).every(Number.isFinite)).toBe(true)
      }),
    )
  })

  it.each([
    ['no day', []],
    ['only days without a return', [null, null]],
  ])('of %s are all missing', (_, values) => {
    expect(new Set(Object.values(figureValues(returnsView(seriesOf(values)))))).toEqual(new Set([null]))
  })

  it('of one day are the few that one day has', () => {
    const values = figureValues(returnsView(seriesOf([-0.1])))
    expect(values).toMatchObject({ volatility: null, sharpe: null, ulcer: null, skewness: null, omega: 0, winRate: 0 })
    expect(values).toMatchObject({ varHistorical: -0.1, cvar: -0.1, longestDrawdown: 1 })
    expect(values.maxDrawdown).toBeCloseTo(-0.1, 15)
  })

  it('of equal returns have no Sharpe, and no Calmar without a drawdown', () => {
    const values = figureValues(returnsView(seriesOf([0.01, 0.01, 0.01, 0.01, 0.01])))
    expect(values).toMatchObject({
      volatility: 0,
      sharpe: null,
      sortino: null,
      maxDrawdown: 0,
      calmar: null,
      kurtosis: null,
    })
  })

  it('leave days without a return out', () => {
    const whole = [0.01, -0.02, 0.03, 0.004]
    const holes = [0.01, null, -0.02, 0.03, null, 0.004]
    const figures = (values: (number | null)[]) => ({
      ...figureValues(returnsView(seriesOf(values))),
      longestDrawdown: 0,
    })
    expect(figures(holes)).toEqual(figures(whole))
  })

  it('scale with the returns', () => {
    fc.assert(
      fc.property(fc.array(roundReturn, { minLength: 4, maxLength: 40 }), (values) => {
        const scaled = figureValues(returnsView(seriesOf(values.map((value) => value / 4))))
        const plain = figureValues(returnsView(seriesOf(values)))
        for (const id of ['volatility', 'varHistorical', 'varParametric', 'cvar']) {
          expect(scaled[id]).toBeCloseTo((plain[id] ?? NaN) / 4, 12)
        }
        for (const id of ['sharpe', 'omega', 'tailRatio', 'winRate']) {
          if (plain[id] === null || scaled[id] === null) continue
          expect(Math.abs(scaled[id] - plain[id])).toBeLessThanOrEqual(1e-6 * Math.abs(plain[id]) + 1e-9)
        }
      }),
    )
  })

  it('of a range and of its parts compound to the whole', () => {
    fc.assert(
      fc.property(someReturns, fc.nat(60), (values, cut) => {
        const total = (options: object) => figureValues(returnsView(seriesOf(values), options)).totalReturn ?? 0
        const both = (1 + total({ endDay: start + cut })) * (1 + total({ startDay: start + cut }))
        expect(both / (1 + total({}))).toBeCloseTo(1, 10)
      }),
    )
  })
})

describe('drawdown episodes', () => {
  it('are open at the end where the peak was not reached again', () => {
    const { episodes } = returnsView(seriesOf([-0.1, -0.1, 0.5, -0.3, 0.01]))
    expect(
      episodes.map(({ startDay, endDay, recoveryDay }) => [startDay - start, endDay - start, recoveryDay]),
    ).toEqual([
      [0, 1, start + 2],
      [3, 4, null],
    ])
    expect(deepestEpisodes(episodes, 1)[0].depth).toBeCloseTo(-0.3, 12)
  })
})

describe('calendar tables', () => {
  it('leave months without a return blank and name the running year', () => {
    const days = ['2024-01-31', '2024-03-01', '2025-02-01'].map(dayNumberOf)
    const rows = yearTable({ days: Int32Array.from(days), returns: Float64Array.of(0.1, 0.2, 0.3) })
    expect(rows.map(({ year, isYearToDate }) => [year, isYearToDate])).toEqual([
      [2024, false],
      [2025, true],
    ])
    expect(rows[0].months.map((month) => month !== null)).toEqual([true, false, true, ...Array(9).fill(false)])
    expect(rows[0].total).toBeCloseTo(0.32, 12)
    expect(rows[1].months[1]).toBeCloseTo(0.3, 12)
  })

  it('do not call a year running that has its 31 December', () => {
    const [row] = yearTable({ days: Int32Array.of(dayNumberOf('2024-12-31')), returns: Float64Array.of(0.1) })
    expect(row.isYearToDate).toBe(false)
  })

  it('begin weeks on Monday', () => {
    // 2024-01-01 was a Monday.
    const weeks = weeklyReturns(returnsView(seriesOf(Array(15).fill(0.01))))
    expect(weeks.map(({ startDay, dayCount }) => [startDay - start, dayCount])).toEqual([
      [0, 7],
      [7, 7],
      [14, 1],
    ])
    expect(extremes(weeks, 1).worst[0].dayCount).toBe(1)
  })
})

describe('extreme days', () => {
  it('are the ten best and the ten worst, the earlier first among equal ones', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 40 }), (steps) => {
        const { extremeDays } = tearSheet(seriesOf(steps.map((step) => step / 100)))
        const firstTen = (sign: 1 | -1) =>
          steps
            .map((step, row) => ({ startDay: start + row, return: expect.closeTo(step / 100, 12), dayCount: 1, step }))
            .sort((a, b) => sign * (a.step - b.step) || a.startDay - b.startDay)
            .map(({ step: _, ...period }) => period)
            .slice(0, 10)
        expect(extremeDays).toEqual({ best: firstTen(-1), worst: firstTen(1) })
      }),
    )
  })
})

describe('windows', () => {
  it('are missing where the history is shorter', () => {
    const windows = returnWindows(returnsView(seriesOf(Array(91).fill(0.001), dayNumberOf('2024-11-01'))), true)
    expect(windows.filter(({ figures }) => figures).map(({ id }) => id)).toEqual(['1M', '3M', 'YTD', 'all'])
    expect(windows.map(({ figures }) => figures?.days)).toEqual([
      30,
      91,
      undefined,
      undefined,
      undefined,
      undefined,
      30,
      91,
    ])
  })
})

describe('against a benchmark', () => {
  it('only common days count', () => {
    const portfolio = returnsView(seriesOf([0.02, null, -0.01, 0.04, 0.05]))
    const common = commonReturns(portfolio, seriesOf([0.01, 0.5, -0.005, null, 0.025]))
    const [beta, alpha, correlation, information, error, up, down, days] = benchmarkFigures.map(({ compute }) =>
      compute(common),
    )
    expect(days).toBe(3)
    expect(beta).toBeCloseTo(2, 12)
    expect(alpha).toBeCloseTo(0, 12)
    expect(correlation).toBeCloseTo(1, 12)
    // The active returns are 0.01, −0.005 and 0.025, with a mean of 0.01 and a sample standard deviation of 0.015.
    expect(error).toBeCloseTo(0.015 * Math.sqrt(365), 12)
    expect(information).toBeCloseTo((0.01 / 0.015) * Math.sqrt(365), 12)
    expect(up).toBeCloseTo((Math.sqrt(1.02 * 1.05) - 1) / (Math.sqrt(1.01 * 1.025) - 1), 12)
    expect(down).toBeCloseTo(2, 12)
  })

  it('has the days that both have, wherever either begins, ends or pauses', () => {
    const someDays = fc.uniqueArray(fc.integer({ min: 0, max: 40 })).map((days) => Int32Array.from(days).sort())
    fc.assert(
      fc.property(someDays, someDays, (days, others) => {
        const series = { days: others, values: Float64Array.from(others, (day) => -day), valid: null }
        const common = commonReturns({ days, returns: Float64Array.from(days) }, series)
        const expected = [...days].filter((day) => others.includes(day))
        expect([...common.days]).toEqual(expected)
        expect([...common.returns]).toEqual(expected)
        expect([...common.benchmark]).toEqual(expected.map((day) => -day))
      }),
    )
  })

  it('has no information ratio where it differs from the benchmark by the same every day', () => {
    const values = [0.02, 0.01, -0.013, 0.0071]
    const common = commonReturns(returnsView(seriesOf(values.map((value) => value + 0.001))), seriesOf(values))
    const { informationRatio, trackingError } = Object.fromEntries(
      benchmarkFigures.map(({ id, compute }) => [id, compute(common)]),
    )
    expect([informationRatio, trackingError]).toEqual([null, 0])
  })

  it('scales a benchmark to the volatility of the portfolio on common days, and not one that never moves', () => {
    const benchmark = seriesOf([0.01, 0.5, -0.005, null, 0.025])
    const portfolio = returnsView(seriesOf([0.02, null, -0.01, 0.04, 0.05]))
    const scaled = matchVolatility(commonReturns(portfolio, benchmark), benchmark)!
    expect(scaled.multiplier).toBeCloseTo(2, 12)
    expect(scaled.returns.values[1]).toBeCloseTo(1, 12)
    expect(scaled.returns.valid).toBe(benchmark.valid)
    const still = seriesOf([0.01, 0.01, 0.01, 0.01, 0.01])
    expect(matchVolatility(commonReturns(portfolio, still), still)).toBeNull()
  })

  it('has no beta against one that never moves', () => {
    const portfolio = returnsView(seriesOf([0.02, 0.01]))
    const common = commonReturns(portfolio, seriesOf([0.01, 0.01]))
    expect(benchmarkFigures.map(({ compute }) => compute(common))).toEqual([
      null,
      null,
      null,
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
      null,
      2,
    ])
  })

  it('takes returns of prices from the calendar day before only', () => {
    const { values, valid } = returnsOfPrices(seriesOf([100, 110, null, 121, 0, 5]))
    expect([...(valid ?? [])]).toEqual([0, 1, 0, 0, 0, 0])
    expect(values[1]).toBeCloseTo(0.1, 12)
  })
})

describe('the distribution', () => {
  it('counts every return once, in bins of which 0 is an edge', () => {
    fc.assert(
      fc.property(fc.array(dailyReturn, { minLength: 1, maxLength: 80 }), (values) => {
        const histogram = histogramOf(Float64Array.from(values).sort())
        expect(histogram?.counts.reduce((sum, count) => sum + count, 0)).toBe(values.length)
        expect(histogram?.counts.length).toBeLessThan(80)
      }),
    )
    expect(histogramOf(new Float64Array())).toBeNull()
  })
})

describe('returns that are too large to compute with', () => {
  const huge = [
    ['one', [0.01, 1e300, -0.02, 0.03, 0.01]],
    ['both signs', [1e300, -1e300, 1e300, -1e300, 2]],
    ['the largest', [Number.MAX_VALUE, 0.1, -0.5, Number.MAX_VALUE, -1]],
    ['cubes that overflow', [1e110, -1e110, 1e110, -1e110, 1e109]],
  ] as const

  it.each(huge)('have no Sharpe of 0, and no figure that is none: %s', (_, values) => {
    const series = seriesOf([...values])
    const sheet = tearSheet(series, { rollingWindow: 3, benchmark: series })
    expect(numbersIn(sheet).every(Number.isFinite)).toBe(true)
    for (const id of ['sharpe', 'sortino', 'omega', 'skewness'])
      if (sheet.figures[id] !== null) expect([id, sheet.figures[id]]).not.toEqual([id, 0])
  })

  it('leave Sharpe, Sortino and beta undefined rather than 0', () => {
    const series = seriesOf([0.01, 1e300, -0.02, -1e300, 0.03])
    const { figures, benchmark, rolling } = tearSheet(series, {
      rollingWindow: 3,
      benchmark: seriesOf([1, 2, 3, 4, 5]),
    })
    expect(figures).toMatchObject({ sharpe: null, sortino: null, volatility: null, skewness: null, kurtosis: null })
    expect(rolling.sharpe.valid && [...rolling.sharpe.valid]).toEqual([0, 0, 0, 0, 0])
    expect(benchmark?.figures).toMatchObject({ correlation: null })
  })
})

describe('rolling figures', () => {
  it('of a day do not depend on where the range begins', () => {
    const values = Array.from({ length: 60 }, (_, at) => Math.sin(at * 7.3) / 30)
    const series = seriesOf(values)
    const benchmark = seriesOf(values.map((value, at) => value / 2 + Math.cos(at) / 50))
    const whole = tearSheet(series, { rollingWindow: 30, benchmark })
    const part = tearSheet(series, { rollingWindow: 30, benchmark, startDay: start + 45, endDay: start + 55 })
    for (const key of ['sharpe', 'volatility'] as const)
      expect([...part.rolling[key].values]).toEqual([...whole.rolling[key].values.subarray(45, 55)])
    expect([...(part.benchmark?.rollingBeta.values ?? [])]).toEqual([
      ...(whole.benchmark?.rollingBeta.values.subarray(45, 55) ?? []),
    ])
    expect([whole, part].map(({ windows }) => windows.at(-1)?.name)).toEqual(['Since inception', 'Whole range'])
  })
})

describe('the deepest drawdowns', () => {
  it('come first, and the earlier of two equally deep ones', () => {
    const episode = (startDay: number, depth: number) => ({
      ...{ startDay, depth, troughDay: startDay, endDay: startDay, recoveryDay: null, lengthDays: 1 },
    })
    const found = deepestEpisodes([episode(1, -0.1), episode(9, -0.4), episode(5, -0.4), episode(3, -0.2)], 3)
    expect(found.map(({ startDay }) => startDay)).toEqual([5, 9, 3])
  })
})

describe('the bins of a histogram', () => {
  it.each([
    [60, 1],
    [119, 2],
    [240, 5],
    [300, 5],
    [301, 10],
    [420, 10],
  ])('of a span of %s are %s wide, and end with the largest value', (span, width) => {
    const histogram = histogramOf(Float64Array.of(0, span))
    expect(histogram).toMatchObject({ width, firstBin: 0 })
    expect(histogram?.counts).toHaveLength(Math.floor(span / width) + 1)
    expect(histogram?.counts.at(-1)).toBe(1)
  })
})
