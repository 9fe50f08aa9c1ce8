import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { correlationMatrix } from '#shared/portfolio/correlations.ts'
import { crossSectionRanks, percentileMatrix } from '#shared/portfolio/crossSection.ts'
import { type DailyMatrix, dailyMatrixOf, matrixCell, runSteps } from '#shared/portfolio/dailySeries.ts'
import { explainReturns, contributionsByTicker } from '#shared/portfolio/explainReturns.ts'
import { exposureValues } from '#shared/portfolio/exposure.ts'
import { rebalanceTiming, stalenessOf } from '#shared/portfolio/freshness.ts'
import { weightChanges } from '#shared/portfolio/liveWeights.ts'
import { scaleReturns, scaleWeights } from '#shared/portfolio/overlay.ts'
import { oneWayTurnover, weightFigures } from '#shared/portfolio/weightsHistory.ts'
import { MS_PER_DAY } from '#shared/time.ts'

type Cells = (number | null)[][]

/** Creates a matrix from rows of cells on consecutive days from day 100. */
function matrix(tickers: string[], cells: Cells): DailyMatrix {
  const time = timeColumn(
    'time',
    cells.map((_, row) => (100 + row) * MS_PER_DAY),
  )
  const columns = tickers.map((name, at) =>
    numberColumn(
      name,
      cells.map((row) => row[at]),
    ),
  )
  return dailyMatrixOf({ rows: cells.length, columns: [time, ...columns] }).matrix
}

const series = (values: (number | null)[], firstDay = 100) => ({
  days: Int32Array.from(values, (_, at) => firstDay + at),
  values: Float64Array.from(values, (value) => value ?? 0),
  valid: Uint8Array.from(values, (value) => Number(value !== null)),
})

const cells = ({ values, valid }: { values: Float64Array; valid: Uint8Array | null }) =>
  [...values].map((value, row) => (valid?.[row] === 0 ? null : Number(value.toFixed(12))))

const weights = matrix(
  ['A', 'B', 'C'],
  [
    [0.5, -0.5, null],
    [0.25, -0.5, 0.25],
    [null, null, null],
    [1, null, null],
  ],
)

describe('weights', () => {
  it('have turnover against the day before, both ways', () => {
    expect(cells(runSteps(weightFigures(weights)).turnover)).toEqual([null, 0.5, null, null])
    expect(oneWayTurnover(0.5)).toBe(0.25)
  })

  it('have exposures, a null weight being 0, and none on a day without weights', () => {
    const { gross, net, long, short, names, effectiveNames, herfindahl, topFive } = runSteps(
      weightFigures(weights),
    ).exposure
    expect([gross, net, long, short, names].map(cells)).toEqual([
      [1, 1, null, 1],
      [0, 0, null, 1],
      [0.5, 0.5, null, 1],
      [-0.5, -0.5, null, 0],
      [2, 3, null, 1],
    ])
    expect(cells(effectiveNames)).toEqual([2, Number((1 / 0.375).toFixed(12)), null, 1])
    expect(cells(herfindahl)).toEqual([0.5, 0.375, null, 1])
    expect(cells(topFive)).toEqual([1, 1, null, 1])
  })

  it('that are all 0 have no effective number', () => {
    expect(exposureValues(Float64Array.of(0, 0))).toMatchObject({ gross: 0, effectiveNames: null, topFive: null })
  })

  it('have exposures that do not depend on the order of tickers', () => {
    const someWeights = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(someWeights, (some) => {
        const values = exposureValues(Float64Array.from(some))
        const turned = exposureValues(Float64Array.from(some).reverse())
        for (const [id, value] of Object.entries(values)) expect(turned[id] ?? 0).toBeCloseTo(value ?? 0, 10)
        expect((values.long ?? 0) - (values.short ?? 0)).toBe(values.gross)
      }),
    )
  })

  it('in rows out of order are put in order and counted', () => {
    const time = timeColumn('time', [2 * MS_PER_DAY, MS_PER_DAY, 2 * MS_PER_DAY, null])
    const frame = { rows: 4, columns: [time, numberColumn('A', [0.1, 0.2, 0.3, 0.4])] }
    const { matrix: ordered, problems } = dailyMatrixOf(frame)
    expect([...ordered.days]).toEqual([1, 2])
    expect([0, 1].map((row) => matrixCell(ordered, row, 0))).toEqual([0.2, 0.3])
    expect(problems).toMatchObject({ duplicateDays: 1, outOfOrder: 1, invalidDates: 1 })
  })
})

