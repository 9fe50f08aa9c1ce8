import { alwaysEvery, type FundingStretch } from '#shared/funding/fundingPeriods.ts'
import { ratesDue } from '#shared/funding/ratesDue.ts'
import { describe, expect, it } from 'vitest'

const HOUR = 3_600_000
/** Periods between funding times that were observed, and 8 hours before them. */
const observed = (...hours: number[]): FundingStretch[] => [
  { ...alwaysEvery(8 * HOUR, 'announced')[0], endMs: hours[0] * HOUR },
  ...hours.slice(1).map((end, at): FundingStretch => {
    const [startMs, endMs] = [hours[at] * HOUR, end * HOUR]
    const everyMs = endMs - startMs
    return { startMs, endMs, everyMs, offsetMs: endMs % everyMs, ratePerMs: everyMs, basis: 'observed' }
  }),
]
const rates = (intervalHours: number, values: (number | null)[]) => ({
  intervalMs: intervalHours * HOUR,
  firstSlot: 0,
  values: Float64Array.from(values, (value) => value ?? 0),
  valid: Uint8Array.from(values, (value) => (value === null ? 0 : 1)),
})
const due = (intervalHours: number, bars: number, everyHours: number, series: ReturnType<typeof rates>) => {
  const grid = { intervalMs: intervalHours * HOUR, firstSlot: 0, timeCount: bars }
  const { values, valid } = ratesDue(grid, alwaysEvery(everyHours * HOUR, 'asked'), series)
  return Array.from(values, (value, bar) => (valid[bar] ? value : null))
}

describe('funding that falls due in a bar', () => {
  it('is 0 between funding times and the last rate since the time before at one, at periods of 1, 4 and 8 hours', () => {
    const hourly = rates(1, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(due(1, 12, 8, hourly)).toEqual([0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
    expect(due(1, 12, 4, hourly)).toEqual([0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 12])
    expect(due(1, 3, 1, hourly)).toEqual([1, 2, 3])
  })

  it('looks back to the funding time before and no further', () => {
    const sparse = rates(1, [1, 2, null, null, null, null, null, null, 9, null, null, null])
    expect(due(1, 12, 4, sparse)).toEqual([0, 0, 0, 2, 0, 0, 0, null, 0, 0, 0, 9])
  })

  it('is the sum of the rates of a longer bar, and missing where one of them is', () => {
    const hourly = rates(1, [1, 1, 1, 10, 1, 1, 1, 20, 1, 1, 1, 30, 1, 1, 1, 40, 1, 1, 1, 50, 1, 1, 1, 60])
    expect(due(24, 1, 8, hourly)).toEqual([20 + 40 + 60])
    expect(due(24, 1, 4, hourly)).toEqual([210])
    expect(due(12, 2, 8, hourly)).toEqual([20, 100])
    const without = { ...hourly, valid: hourly.valid.map((_, row) => (row >= 8 && row < 16 ? 0 : 1)) }
    expect(due(24, 1, 8, without)).toEqual([null])
    expect(due(12, 2, 8, without)).toEqual([20, null])
  })

  it('falls in the bar that ends at the funding time, and in the one that holds a time within', () => {
    const grid = { intervalMs: HOUR, firstSlot: 0, timeCount: 4 }
    const at = (hour: number) => [{ ...alwaysEvery(4 * HOUR, 'announced')[0], offsetMs: hour * HOUR }]
    expect([...ratesDue(grid, at(2.5), rates(1, [1, 2, 3, 4])).values]).toEqual([0, 0, 3, 0])
    expect([...ratesDue(grid, at(2), rates(1, [1, 2, 3, 4])).values]).toEqual([0, 2, 0, 0])
  })

  it('takes shorter rates only for bars that hold several funding times', () => {
    const grid = { intervalMs: 8 * HOUR, firstSlot: 0, timeCount: 4 }
    const times = observed(8, 16, 20, 24, 32)
    const own = rates(8, [1, 2, 3, 4])
    const shorter = rates(4, [null, null, 10, 20, 30, 40, null, 50])
    const { values, valid } = ratesDue(grid, times, own, shorter)
    expect([...values]).toEqual([1, 2, 70, 4])
    expect([...valid]).toEqual([1, 1, 1, 1])
    expect([...ratesDue(grid, times, own, rates(4, [])).valid]).toEqual([1, 1, 0, 1])
  })

  it('is missing in a bar that may hold a funding time nobody knows, and scaled to the period that the rate refers to', () => {
    const grid = { intervalMs: HOUR, firstSlot: 0, timeCount: 6 }
    const [always] = alwaysEvery(2 * HOUR, 'inferred')
    const known = [{ ...always, startMs: 1.5 * HOUR, endMs: 5 * HOUR, ratePerMs: 8 * HOUR }]
    const paid = ratesDue(grid, known, rates(1, [8, 8, 8, 8, 8, 8]))
    expect(Array.from(paid.values, (value, bar) => (paid.valid[bar] ? value : null))).toEqual([
      null,
      null,
      0,
      2,
      0,
      null,
    ])
    expect([[...paid.times], [...paid.assumedTimes]]).toEqual([
      [0, 0, 0, 1, 0, 0],
      [0, 0, 0, 1, 0, 0],
    ])
  })
})
