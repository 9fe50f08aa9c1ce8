import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DailyMatrix, matrixCell, runSteps } from '#shared/portfolio/dailySeries.ts'
import { factorCorrelations } from '#shared/portfolio/factorCorrelations.ts'
import { factorStandings } from '#shared/portfolio/liveFactors.ts'
import { indexTo100, priceCorrelations, priceSummaries } from '#shared/portfolio/priceLevels.ts'
import { spellsOf, stateShares } from '#shared/portfolio/stateHistory.ts'
import { universeHistory, wasMember } from '#shared/portfolio/universeHistory.ts'

const FIRST = 20_000
const tickers = ['A', 'B', 'C', 'D']

/** Creates a matrix from rows of cells on consecutive days. */
const matrix = (names: string[], rows: (number | null)[][], days = rows.map((_, at) => FIRST + at)): DailyMatrix => ({
  days: Int32Array.from(days),
  tickers: names,
  values: Float64Array.from(rows.flat(), (cell) => cell ?? 0),
  valid: Uint8Array.from(rows.flat(), (cell) => Number(cell !== null)),
})

const cells = (source: DailyMatrix) =>
  Array.from(source.days, (_, row) => source.tickers.map((_, ticker) => matrixCell(source, row, ticker)))

describe('a universe', () => {
  const universe = matrix(tickers, [
    [1, 1, null, null],
    [1, null, 1, 0],
    [null, null, null, null],
    [1, 1, 1, null],
  ])
  const { memberCounts, changes, members } = runSteps(universeHistory(universe))

  it('has a size on days with data only', () => {
    expect([...memberCounts.values].map((value, row) => (memberCounts.valid?.[row] ? value : null))).toEqual([
      2,
      2,
      null,
      3,
    ])
  })

  it('changes from one day with data to the next, so that a day without any is none on which all left', () => {
    expect(changes.map(({ day, ticker, change }) => [day - FIRST, ticker, change])).toEqual([
      [3, 'B', 'joined'],
      [1, 'B', 'left'],
      [1, 'C', 'joined'],
    ])
  })

  it('knows who was ever in, since when, and who is in now', () => {
    expect(members.map(({ ticker, days, joins, isIn }) => [ticker, days, joins, isIn])).toEqual([
      ['A', 3, 0, true],
      ['B', 2, 1, true],
      ['C', 2, 1, true],
    ])
    expect(members[1]).toMatchObject({ firstDay: FIRST, lastDay: FIRST + 3 })
    expect(members.map(({ ranges }) => ranges)).toEqual([
      [
        { from: 0, to: 2 },
        { from: 3, to: 4 },
      ],
      [
        { from: 0, to: 1 },
        { from: 3, to: 4 },
      ],
      [
        { from: 1, to: 2 },
        { from: 3, to: 4 },
      ],
    ])
    expect([0, 1, 2, 3].map((row) => wasMember(members[1], row))).toEqual([true, false, false, true])
  })

  it('of nothing is empty', () => {
    expect(runSteps(universeHistory(matrix([], [])))).toMatchObject({ changes: [], members: [] })
    expect(runSteps(universeHistory(matrix(['A'], [[null]]))).memberCounts.valid?.[0]).toBe(0)
  })

  it('has at every day the members of the day before, with those that joined and without those that left', () => {
    const row = fc.array(fc.constantFrom(1, 0, null), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const universe = matrix(tickers, rows)
        const history = runSteps(universeHistory(universe))
        for (let at = rows.length - 1, known = null as number | null; at >= 0; at--) {
          if (history.memberCounts.valid?.[at] !== 1) continue
          const on = (change: string) =>
            history.changes.filter((each) => each.day === universe.days[at] && each.change === change).length
          if (known !== null) expect(history.memberCounts.values[at]).toBe(known)
          known = history.memberCounts.values[at] - on('joined') + on('left')
        }
      }),
    )
  })
})

describe('a factor now beside its end of day', () => {
  it('has ranks of each and their differences, and none where one is missing', () => {
    const rows = factorStandings(
      new Map([
        ['A', 3],
        ['B', 1],
        ['C', null],
      ]),
      new Map([
        ['A', 1],
        ['B', 2],
        ['D', 9],
      ]),
    )
    expect(rows.map(({ ticker }) => ticker)).toEqual(['D', 'A', 'B', 'C'])
    expect(rows[1]).toMatchObject({ latest: { rank: 2, percentile: 1 }, close: { rank: 1 }, change: 2, rankChange: 1 })
    expect(rows[0]).toMatchObject({ latest: { value: null, rank: null }, close: { rank: 3 }, change: null })
    expect(rows[3]).toMatchObject({ latest: { value: null, percentile: null }, rankChange: null })
  })
})

describe('prices', () => {
  const prices = matrix(
    ['A', 'B', 'C'],
    [
      [null, 0, 5],
      [20, 4, null],
      [30, null, 10],
      [10, 6, 20],
    ],
  )

  it('as 100 on the first day of each with a price above 0; what is missing stays so', () => {
    expect(cells(indexTo100(prices))).toEqual([
      [null, null, 100],
      [100, 100, null],
      [150, null, 200],
      [50, 150, 400],
    ])
    expect(cells(indexTo100(prices, FIRST + 2))[2]).toEqual([100, null, 100])
  })

  it('are told by what there is of them', () => {
    expect(priceSummaries(prices)[2]).toMatchObject({ days: 3, missing: 1, last: 20, change: 3 })
    expect(priceSummaries(prices)[1]).toMatchObject({ change: null })
    expect(priceSummaries(matrix(['X'], [[null]]))[0]).toMatchObject({ days: 0, last: null, firstDay: null })
  })
})