describe('explained returns', () => {
  const prices = matrix(
    ['C', 'B', 'A'],
    [
      [10, 100, 50],
      [11, 90, 55],
      [11, 90, 66],
      [11, null, 66],
    ],
  )
  const held = matrix(
    ['A', 'B'],
    [
      [0.5, -0.5],
      [0.5, 0.5],
      [0, 1],
      [0, 1],
    ],
  )
  const explained = runSteps(explainReturns(held, prices, series([null, 0.1, 0.1, 0.1]), 5))

  it('are the weights of the day before times price changes, less costs', () => {
    expect(cells(explained.explained)).toEqual([null, 0.0995, 0.0995, null])
    expect(cells(explained.cost)).toEqual([null, 0.0005, 0.0005, 0])
    expect(cells(explained.residual)).toEqual([null, 0.0005, 0.0005, null])
  })

  it('say what could not be priced', () => {
    expect(cells(explained.unpriced)).toEqual([null, 0, 0, 1])
  })

  it('are made of each ticker’s contribution', () => {
    const totals = contributionsByTicker(explained.contributions, 100, 104)
    expect(totals.map(({ ticker, days }) => [ticker, days])).toEqual([
      ['A', 2],
      ['B', 2],
    ])
    expect(totals[0].contribution).toBeCloseTo(0.15, 12)
    expect(totals[1].contribution).toBeCloseTo(0.05, 12)
  })
})

describe('an overlay', () => {
  it('scales weights by its own day and returns by the day before', () => {
    const scaled = scaleWeights(weights, series([0.5, null, 1, 2]))
    expect(cells(scaled).slice(0, 6)).toEqual([0.25, -0.25, null, null, null, null])
    expect(cells(scaleReturns(series([0.1, 0.1, 0.1]), series([0.5, null, 9])))).toEqual([null, 0.05, null])
  })
})

describe('live weights', () => {
  it('stand beside those of the close, the largest change first', () => {
    const { changes, twoWayTurnover } = weightChanges(
      new Map([
        ['A', 0.5],
        ['B', null],
        ['D', 0.05],
      ]),
      new Map([
        ['A', 0.4],
        ['B', 0.3],
        ['C', null],
      ]),
    )
    expect(changes.map(({ ticker, change }) => [ticker, Number(change.toFixed(12))])).toEqual([
      ['B', -0.3],
      ['A', 0.1],
      ['D', 0.05],
      ['C', 0],
    ])
    expect(twoWayTurnover).toBeCloseTo(0.45, 12)
  })

  it('are stale by the hourly refreshes that should have come since', () => {
    const at = (text: string) => Date.parse(`2026-05-01T${text}:00Z`)
    expect(stalenessOf(at('11:05'), at('12:04')).missedRefreshes).toBe(0)
    expect(stalenessOf(at('11:05'), at('12:09')).missedRefreshes).toBe(0)
    expect(stalenessOf(at('11:05'), at('12:11')).missedRefreshes).toBe(1)
    expect(stalenessOf(at('11:05'), at('14:30'))).toEqual({ ageMs: 205 * 60_000, missedRefreshes: 3 })
  })

  it('are recommended from 10 hours after midnight', () => {
    const at = (text: string) => rebalanceTiming(Date.parse(`2026-05-01T${text}Z`))
    expect(at('09:59:59').isLatestRecommended).toBe(false)
    expect(at('10:00:00')).toEqual({
      sinceMidnightMs: 36_000_000,
      untilMidnightMs: 50_400_000,
      isLatestRecommended: true,
    })
  })
})

describe('factors', () => {
  it('rank among what is present, equal values sharing their ranks', () => {
    expect(crossSectionRanks([3, null, 1, 3, 2])).toEqual([
      { rank: 3.5, percentile: 2.5 / 3 },
      { rank: null, percentile: null },
      { rank: 1, percentile: 0 },
      { rank: 3.5, percentile: 2.5 / 3 },
      { rank: 2, percentile: 1 / 3 },
    ])
    expect(crossSectionRanks([5])).toEqual([{ rank: 1, percentile: null }])
    const percentiles = runSteps(
      percentileMatrix(
        matrix(
          ['A', 'B', 'C'],
          [
            [3, null, 1],
            [2, 2, 2],
            [7, null, null],
          ],
        ),
      ),
    )
    expect(cells(percentiles)).toEqual([1, null, 0, 0.5, 0.5, 0.5, null, null, null])
  })

  it('correlate over the rows both have', () => {
    const columns = [
      numberColumn('x', [1, 2, null, 4]),
      numberColumn('y', [2, 4, 100, 8]),
      numberColumn('z', [5, 5, 5, 5]),
    ]
    const { values, counts } = runSteps(correlationMatrix(columns))
    expect(values[0][1]).toBeCloseTo(1, 12)
    expect(values[2]).toEqual([null, null, null])
    expect(counts[0]).toEqual([3, 3, 3])
  })
})

describe('returns explained by prices', () => {
  const held = matrix(['A'], [[1], [1], [1]])

  it('leave out a price change from 0', () => {
    const { explained, unpriced } = runSteps(
      explainReturns(held, matrix(['A'], [[0], [2], [3]]), series([0.1, 0.1, 0.5]), 0),
    )
    expect(cells(unpriced)).toEqual([null, 1, 0])
    expect(cells(explained)[2]).toBeCloseTo(0.5, 12)
  })

  it('are compared with the first served return too', () => {
    const served = { days: Int32Array.of(101), values: Float64Array.of(0.25), valid: null }
    const { residual } = runSteps(explainReturns(held, matrix(['A'], [[1], [1], [1]]), served, 0))
    expect(cells(residual)).toEqual([null, 0.25, null])
  })
})
