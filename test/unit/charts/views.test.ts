import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { legendValue, measurementOf, measuredRangeText, rowTimeAt } from '../../../renderer/charts/readout.ts'
import {
  clampNear,
  clampWithin,
  parseMoment,
  presetRange,
  presetsWithin,
  usualPresets,
  zoomRange,
  stepBack,
  stepForward,
  historyAt,
  addToHistory,
} from '../../../renderer/charts/useRange.ts'
import { seriesView } from '../../../renderer/charts/paneView.ts'
import { viewStatistics } from '../../../renderer/charts/statistics.ts'
import type { Transform } from '#shared/workspace/chartStyle.ts'
import { cellsOf, input } from '../formula/formulaInputs.ts'
import { seconds, secondsSeries } from './chartSeries.ts'

const cells = [10, 12, null, 9, 0]
const viewOf = (transform: Transform, all: (number | null)[] = cells) =>
  seriesView(secondsSeries(all, { transform }), seconds(0, 10), 800, 'linear')

describe('transforms', () => {
  it('count from the first value in view, in per cent', () => {
    expect([...viewOf('percentFromStart').points.values].map((value) => Math.round(value))).toEqual([
      0,
      20,
      NaN,
      -10,
      -100,
    ])
    expect(viewOf('percentFromStart').badges).toEqual(['% from start of view'])
  })

  it('rise where a series rises from a negative start', () => {
    expect([...viewOf('percentFromStart', [-10, -5]).points.values]).toEqual([0, 50])
  })

  it('give the values of the formula of the same name, whatever the sign of the start', () => {
    const names = { percentFromStart: 'percentfromstart', indexed: 'index100' } as const
    for (const [transform, name] of Object.entries(names) as [keyof typeof names, string][]) {
      for (const start of [-10, -0.3, 0, 7, 1e-300]) {
        const values = [start, -4, 0, 5, 1e9]
        const drawn = new Map<number, number>()
        const { points } = viewOf(transform, values)
        points.values.forEach((value, at) => drawn.set(points.times[at] / 1000, value))
        const computed = cellsOf(`${name}(a)`, { a: input(values, 1000) })
        computed.forEach((value, row) => {
          const seen = drawn.get(row) ?? null
          // A value that is too large for a number cannot be drawn.
          if (value === null || seen === null)
            expect(Number.isFinite(seen ?? NaN), `${name} ${start}`).toBe(value !== null)
          else expect(Math.abs(seen - value)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(value)))
        })
      }
    }
    expect(cellsOf('percentfromstart(a)', { a: input([-10, -5, -20]) })).toEqual([0, 50, -100])
    expect(cellsOf('index100(a)', { a: input([-10, -5]) })).toEqual([null, null])
  })

  it('say where they have no meaning', () => {
    const view = viewOf('percentFromStart', [0, 5])
    expect(view.badges).toEqual(['% from start of view', 'not defined here'])
    expect(view.points.times).toHaveLength(0)
    expect(viewOf('zscore', [3, 3, 3]).badges).toContain('not defined here')
  })

  it('standardize what is in view', () => {
    const { values } = viewOf('zscore', [1, 2, 3]).points
    expect([...values]).toEqual([-1, 0, 1])
  })

  it('differ from row to row, never over a missing one', () => {
    expect([...viewOf('difference').points.values]).toEqual([2, NaN, -9])
  })

  it('add up what is there', () => {
    expect([...viewOf('cumulative').points.values]).toEqual([10, 22, NaN, 31, 31])
  })
})

