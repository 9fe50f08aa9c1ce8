import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NumberColumn } from '#shared/contract/frame.ts'
import { contributionsByTicker, explainReturns } from '#shared/portfolio/explainReturns.ts'
import { runSteps } from '#shared/portfolio/dailySeries.ts'
import { weightFigures } from '#shared/portfolio/weightsHistory.ts'

const DAYS = 200
const tickers = Array.from({ length: 9 }, (_, at) => `T${at}`)
const days = Int32Array.from({ length: DAYS }, (_, at) => 20_000 + at)
const cellOf = (row: number, at: number, seed: number) => Math.sin(row * row * 0.7 + at * 3 + seed)

const weights = {
  days,
  tickers,
  values: Float64Array.from({ length: DAYS * 9 }, (_, cell) => cellOf(Math.floor(cell / 9), cell % 9, 1) / 9),
  valid: Uint8Array.from({ length: DAYS * 9 }, (_, cell) => Number(cell % 11 !== 3)),
}
const prices = {
  ...weights,
  values: Float64Array.from({ length: DAYS * 9 }, (_, cell) => 100 + 9 * cellOf(Math.floor(cell / 9), cell % 9, 2)),
  valid: Uint8Array.from({ length: DAYS * 9 }, (_, cell) => Number(cell % 13 !== 5)),
}
const served = { days, values: Float64Array.from(days, (_, row) => cellOf(row, 0, 3) / 50), valid: null }

let connection: Awaited<ReturnType<DuckDBInstance['connect']>>
const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJS() as (number | null)[][]

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  const cells = [...weights.values].map((weight, cell) => {
    const [row, at] = [Math.floor(cell / 9), cell % 9]
    const price = prices.valid[cell] ? `${prices.values[cell]}::DOUBLE` : 'NULL'
    return `(${days[row]}, ${at}, ${weights.valid[cell] ? `${weight}::DOUBLE` : '0::DOUBLE'}, ${price})`
  })
  await connection.run(`CREATE TABLE held AS SELECT *,
      lag(w) OVER ticker AS before, p / lag(p) OVER ticker - 1 AS change
    FROM (VALUES ${cells.join(', ')}) t(day, ticker, w, p) WINDOW ticker AS (PARTITION BY ticker ORDER BY day)`)
})
afterAll(() => connection.closeSync())

const cells = ({ values, valid }: NumberColumn) =>
  [...values].map((value, row) => (valid && !valid[row] ? null : value))

function expectSame(ours: (number | null)[], theirs: (number | null)[]) {
  expect(ours.length).toBe(theirs.length)
  ours.forEach((value, at) => {
    const other = theirs[at]
    if (value === null || other === null) expect([at, value]).toEqual([at, other])
    else expect(Math.abs(value - other)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(other)))
  })
}

describe('DuckDB agrees', () => {
  it('on exposure, concentration and turnover of every day', async () => {
    const theirs = await query(`SELECT sum(abs(w)), sum(w), sum(greatest(w, 0)), sum(least(w, 0)),
        count(*) FILTER (w <> 0)::DOUBLE, sum(abs(w)) ** 2 / sum(w * w), sum(w * w) / sum(abs(w)) ** 2,
        list_sum(list_reverse_sort(list(abs(w)))[1:5]) / sum(abs(w)), sum(abs(w - before))
      FROM held GROUP BY day ORDER BY day`)
    const ours = runSteps(weightFigures(weights)).exposure
    const ids = 'gross net long short names effectiveNames herfindahl topFive'.split(' ')
    ids.forEach((id, at) =>
      expectSame(
        cells(ours[id]),
        theirs.map((row) => row[at]),
      ),
    )
    expectSame(
      cells(runSteps(weightFigures(weights)).turnover),
      theirs.map((row) => row[8]),
    )
  })

  it('on explained returns and what each ticker brought', async () => {
    const ours = runSteps(explainReturns(weights, prices, served, 7))
    const theirs = await query(`SELECT sum(coalesce(before * change, 0)) - 0.0007 * sum(abs(w - before))
      FROM held WHERE before IS NOT NULL GROUP BY day ORDER BY day`)
    expectSame(
      cells(ours.explained).slice(1),
      theirs.map(([value]) => value),
    )
    const [from, to] = [days[20], days[90]]
    const byTicker = await query(`SELECT ticker::DOUBLE, sum(before * change) FROM held
      WHERE day >= ${from} AND day < ${to} AND before <> 0 GROUP BY ticker ORDER BY 2 DESC`)
    const contributions = contributionsByTicker(ours.contributions, from, to)
    expect(contributions.map(({ ticker }) => ticker)).toEqual(byTicker.map(([at]) => `T${at}`))
    expectSame(
      contributions.map(({ contribution }) => contribution),
      byTicker.map(([, sum]) => sum),
    )
  })
})
