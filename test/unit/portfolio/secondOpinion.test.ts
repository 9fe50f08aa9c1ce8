import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { benchmarkFigures, commonReturns } from '#shared/portfolio/benchmark.ts'
import { yearTable } from '#shared/portfolio/calendarReturns.ts'
import { figureValues, returnsView } from '#shared/portfolio/figures.ts'
import { rollingBeta, rollingRisk } from '#shared/portfolio/tearSheet.ts'
import { dayNumberOf } from '#shared/time/periods.ts'

const first = dayNumberOf('2022-11-17')
const rows = 900
/** Values are irregular but the same in every run; single days lack a value, and so do 79 days in a row. */
const wave = (at: number, seed: number) => Math.sin(at * at * 0.7 + seed) * 0.03 + Math.sin(at / 40) * 0.002
const isPresent = (at: number) => at % 17 !== 3 && !(at > 300 && at < 380)
const series = (seed: number) => ({
  days: Int32Array.from({ length: rows }, (_, at) => first + at),
  values: Float64Array.from({ length: rows }, (_, at) => wave(at, seed)),
  valid: Uint8Array.from({ length: rows }, (_, at) => Number(isPresent(at))),
})
const view = returnsView(series(1))
const common = commonReturns(view, series(2))

let connection: Awaited<ReturnType<DuckDBInstance['connect']>>
const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJS() as (number | null)[][]

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  const rowsSql = [...view.days].map(
    (day, at) => `(${day}, ${view.returns[at]}::DOUBLE, ${common.benchmark[at]}::DOUBLE)`,
  )
  await connection.run(`CREATE TABLE returns AS SELECT * FROM (VALUES ${rowsSql.join(', ')}) t(day, r, b)`)
})
afterAll(() => connection.closeSync())

function expectSame(ours: (number | null)[], theirs: (number | null)[]) {
  expect(ours.length).toBe(theirs.length)
  ours.forEach((value, at) => {
    const other = theirs[at]
    if (value === null || other === null) expect([at, value]).toEqual([at, other])
    else expect(Math.abs(value - other)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(other)))
  })
}

describe('DuckDB agrees', () => {
  it('on sums and moments', async () => {
    const [theirs] = await query(`SELECT count(*)::DOUBLE, exp(sum(ln(1 + r))) - 1, stddev_samp(r) * sqrt(365),
      avg(r) / stddev_samp(r) * sqrt(365), quantile_cont(r, 0.05), skewness(r), kurtosis(r),
      sum(r) FILTER (r > 0) / -sum(r) FILTER (r < 0), count(*) FILTER (r > 0) / count(*) FILTER (r <> 0) FROM returns`)
    const ours = figureValues(view)
    const ids = 'days totalReturn volatility sharpe varHistorical skewness kurtosis omega winRate'.split(' ')
    expectSame(
      ids.map((id) => ours[id]),
      theirs,
    )
  })

  it('on figures against a benchmark', async () => {
    const [theirs] = await query(`SELECT regr_slope(r, b), corr(r, b), avg(r - b) / stddev_samp(r - b) * sqrt(365),
      stddev_samp(r - b) * sqrt(365),
      (exp(avg(ln(1 + r)) FILTER (b > 0)) - 1) / (exp(avg(ln(1 + b)) FILTER (b > 0)) - 1),
      (exp(avg(ln(1 + r)) FILTER (b < 0)) - 1) / (exp(avg(ln(1 + b)) FILTER (b < 0)) - 1) FROM returns`)
    const ids = 'beta correlation informationRatio trackingError upCapture downCapture'.split(' ')
    const ours = Object.fromEntries(benchmarkFigures.map(({ id, compute }) => [id, compute(common)]))
    expectSame(
      ids.map((id) => ours[id]),
      theirs,
    )
  })

  it('on drawdowns and their depth', async () => {
    const theirs = await query(`WITH e AS (SELECT day, exp(sum(ln(1 + r)) OVER (ORDER BY day)) AS e FROM returns)
      SELECT e / greatest(1, max(e) OVER (ORDER BY day)) - 1 FROM e ORDER BY day`)
    expectSame(
      [...view.drawdowns],
      theirs.map(([value]) => value),
    )
  })

  it.each([2, 30, 365])('on rolling figures over %i days', async (window) => {
    const frame = `OVER (ORDER BY day ROWS ${window - 1} PRECEDING)`
    const whenFull = (sql: string) => `CASE WHEN count(*) ${frame} = ${window} THEN ${sql} END`
    const theirs = await query(`SELECT ${whenFull(`avg(r) ${frame} / stddev_samp(r) ${frame} * sqrt(365)`)},
      ${whenFull(`stddev_samp(r) ${frame} * sqrt(365)`)}, ${whenFull(`regr_slope(r, b) ${frame}`)} FROM returns ORDER BY day`)
    const { sharpe, volatility } = rollingRisk(view, window)
    ;[sharpe, volatility, rollingBeta(common, window)].forEach(({ values, valid }, column) => {
      expectSame(
        [...values].map((value, row) => (valid?.[row] === 0 ? null : value)),
        theirs.map((row) => row[column]),
      )
    })
  })

  it('on monthly and yearly tables', async () => {
    const day = "(DATE '1970-01-01' + day::INTEGER)"
    const theirs = await query(`SELECT year(${day})::DOUBLE AS y, month(${day})::DOUBLE AS m, product(1 + r) - 1
      FROM returns GROUP BY GROUPING SETS ((y, m), (y)) ORDER BY y, m NULLS LAST`)
    const ours = yearTable(view).flatMap(({ year, months, total }) => [
      ...months.flatMap((value, at) => (value === null ? [] : [[year, at + 1, value]])),
      [year, null, total],
    ])
    expect(ours.map((row) => row.slice(0, 2))).toEqual(theirs.map((row) => row.slice(0, 2)))
    expectSame(
      ours.map((row) => row[2]),
      theirs.map((row) => row[2]),
    )
  })
})