describe('the legend', () => {
  const legendAt = (second: number, transform: Transform = 'none') => legendValue(viewOf(transform), second * 1000)

  it('has the row at or before the cursor', () => {
    expect(legendAt(1.9)).toEqual({ rowMs: 1000, text: '12.00000' })
    expect(legendAt(-1)).toEqual({ rowMs: null, text: null })
  })

  it('says that a row is missing, never its neighbour', () => {
    expect(legendAt(2.4)).toEqual({ rowMs: 2000, text: null })
  })

  it('does not carry the last row on beyond its interval', () => {
    expect(legendAt(9).rowMs).toBeNull()
  })

  it('reads the row at the cursor of a series whose drawn points are of other instants', () => {
    // The drawn points are the first, lowest, highest and last of many rows; the row at 5 s is not among them.
    const drawn = seriesView(secondsSeries([10, 30], { isReduced: true, stepMs: null }), seconds(0, 10), 800, 'linear')
    expect(legendValue(drawn, 5000)).toEqual({ rowMs: 1000, text: '30.00000', isNear: true })
    const around = (cells: (number | null)[]) => {
      const { times, values, valid } = secondsSeries(cells)
      return { timeMs: 5000, rows: new Map([['a', { times, values, valid, stepMs: 1000 }]]) }
    }
    expect(legendValue(drawn, 5000, around([1, 2, 3, 4, 5, 12]))).toEqual({ rowMs: 5000, text: '12.00000' })
    expect(legendValue(drawn, 5000, around([1, 2, 3, 4, 5, null]))).toEqual({ rowMs: 5000, text: null })
    expect(legendValue(drawn, 5000, around([1, 2])).rowMs).toBeNull()
    expect(legendValue(drawn, 6000, around([1, 2, 3, 4, 5, 12])).isNear).toBe(true)
    expect(rowTimeAt([drawn.series], 5000, around([1, 2, 3, 4, 5, 12]))).toBe(5000)
  })

  it('says what a number without a unit is where it would be misread', () => {
    const textOf = (more: Parameters<typeof secondsSeries>[1]) =>
      legendValue(seriesView(secondsSeries([0.0001], { unit: 'none', ...more }), seconds(0, 1), 800, 'linear'), 0).text
    expect(textOf({ kind: 'rate' })).toBe('0.0001000 fraction per funding period')
    expect(textOf({ kind: 'fraction' })).toBe('0.000100 fraction')
    expect(textOf({ kind: 'ratio' })).toBe('0.00010000')
    expect(textOf({ kind: 'rate', transform: 'indexed' })).toMatch(/ index$/)
  })

  it('speaks in the unit of the transform', () => {
    expect(legendAt(1, 'percentFromStart').text).toBe('20.000 %')
  })
})

describe('measured ranges', () => {
  it('compare their ends', () => {
    expect(measurementOf(viewOf('none'), seconds(0, 1))).toEqual({ durationMs: 1000, change: 2, changePercent: 20 })
    expect(measuredRangeText(viewOf('none'), seconds(0, 1), seconds(0, 2))).toBe('+2.000000 · +20.00 % · 1.0 s')
    expect(measurementOf(viewOf('none'), seconds(0, 2)).change).toBeNull()
    expect(measuredRangeText(viewOf('none'), seconds(0, 2), seconds(0, 2))).toBe('no value at one end · 2.0 s')
    const far = { startMs: -1e6, endMs: 1000 }
    expect(measuredRangeText(viewOf('none'), far, seconds(0, 2))).toMatch(/^one end is out of view · /)
  })

  it('do not depend on the zoom once the rows at their ends are read', () => {
    const rows = (...all: (number | null)[]) => ({ ...secondsSeries(all), stepMs: 1000 })
    const ends = { start: rows(10, 12), end: rows(10, 12, null, 9) }
    const near = seriesView(secondsSeries([10, 14], { isReduced: true }), seconds(0, 10), 800, 'linear')
    const range = { startMs: 1000, endMs: 3000 }
    expect(measuredRangeText(near, seconds(0, 1), seconds(0, 2))).toBe('≈ +4.000000 · +40.00 % · 1.0 s')
    for (const view of [near, viewOf('none')])
      for (const inView of [seconds(0, 10), seconds(0, 1)])
        expect(measuredRangeText(view, { ...range, ends }, inView)).toBe('−3.000000 · −25.00 % · 2.0 s · 2 bars')
    expect(measurementOf(near, { ...range, ends: { ...ends, end: rows(10) } }).change).toBeNull()
  })
})

