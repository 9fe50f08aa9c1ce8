import { describe, expect, it } from 'vitest'
import { factorStudy, type FactorStudyOptions } from '#shared/lab/factorStudy.ts'
import { type DailyMatrix, runSteps } from '#shared/portfolio/dailySeries.ts'
import { allMembers, membersOnly } from '#shared/portfolio/universeHistory.ts'

type Cells = readonly (number | null)[]

const FIRST_DAY = 20_000

/** Creates a matrix of consecutive days. */
function matrix(columns: Record<string, Cells>, firstDay = FIRST_DAY): DailyMatrix {
  const tickers = Object.keys(columns)
  const rows = Object.values(columns)[0].length
  const cells = Array.from({ length: rows }, (_, row) => tickers.map((ticker) => columns[ticker][row])).flat()
  return {
    days: Int32Array.from({ length: rows }, (_, row) => firstDay + row),
    tickers,
    values: Float64Array.from(cells, (cell) => cell ?? 0),
    valid: Uint8Array.from(cells, (cell) => Number(cell !== null)),
  }
}

const options: FactorStudyOptions = { quantiles: 3, horizonDays: 1, delayDays: 1, costBps: 10 }
const study = (answers: Parameters<typeof factorStudy>[0], more: Partial<FactorStudyOptions> = {}) =>
  runSteps(factorStudy(answers, { ...options, ...more }))

/** Prices that rise on the very day of a high factor value and not after it. */
const jumps = {
  factor: matrix({ A: [1, 1, 3, 1], B: [2, 2, 2, 2], C: [3, 3, 1, 3] }),
  prices: matrix({ A: [10, 10, 20, 20], B: [10, 11, 11, 12], C: [10, 20, 20, 10] }),
  universe: null,
}

describe('the study of a factor', () => {
  it('enters a day after the value, so that the move of the value’s own day is no gain', () => {
    const nextDay = study(jumps)
    expect(nextDay.horizon.series.times).toEqual([0, 1].map((day) => (FIRST_DAY + day) * 86_400_000))
    // A doubles between the entry on day 1 and the exit on day 2, while B and C stay the same; then B rises and C
    // halves.
    const means = nextDay.horizon.quantiles.map(({ mean }) => mean)
    expect(means).toEqual([0.5, expect.closeTo((0 + 1 / 11) / 2, 12), -0.25])
    const sameDay = study(jumps, { delayDays: 0 })
    expect(sameDay.horizon.rankIc.nonOverlapping.n).toBe(3)
    expect(sameDay.horizon.series.rank[0]).toBeCloseTo(1, 12)
  })

  it('charges what is traded between samples', () => {
    const { costs, horizon } = study(jumps)
    // Both sides are bought in the first sample; the order does not change in the second.
    expect(costs.traded).toEqual([2, 0])
    expect(costs.gross).toEqual(horizon.path.spread)
    const [first, second] = [0 - 1, -0.5 - 0]
    expect(costs.net[0]).toBeCloseTo(1 + first - 2 * 0.001, 12)
    expect(costs.net[1]).toBeCloseTo(costs.net[0] * (1 + second), 12)
    expect(study(jumps, { costBps: 0 }).costs.net).toEqual(costs.gross)
    expect(costs.meanTraded).toBe(0)
    expect(horizon.turnover.map(({ mean }) => mean)).toEqual([0, 0, 0])
  })

  it('counts a ticker only on days after a row of the universe that has it', () => {
    const columns = { A: [1, 1, 1, 1, 1], B: [2, 2, 2, 2, 2], C: [3, 3, 3, 3, 3], D: [4, 4, 4, 4, 4] }
    const prices = { A: [1, 2, 3, 4, 5], B: [1, 1, 1, 1, 1], C: [1, 3, 9, 27, 81], D: [8, 4, 2, 1, 0.5] }
    // D crashed and left the universe after the second row, so a list of today's symbols does not contain it.
    const universe = matrix({ A: [1, 1, 1], B: [1, 1, 1], C: [1, 1, 1], D: [1, 1, null] }, FIRST_DAY - 1)
    const byDate = study({ factor: matrix(columns), prices: matrix(prices), universe })
    expect(byDate).toMatchObject({ isByDate: true, horizon: { series: { n: [4, 4, 3] } } })
    const { D: _gone, ...today } = columns
    const survivors = study({ factor: matrix(today), prices: matrix(prices), universe: null })
    expect(survivors).toMatchObject({ isByDate: false, horizon: { series: { n: [3, 3, 3] } } })
    expect(byDate.horizon.spread.mean).toBeLessThan(survivors.horizon.spread.mean!)
    expect(byDate.horizon.attrition).toMatchObject({ notMember: 3 })

    expect(allMembers(universe, -Infinity, Infinity)).toEqual(['A', 'B', 'C', 'D'])
    expect(allMembers(universe, FIRST_DAY + 2, Infinity)).toEqual(['A', 'B', 'C'])
    const masked = runSteps(membersOnly(matrix(columns), universe))
    expect(Array.from({ length: 5 }, (_, row) => masked.valid[row * 4 + 3])).toEqual([1, 1, 0, 0, 0])
  })

  it('does not hit where a correlation of 0 comes out above 0 by rounding', () => {
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G']
    const uncorrelated = [1, 7, 5, 3, 4, 6, 2]
    const matrixOf = (cells: (at: number) => Cells) =>
      matrix(Object.fromEntries(names.map((name, at) => [name, cells(at)])))
    const answers = {
      factor: matrixOf((at) => [at]),
      prices: matrixOf((at) => [100, 100, 100 + uncorrelated[at]]),
      universe: null,
    }
    expect(study(answers).horizon.rankIc.nonOverlapping).toMatchObject({ n: 1, mean: 0, hitRate: null })
  })

  it('of nothing has no figures', () => {
    const empty = matrix({ A: [null, null], B: [null, null] })
    const { horizon, costs } = study({ factor: empty, prices: empty, universe: null })
    expect(horizon.rankIc.nonOverlapping).toMatchObject({ n: 0, mean: null })
    expect(costs).toMatchObject({ times: [], meanTraded: null, netReturn: { n: 0, mean: null } })
  })
})