describe('DuckDB agrees', () => {
  const wave = (seed: number) => (Math.sin(seed * 12.9898) * 43_758.5453) % 1
  const names = ['A', 'B', 'C', 'D', 'E', 'F']
  const random = (seed: number, level = 0) =>
    matrix(
      names,
      Array.from({ length: 60 }, (_, day) =>
        names.map((_, ticker) => {
          const value = wave(seed + day * 7 + ticker * 13)
          return Math.abs(value) < 0.1 ? null : level + value
        }),
      ),
    )
  const rowsOf = (name: string, source: DailyMatrix) =>
    cells(source).flatMap((row, day) =>
      row.flatMap((value, ticker) => (value === null ? [] : [`('${name}', ${day}, ${ticker}, ${value}::DOUBLE)`])),
    )

  async function query(rows: string[], sql: string) {
    const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
    await connection.run(`CREATE TABLE x AS SELECT * FROM (VALUES ${rows.join(', ')}) t(name, day, ticker, v)`)
    const found = (await connection.runAndReadAll(sql)).getRowsJS() as number[][]
    connection.closeSync()
    return found
  }

  it('on the mean rank correlation of two factors', async () => {
    const [a, b] = [random(1), random(5)]
    const [[mean, days]] = await query(
      [...rowsOf('a', a), ...rowsOf('b', b)],
      `WITH p AS (SELECT day, x.v AS va, y.v AS vb FROM x JOIN x y USING (day, ticker) WHERE x.name = 'a' AND y.name = 'b'),
        r AS (SELECT day, rank() OVER (PARTITION BY day ORDER BY va) AS ra, rank() OVER (PARTITION BY day ORDER BY vb) AS rb FROM p),
        c AS (SELECT day, corr(ra, rb) AS c FROM r GROUP BY day HAVING count(*) >= 3)
        SELECT avg(c), count(c)::DOUBLE FROM c`,
    )
    const { values, counts } = runSteps(
      factorCorrelations([
        { name: 'a', matrix: a },
        { name: 'b', matrix: b },
      ]),
    )
    expect(values[0][1]).toBeCloseTo(mean, 12)
    expect(counts[0][1]).toBe(days)
    expect(values[0][0]).toBeCloseTo(1, 12)
    expect(values[1][0]).toBe(values[0][1])
  })

  it('on the correlation of daily price changes', async () => {
    const prices = random(3, 10)
    const [[theirs]] = await query(
      rowsOf('p', prices),
      `WITH r AS (SELECT y.day, y.ticker, y.v / x.v - 1 AS r FROM x JOIN x y ON y.ticker = x.ticker AND y.day = x.day + 1)
        SELECT corr(a.r, b.r) FROM r a JOIN r b USING (day) WHERE a.ticker = 0 AND b.ticker = 3`,
    )
    expect(runSteps(priceCorrelations(prices)).values[0][3]).toBeCloseTo(theirs, 12)
  })
})

describe('a regime', () => {
  const series = (values: (number | null)[]) => ({
    days: Int32Array.from(values, (_, at) => FIRST + at),
    values: Float64Array.from(values, (value) => value ?? 0),
    valid: Uint8Array.from(values, (value) => Number(value !== null)),
  })

  it('has stretches that days without a value do not end, and shares of the days that have one', () => {
    const spells = spellsOf(series([1, 1, null, 1, 0.5, 0.5, 1]))
    expect(spells.map(({ value, startDay, endDay, days }) => [value, startDay - FIRST, endDay - FIRST, days])).toEqual([
      [1, 0, 3, 3],
      [0.5, 4, 5, 2],
      [1, 6, 6, 1],
    ])
    expect(stateShares(spells)).toMatchObject([
      { value: 0.5, days: 2, spells: 1 },
      { value: 1, days: 4, share: 4 / 6, spells: 2, lastDay: FIRST + 6 },
    ])
  })

  it('of values that are all different has no states, and of none is empty', () => {
    expect(stateShares(spellsOf(series(Array.from({ length: 20 }, (_, at) => at))))).toBeNull()
    expect(stateShares(spellsOf(series([null])))).toEqual([])
  })
})

describe('limits of the comparisons', () => {
  it('twelve different values are still states', () => {
    const values = Array.from({ length: 12 }, (_, at) => at)
    const series = { days: Int32Array.from(values), values: Float64Array.from(values), valid: null }
    expect(stateShares(spellsOf(series))).toHaveLength(12)
  })

  it('a price below 1 is a base like any other', () => {
    expect(cells(indexTo100(matrix(['A'], [[0.5], [0.75]])))).toEqual([[100], [150]])
  })

  it('those that left a universe come before those that joined it on the same day', () => {
    const { changes } = runSteps(
      universeHistory(
        matrix(
          ['A', 'B', 'C'],
          [
            [null, 1, 1],
            [1, null, 1],
          ],
        ),
      ),
    )
    expect(changes.map(({ ticker, change }) => [ticker, change])).toEqual([
      ['B', 'left'],
      ['A', 'joined'],
    ])
  })

  it('two factors with one day in common have the correlation of that day', () => {
    const one = matrix(['A', 'B', 'C'], [[1, 2, 3]])
    const other = matrix(['A', 'B', 'C'], [[3, 2, 1]])
    const factors = [
      { name: 'one', matrix: one },
      { name: 'other', matrix: other },
    ]
    const { values, counts } = runSteps(factorCorrelations(factors))
    expect(counts[0][1]).toBe(1)
    expect(values[0][1]).toBeCloseTo(-1, 12)
  })
})
