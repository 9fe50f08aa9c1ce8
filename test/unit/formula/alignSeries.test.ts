import { describe, expect, it } from 'vitest'
import { alignSeries, commonGrid } from '#shared/formula/alignSeries.ts'
import { type Series, seriesOf } from '#shared/formula/series.ts'

const HOUR_MS = 3_600_000

const series = (firstSlot: number, values: readonly (number | null)[], intervalMs = HOUR_MS): Series => ({
  intervalMs,
  firstSlot,
  values: Float64Array.from(values, (value) => value ?? 0),
  valid: values.includes(null) ? Uint8Array.from(values, (value) => Number(value !== null)) : null,
})
const cellsOf = ({ values, valid }: Series) => [...values].map((value, row) => (valid?.[row] === 0 ? null : value))
const grid = (firstSlot: number, rows: number) => ({ intervalMs: HOUR_MS, firstSlot, rows })

describe('a series on the grid of others', () => {
  it('is itself where it has the rows of the grid', () => {
    const own = series(5, [1, 2, 3])
    expect(alignSeries(own, grid(5, 3))).toBe(own)
  })

  it.each([
    ['begins later', 7, [1, 2, 3], [null, null, 1, 2]],
    ['begins earlier', 3, [1, 2, 3, 4, 5], [3, 4, 5, null]],
    ['is longer', 3, [1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 5, 6]],
    ['lies inside', 6, [1], [null, 1, null, null]],
    ['begins with the grid and is shorter', 5, [1, 2], [1, 2, null, null]],
    ['begins one row later and is as long', 6, [1, 2, 3, 4], [null, 1, 2, 3]],
    ['lies before it', 0, [1, 2, 3], [null, null, null, null]],
    ['lies after it', 12, [1, 2, 3], [null, null, null, null]],
    ['has missing rows', 4, [9, 1, null, 3], [1, null, 3, null]],
  ])('is cut or extended where it %s', (_, firstSlot, values, expected) => {
    const aligned = alignSeries(series(firstSlot, values), grid(5, 4))
    expect(cellsOf(aligned)).toEqual(expected)
    expect(aligned).toMatchObject(grid(5, 4) satisfies Partial<Series> & { rows: number })
  })

  it('takes the last row of a longer interval that has ended', () => {
    // Slots 1 and 2 of two hours are 02:00 to 04:00 and 04:00 to 06:00.
    const aligned = alignSeries(series(1, [10, 20], 2 * HOUR_MS), grid(2, 6))
    expect(cellsOf(aligned)).toEqual([null, 10, 10, 20, 20, null])
    expect(cellsOf(alignSeries(series(1, [10, null], 2 * HOUR_MS), grid(2, 6)))).toEqual([
      null,
      10,
      10,
      null,
      null,
      null,
    ])
  })
})

describe('the grid of several series', () => {
  it('has the shortest interval, from the first to the last row of those that have it', () => {
    expect(commonGrid([series(5, [1, 2]), series(9, [1]), series(0, [1, 2], 24 * HOUR_MS)])).toEqual(grid(5, 5))
    expect(commonGrid([series(9, [1]), series(5, [1, 2])])).toEqual(grid(5, 5))
  })

  it('is empty where those have no rows', () => {
    expect(commonGrid([series(3, []), series(0, [1, 2], 24 * HOUR_MS)])).toEqual(grid(0, 0))
    expect(commonGrid([series(3, []), series(4, [1])])).toEqual(grid(4, 1))
  })
})

describe('rows as a series', () => {
  const rows = (times: number[], values: number[], more: Partial<Parameters<typeof seriesOf>[0]> = {}) =>
    seriesOf({
      times: Float64Array.from(times, (hour) => hour * HOUR_MS),
      values: Float64Array.from(values),
      valid: null,
      intervalMs: HOUR_MS,
      ...more,
    })

  it('a range makes rows where there are none, but none that begins at its end', () => {
    const covered = { startMs: 1.5 * HOUR_MS, endMs: 5 * HOUR_MS }
    expect(rows([3], [7], { covered }).firstSlot).toBe(2)
    expect(cellsOf(rows([3], [7], { covered }))).toEqual([null, 7, null])
    expect(cellsOf(rows([3], [7], { covered: { ...covered, endMs: 4.5 * HOUR_MS } }))).toEqual([null, 7, null])
    expect(cellsOf(rows([], [], { covered }))).toEqual([null, null, null])
    expect(cellsOf(rows([0, 6], [1, 2], { covered }))).toEqual([1, null, null, null, null, null, 2])
  })

  it('the later of two rows in one interval counts, and a missing one hides the earlier', () => {
    expect(cellsOf(rows([1, 1.5], [3, 4]))).toEqual([4])
    const later = rows([1, 1.5], [3, 4], { valid: Uint8Array.of(1, 0) })
    expect(cellsOf(later)).toEqual([null])
    expect([...later.values]).toEqual([0])
  })

  it('numbers that are not finite are missing, and rows without a time are left out', () => {
    expect(cellsOf(rows([1, 2, 3], [NaN, Infinity, 5]))).toEqual([null, null, 5])
    expect(cellsOf(rows([1, NaN, 3], [4, 6, 5]))).toEqual([4, null, 5])
    expect(rows([], []).values).toHaveLength(0)
  })
})
