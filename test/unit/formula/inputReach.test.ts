import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateFormula, timesOf } from '#shared/formula/evaluateFormula.ts'
import { type InputReach, inputReach, isSettled } from '#shared/formula/inputReach.ts'
import type { SeriesInput } from '#shared/formula/series.ts'
import { type Cells, input, inputs } from './formulaInputs.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const intervals = new Map([
  ['a', HOUR_MS],
  ['day', 24 * HOUR_MS],
  ['m', 5 * MINUTE_MS],
])

/** Returns the reach of a formula's inputs in hours, which are the rows of `a`. */
const reachOf = (formula: string) =>
  Object.fromEntries(
    [...inputReach(formula, intervals)].map(([name, reach]) => [
      name,
      { ...reach, backMs: reach.backMs / HOUR_MS, aheadMs: reach.aheadMs / HOUR_MS },
    ]),
  )
const back = (hours: number, more: Partial<InputReach> = {}) => ({
  backMs: hours,
  aheadMs: 0,
  mayNeedMore: false,
  fromOrigin: false,
  ...more,
})

describe('the rows that a formula needs around its range', () => {
  it.each([
    ['a * 2 + 1', { a: back(0) }],
    ['lag(a)', { a: back(1) }],
    ['sma(a, 5)', { a: back(5) }],
    ["sma(a, '1d')", { a: back(24) }],
    ["sma(a, '90m')", { a: back(2) }],
    ['sma(lag(a, 3), 5)', { a: back(8) }],
    ['sma(a, 5) + lag(a, 7)', { a: back(7) }],
    ['lag(a, 7) + sma(a, 5)', { a: back(7) }],
    ['ffill(a, 3)', { a: back(3) }],
    ['cumsum(a)', { a: back(0, { fromOrigin: true }) }],
    ['sma(index100(a), 4)', { a: back(4, { fromOrigin: true }) }],
    ['index100(sma(a, 4)) - a', { a: back(4, { fromOrigin: true }) }],
    ['a - index100(a)', { a: back(0, { fromOrigin: true }) }],
    ['ema(a, 10)', { a: back(110, { mayNeedMore: true }) }],
    ['ema(a, 10) - a', { a: back(110, { mayNeedMore: true }) }],
    ['a - ema(a, 10)', { a: back(110, { mayNeedMore: true }) }],
    // An hourly row uses the day that ended before it, which began up to two days earlier.
    ['a + day', { a: back(0), day: back(48) }],
    ['sma(day, 3) + a', { day: back(48 + 72), a: back(0) }],
    // The last hour of resampled rows may end as much as an hour after the range.
    ["resample(m, '1h', 'sum')", { m: back(1, { aheadMs: 1 }) }],
    ["sma(resample(m, '1h', 'sum'), 24)", { m: back(25, { aheadMs: 1 }) }],
    ["sma(resample(m, '1h', 'sum'), 24) + m", { m: back(27, { aheadMs: 1 }) }],
    ['sma(m, 3)', { m: back(0.25) }],
    ['unknown + a', { a: back(0) }],
  ])('%s', (formula, expected) => {
    expect(reachOf(formula)).toEqual(expected)
  })

  const hours: Cells = Array.from({ length: 400 }, (_, row) => (row % 17 === 5 ? null : ((row * 37) % 101) - 20))
  const minutes: Cells = Array.from({ length: 4800 }, (_, row) => (row % 29 === 3 ? null : (row * 53) % 97))
  const all = {
    a: input(hours, HOUR_MS),
    m: input(minutes, 5 * MINUTE_MS),
    day: input(hours.slice(0, 16), 24 * HOUR_MS),
  }

  /** Returns the rows of an input that begin in a range. */
  function cut(source: SeriesInput, startMs: number, endMs: number): SeriesInput {
    const isIn = (_: unknown, row: number) => source.times[row] >= startMs && source.times[row] < endMs
    return {
      ...source,
      times: source.times.filter(isIn),
      values: source.values.filter(isIn),
      valid: source.valid?.filter(isIn) ?? null,
    }
  }
  /** Returns the cells of the result that begin in a range, with their times. */
  function cellsIn(formula: string, named: Record<string, SeriesInput>, startMs: number, endMs: number) {
    const result = evaluateFormula(formula, inputs(named))
    // A running sum over different rows may differ in its last digits.
    const cellOf = (row: number) => (result.valid?.[row] === 0 ? null : Number(result.values[row].toPrecision(12)))
    const cells = [...timesOf(result)].map((time, row) => [time, cellOf(row)])
    return cells.filter(([time]) => time !== null && time >= startMs && time < endMs)
  }

  it.each([
    'lag(a, 3) + rollmax(a, 6)',
    "sma(a, '6h') - median(a, 5)",
    'sma(lag(a, 2), 4) * day',
    "sma(resample(m, '1h', 'sum'), 5)",
    "resample(m, '2h', 'max') + a",
    'std(day, 2) + a',
    'ffill(a, 2)',
  ])('%s is the same from these rows alone', (formula) => {
    const at = fc.integer({ min: 130, max: 300 })
    fc.assert(
      fc.property(at, fc.integer({ min: 2, max: 40 }), (first, count) => {
        const [startMs, endMs] = [first * 2 * HOUR_MS - 100 * HOUR_MS, (first * 2 + count) * HOUR_MS - 100 * HOUR_MS]
        const reach = inputReach(
          formula,
          new Map(Object.entries(all).map(([name, { intervalMs }]) => [name, intervalMs])),
        )
        const needed = Object.fromEntries(
          [...reach].map(([name, { backMs, aheadMs }]) => [
            name,
            cut(all[name as keyof typeof all], startMs - backMs, endMs + aheadMs),
          ]),
        )
        expect(cellsIn(formula, needed, startMs, endMs)).toEqual(cellsIn(formula, all, startMs, endMs))
      }),
      { numRuns: 25 },
    )
  })
})

describe('rows that a recursive function needs', () => {
  const rows = (count: number, missing = 0): Cells =>
    Array.from({ length: count }, (_, row) => (row < missing ? null : row))
  const isSettledAt = (formula: string, cells: Cells, startRow: number) =>
    isSettled(formula, inputs({ a: input(cells, HOUR_MS) }), startRow * HOUR_MS)

  it.each([
    // An `ema` of 2 rows depends on 22 values.
    ['ema(a, 2)', 22],
    ['ema(a, 2) + ema(a, 3)', 33],
    ['ema(a, 3) + ema(a, 2)', 33],
    ['ema(ema(a, 2), 2)', 44],
    // The window of `sma` needs its own 4 values in addition.
    ['sma(ema(a, 2), 4)', 26],
    ['ffill(a)', 1],
    ['sma(a, 50)', 0],
    ['ema(5, 2) + a', 0],
  ])('%s is settled after %i values', (formula, count) => {
    expect(isSettledAt(formula, rows(100), count)).toBe(true)
    if (count > 0) expect(isSettledAt(formula, rows(100), count - 1)).toBe(false)
  })

  it('missing rows do not count', () => {
    expect(isSettledAt('ema(a, 2)', rows(100, 10), 22)).toBe(false)
    expect(isSettledAt('ema(a, 2)', rows(100, 10), 31)).toBe(false)
    expect(isSettledAt('ema(a, 2)', rows(100, 10), 32)).toBe(true)
  })

  it('rows after the last one do not count either', () => {
    expect(isSettledAt('ema(a, 2)', rows(20), 60)).toBe(false)
    expect(isSettledAt('ema(a, 2)', rows(22), 60)).toBe(true)
  })
})