describe('ranges', () => {
  const time = fc.double({ min: 0, max: 1e12, noNaN: true })

  it('keep the time under the cursor while zooming', () => {
    fc.assert(
      fc.property(
        time,
        fc.double({ min: 1, max: 1e12, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (start, length, share) => {
          const range = { startMs: start, endMs: start + length }
          const centreMs = start + length * share
          const next = zoomRange(range, centreMs, 0.5)
          const shareAfter = (centreMs - next.startMs) / (next.endMs - next.startMs)
          expect(Math.abs(shareAfter - (centreMs - range.startMs) / (range.endMs - range.startMs))).toBeLessThan(1e-3)
        },
      ),
    )
  })

  it('keep some data in view', () => {
    expect(clampNear({ startMs: 500, endMs: 510 }, { startMs: 0, endMs: 100 })).toEqual({ startMs: 99, endMs: 109 })
    expect(clampNear({ startMs: -500, endMs: -490 }, { startMs: 0, endMs: 100 })).toEqual({ startMs: -9, endMs: 1 })
    expect(clampNear({ startMs: 5, endMs: 10 }, { startMs: 0, endMs: 100 })).toEqual({ startMs: 5, endMs: 10 })
  })

  it('of a page stay within the data, and are all of them where they would be more', () => {
    const extent = seconds(0, 100)
    expect(clampWithin(seconds(90, 120), extent)).toEqual(seconds(70, 100))
    expect(clampWithin(seconds(-30, 10), extent)).toEqual(seconds(0, 40))
    expect(clampWithin(seconds(20, 30), extent)).toEqual(seconds(20, 30))
    expect(clampWithin(seconds(-5, 99), extent)).toBeNull()
  })

  it('are offered where they are shorter than the data and hold more than a few rows', () => {
    const day = 86_400_000
    const sixYears = { startMs: Date.UTC(2020, 0), endMs: Date.UTC(2026, 5, 30) }
    const nowMs = Date.UTC(2026, 6, 1)
    expect(presetsWithin(sixYears, day, nowMs)).toEqual(['1m', '3m', '6m', 'YTD', '1y', '3y', '5y', 'all'])
    const past = { startMs: Date.UTC(2020, 0), endMs: Date.UTC(2025, 5, 30) }
    expect(presetsWithin(past, day, nowMs)).toEqual(['1m', '3m', '6m', '1y', '3y', '5y', 'all'])
    expect([usualPresets(sixYears, nowMs), usualPresets(past, nowMs)].map((all) => all.includes('YTD'))).toEqual([
      true,
      false,
    ])
    const oneDay = { startMs: Date.UTC(2026, 5, 1), endMs: Date.UTC(2026, 5, 2) }
    expect(presetsWithin(oneDay, null, nowMs)).toEqual(['1 min', '15 min', '1 h', '6 h', 'all'])
    expect(presetsWithin(oneDay, 300_000, nowMs)).toEqual(['6 h', 'all'])
    expect(presetsWithin(seconds(0, 5), null, nowMs)).toEqual(['all'])
  })

  it('are counted back from the end of the data', () => {
    const extent = { startMs: Date.UTC(2025, 0), endMs: Date.UTC(2026, 2, 31) }
    expect(presetRange('1m', extent).startMs).toBe(Date.UTC(2026, 1, 28))
    expect(presetRange('YTD', extent).startMs).toBe(Date.UTC(2026, 0))
    expect(presetRange('1y', extent).startMs).toBe(Date.UTC(2025, 2, 31))
    expect(presetRange('all', extent)).toEqual(extent)
  })

  it.each([
    ['2026-08', Date.UTC(2026, 7, 1)],
    ['2026-08-02', Date.UTC(2026, 7, 2)],
    [' 2026-08-02 12:30 ', Date.UTC(2026, 7, 2, 12, 30)],
    ['2026-08-02T12:30:05Z', Date.UTC(2026, 7, 2, 12, 30, 5)],
    ['2026-02-31', null],
    ['2026-13', null],
    ['tomorrow', null],
  ])('find the moment %s', (text, timeMs) => {
    expect(parseMoment(text, 'utc')).toBe(timeMs)
  })
})

describe('the views that were looked at', () => {
  const a = seconds(0, 1)
  const b = seconds(1, 2)
  const c = seconds(2, 3)

  it('go back and forward', () => {
    const there = addToHistory(addToHistory(historyAt(null), a), b)
    expect(stepBack(there)!.current).toEqual(a)
    expect(stepForward(stepBack(there)!)!.current).toEqual(b)
    expect(stepBack(historyAt(null))).toBeNull()
    expect(stepForward(there)).toBeNull()
  })

  it('count one turning of the wheel as one', () => {
    const wheeled = addToHistory(addToHistory(addToHistory(historyAt(null), a), b, true), c, true)
    expect(stepBack(wheeled)!.current).toBeNull()
  })

  it('forget what was ahead after a new one', () => {
    const back = stepBack(addToHistory(addToHistory(historyAt(null), a), b))!
    expect(addToHistory(back, c).forward).toEqual([])
  })
})

describe('statistics of the view', () => {
  it('are those of the rows in view', () => {
    const stats = viewStatistics(secondsSeries([99, 1, 2, null, 3, 5, 99]), seconds(1, 6), 1000)
    expect(stats).toMatchObject({ rows: 5, missing: 1, min: 1, max: 5, mean: 2.75 })
    expect(stats.deviation).toBeCloseTo(1.7078251, 6)
    expect(stats.quantiles[2]).toBe(2.5)
    // Two pairs always lie on a line, so their correlation is 1, as in the statistics of the side panel.
    expect(stats.autocorrelation).toBe(1)
  })

  it('have a lag-1 autocorrelation', () => {
    const autocorrelationOf = (values: number[]) =>
      viewStatistics(secondsSeries(values), seconds(0, 5), 1000).autocorrelation
    expect(autocorrelationOf([1, 2, 3, 4, 5])).toBeCloseTo(1, 12)
    expect(autocorrelationOf([1, -1, 1, -1, 1])).toBeCloseTo(-1, 12)
  })

  it('pair no values over a gap in time, and events by their order', () => {
    const values = [1, 2, 1, 2, 50, 51, 50, 51]
    const rows = secondsSeries(values)
    const apart = { ...rows, times: rows.times.map((time, row) => time + (row < 4 ? 0 : 60_000)) }
    const lag = (stepMs: number | null) => viewStatistics(apart, seconds(0, 600), stepMs).autocorrelation
    const expected = correlationOfPairs([1, 2, 1, 50, 51, 50], [2, 1, 2, 51, 50, 51])
    expect(lag(1000)).toBeCloseTo(expected, 12)
    expect(lag(null)).toBeCloseTo(correlationOfPairs(values.slice(0, -1), values.slice(1)), 12)
    expect(lag(null)).not.toBeCloseTo(expected, 3)
  })

  it('have an autocorrelation for a column whose rows stand between those of a shorter interval', () => {
    const joined = secondsSeries([1, null, 2, null, 4, null, 3, null])
    expect(viewStatistics(joined, seconds(0, 8), 2000).autocorrelation).toBeCloseTo(
      correlationOfPairs([1, 2, 4], [2, 4, 3]),
      12,
    )
  })

  it('say nothing of nothing', () => {
    const stats = viewStatistics(secondsSeries([null]), seconds(0, 5), 1000)
    expect(stats).toMatchObject({ rows: 1, missing: 1, min: null, mean: null, deviation: null })
  })
})

/** Computes Pearson's correlation by its textbook formula. */
function correlationOfPairs(x: number[], y: number[]): number {
  const mean = (all: number[]) => all.reduce((sum, value) => sum + value, 0) / all.length
  const sums = (a: number[], b: number[]) =>
    a.reduce((sum, value, at) => sum + (value - mean(a)) * (b[at] - mean(b)), 0)
  return sums(x, y) / Math.sqrt(sums(x, x) * sums(y, y))
}
