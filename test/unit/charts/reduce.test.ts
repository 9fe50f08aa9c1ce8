import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { intervalName } from '#shared/time.ts'
import { MOST_POINTS, reduceRows, candleWidthMs, reduceCandles } from '../../../renderer/charts/reduce.ts'
import { foundStepMs } from '../../../renderer/charts/model.ts'
import { seconds, secondsSeries } from './chartSeries.ts'

const pairs = ({ times, values }: { times: Float64Array; values: Float64Array }) =>
  Array.from(times, (time, at) => [time / 1000, values[at]])

describe('reduceRows', () => {
  it('keeps few rows as they are, with one beyond each side', () => {
    const series = secondsSeries([1, 2, 3, 4, 5])
    expect(pairs(reduceRows(series, seconds(1, 3), 1000, 100))).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ])
  })

  it('parts runs at missing rows, NaN, infinities and times left out', () => {
    const cells = [1, null, 2, NaN, 3, Infinity, 4, 5]
    const series = secondsSeries(cells)
    series.times[7] = 9000
    const { values } = reduceRows(series, seconds(0, 20), 1000, 100)
    expect([...values]).toEqual([1, NaN, 2, NaN, 3, NaN, 4, NaN, 5])
  })

  it('joins rows that come as they come', () => {
    const series = secondsSeries([1, 2])
    series.times[1] = 90_000
    expect([...reduceRows(series, seconds(0, 100), null, 100).values]).toEqual([1, 2])
  })

  it('never gives more points than the plot is meant to get, and loses no extreme', () => {
    const cell = fc.oneof(
      { weight: 9, arbitrary: fc.double({ noNaN: true, min: -1e6, max: 1e6 }) },
      { weight: 1, arbitrary: fc.constant(null) },
    )
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 2500, maxLength: 6000 }),
        fc.integer({ min: 1, max: 5000 }),
        (cells, widthPx) => {
          const series = secondsSeries(cells)
          const { times, values } = reduceRows(series, seconds(0, cells.length), 1000, widthPx)
          const presentCells = cells.filter((cell) => cell !== null)
          const drawn = values.filter((value) => !Number.isNaN(value))
          expect(times.length).toBeLessThanOrEqual(MOST_POINTS)
          expect(Math.max(...drawn)).toBe(Math.max(...presentCells))
          expect(Math.min(...drawn)).toBe(Math.min(...presentCells))
          expect(drawn[0]).toBe(presentCells[0])
          expect(drawn.at(-1)).toBe(presentCells.at(-1))
          for (let at = 1; at < times.length; at += 1) expect(times[at]).toBeGreaterThanOrEqual(times[at - 1])
        },
      ),
      { numRuns: 20 },
    )
  })

  it('keeps a gap of many rows empty', () => {
    const cells = Array.from({ length: 10_000 }, (_, row) => (row >= 4000 && row < 6000 ? null : row % 7))
    const { times, values } = reduceRows(secondsSeries(cells), seconds(0, 10_000), 1000, 1000)
    const inGap = [...times].filter((time, at) => time > 4_000_000 && time < 6_000_000 && !Number.isNaN(values[at]))
    expect(inGap).toEqual([])
    expect(values.filter(Number.isNaN)).toHaveLength(1)
  })

  it('leaves out what has no place on a log axis, and tells', () => {
    const cells = Array.from({ length: 5000 }, (_, row) => (row % 10 === 3 ? 0 : row + 1))
    const points = reduceRows(secondsSeries(cells), seconds(0, 5000), 1000, 100, 0)
    expect(points.hasSkippedValues).toBe(true)
    expect(Math.min(...points.values.filter((value) => !Number.isNaN(value)))).toBe(1)
    expect(reduceRows(secondsSeries([1, 2]), seconds(0, 5), 1000, 100, 0).hasSkippedValues).toBe(false)
  })

  it('takes ten million rows', () => {
    const rows = 10_000_000
    const times = Float64Array.from({ length: rows }, (_, row) => row * 1000)
    const values = new Float64Array(rows).fill(1)
    values[7_654_321] = 99
    const points = reduceRows({ times, values, valid: null }, seconds(0, rows), 1000, 1800)
    expect(points.times.length).toBeLessThanOrEqual(MOST_POINTS)
    expect(points.values).toContain(99)
  })

  it('has nothing of nothing', () => {
    expect(reduceRows(secondsSeries([]), seconds(0, 5), null, 100).times).toHaveLength(0)
    expect(reduceRows(secondsSeries([null, null]), seconds(0, 5), 1000, 100).times).toHaveLength(0)
  })
})

describe('foundStepMs', () => {
  it('is what most rows keep to', () => {
    expect(foundStepMs(Float64Array.of(0, 60, 120, 300, 360, 420))).toBe(60)
    expect(foundStepMs(Float64Array.of(0, 1, 5, 30, 31.5))).toBeNull()
    expect(foundStepMs(Float64Array.of(5))).toBeNull()
  })
})

describe('candles', () => {
  const minute = 60_000
  const series = {
    times: Float64Array.from({ length: 6 }, (_, row) => row * minute),
    values: Float64Array.of(2, 3, NaN, 5, 1, 7),
    valid: null,
    candles: {
      open: Float64Array.of(1, 2, 0, 4, 5, 1),
      high: Float64Array.of(3, 9, 0, 6, 5, 8),
      low: Float64Array.of(1, 2, 0, 3, 0.5, 1),
      volume: Float64Array.of(1, 2, 0, 4, NaN, 6),
    },
  }

  it('are those of the rows while there is room; a missing one is left out', () => {
    const { count, times, widthMs } = reduceCandles(series, { startMs: 0, endMs: 6 * minute }, minute, 600)
    expect({ count, widthMs, times: [...times.subarray(0, count)] }).toEqual({
      count: 5,
      widthMs: minute,
      times: [0, 1, 3, 4, 5].map((row) => row * minute),
    })
  })

  it('are gathered where there is not: first open, extremes, last close, sum of volume', () => {
    const out = reduceCandles(series, { startMs: 0, endMs: 6 * minute }, minute, 10)
    const column = (values: Float64Array) => [...values.subarray(0, out.count)]
    expect(out.widthMs).toBe(3 * minute)
    expect([out.open, out.high, out.low, out.close, out.volume!].map(column)).toEqual([
      [1, 4],
      [9, 8],
      [1, 0.5],
      [3, 7],
      [3, 10],
    ])
  })

  it('have widths that people think in', () => {
    const dayMs = 86_400_000
    expect(intervalName(candleWidthMs({ startMs: 0, endMs: 365 * dayMs }, minute, 1200))).toBe('2d')
    expect(intervalName(candleWidthMs({ startMs: 0, endMs: dayMs }, minute, 1200))).toBe('10m')
    expect(intervalName(90 * 1000)).toBe('90s')
  })
})
