import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { binFrame, binWidthMs, summaryWidthMs, ColumnBins, gridOver } from '#shared/overview/bins.ts'
import { drawnRows } from '#shared/overview/drawn.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const cell = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: -1e6, max: 1e6, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(NaN, Infinity, -Infinity) },
  { weight: 2, arbitrary: fc.constant(null) },
)

/** Rows of consecutive minutes, some of which are left out. */
const rows = fc.array(fc.tuple(cell, fc.boolean()), { minLength: 1, maxLength: 400 }).map((cells) => {
  const kept = cells.map(([value], row) => ({ value, time: row * MINUTE_MS })).filter((_, row) => cells[row][1])
  return {
    times: Float64Array.from(kept, ({ time }) => time),
    values: Float64Array.from(kept, ({ value }) => value ?? 7),
    valid: Uint8Array.from(kept, ({ value }) => (value === null ? 0 : 1)),
    seen: kept.filter(({ value }) => value !== null && Number.isFinite(value)) as { value: number; time: number }[],
  }
})

const close = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))

describe('bins of a column', () => {
  it('know of each bin what its rows say, straight from rows or from finer bins', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(1, 3, 7, 60), fc.constantFrom(1, 2, 5), (data, minutes, times) => {
        const endMs = 400 * MINUTE_MS
        const fine = new ColumnBins(gridOver(0, endMs, minutes * MINUTE_MS))
        fine.addRows(data.times, data)
        const coarse = new ColumnBins(gridOver(0, endMs, minutes * times * MINUTE_MS))
        coarse.addBins(fine, 0, endMs)
        for (const bins of [fine, coarse]) {
          for (let at = 0; at < bins.grid.bins; at++) {
            const from = at * bins.grid.binMs
            const inside = data.seen.filter(({ time }) => time >= from && time < from + bins.grid.binMs)
            expect(bins.count[at]).toBe(inside.length)
            if (inside.length === 0) continue
            const values = inside.map(({ value }) => value)
            const mean = values.reduce((sum, value) => sum + value, 0) / values.length
            const m2 = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
            expect([bins.first[at], bins.last[at]]).toEqual([values[0], values.at(-1)])
            expect([bins.min[at], bins.max[at]]).toEqual([Math.min(...values), Math.max(...values)])
            expect(inside.find(({ value }) => value === bins.min[at])?.time).toBe(bins.minAt[at])
            expect(inside.find(({ value }) => value === bins.max[at])?.time).toBe(bins.maxAt[at])
            expect(close(bins.mean[at], mean) && Math.abs(bins.m2[at] - m2) <= 1e-9 * (1 + m2)).toBe(true)
          }
        }
      }),
    )
  })

  it('draw rows of the data alone, none of the extremes lost, and part them where rows are missing', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(2, 10, 60), (data, minutes) => {
        const bins = new ColumnBins(gridOver(0, 400 * MINUTE_MS, minutes * MINUTE_MS))
        bins.addRows(data.times, data)
        const frame = binFrame(bins.grid, [{ name: 'v', bins }])
        const { binMs } = bins.grid
        const drawn = drawnRows({ kind: 'bins', binMs, stepMs: MINUTE_MS, frame }, 'v')
        const points = [...drawn.times].map((time, row) => ({
          time,
          value: drawn.values[row],
          is: drawn.valid?.[row] ?? 1,
        }))
        const present = points.filter(({ is }) => is === 1)
        for (const { time, value } of present) expect(data.seen).toContainEqual({ time, value })
        for (const extreme of [Math.min, Math.max])
          if (data.seen.length > 0)
            expect(present.map(({ value }) => value)).toContain(extreme(...data.seen.map(({ value }) => value)))
        for (const [row, { time }] of present.entries())
          if (row > 0) expect(time).toBeGreaterThan(present[row - 1].time)
        for (const [row, { time, is }] of points.entries()) {
          const before = points[row - 1]
          if (row === 0 || !is || !before.is || Math.floor(time / binMs) === Math.floor(before.time / binMs)) continue
          const previous = data.seen[data.seen.findIndex((one) => one.time === time) - 1]
          expect(time - previous.time).toBe(MINUTE_MS)
        }
      }),
    )
  })
})

describe('widths of bins', () => {
  const steps = ['15s', '30s', '1m', '5m', '15m', '30m', '1h', '4h', '1d']
  const stepMs = [15, 30, 60, 300, 900, 1800, 3600, 14_400, 86_400].map((seconds) => seconds * 1000)

  it.each(steps.map((name, at) => [name, stepMs[at]] as const))('fit rows of %s and their summary', (_, step) => {
    const summaryMs = summaryWidthMs(step)
    expect([DAY_MS % summaryMs, summaryMs % step]).toEqual([0, 0])
    for (const days of [1, 7, 31, 366, 3660, 36_600]) {
      for (const points of [10, 500, 2000, 4000]) {
        const width = binWidthMs(days * DAY_MS, points, step)
        expect((days * DAY_MS) / width).toBeLessThanOrEqual(points)
        expect(width % step).toBe(0)
        if (width > summaryMs) expect(width % summaryMs).toBe(0)
      }
    }
  })

  it('serve events, however many', () => {
    expect(binWidthMs(DAY_MS, 2000, null)).toBe(60_000)
    expect(binWidthMs(1000, 2000, null)).toBe(1)
  })
})
