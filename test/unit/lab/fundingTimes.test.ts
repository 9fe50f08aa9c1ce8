import { announcedTimes, combineTimes, periodicTimes, ratesDue } from '#shared/lab/portfolio/fundingTimes.ts'
import { describe, expect, it } from 'vitest'

const HOUR = 3_600_000
const hours = (...values: number[]) => Float64Array.from(values, (value) => value * HOUR)
const rates = (intervalHours: number, values: (number | null)[]) => ({
  intervalMs: intervalHours * HOUR,
  firstSlot: 0,
  values: Float64Array.from(values, (value) => value ?? 0),
  valid: Uint8Array.from(values, (value) => (value === null ? 0 : 1)),
})
const due = (intervalHours: number, bars: number, everyHours: number, series: ReturnType<typeof rates>) => {
  const grid = { intervalMs: intervalHours * HOUR, firstSlot: 0, timeCount: bars }
  const { values, valid } = ratesDue(
    grid,
    periodicTimes(-everyHours * HOUR, bars * grid.intervalMs, everyHours * HOUR),
    series,
  )
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
    const half = Float64Array.of(2.5 * HOUR)
    const grid = { intervalMs: HOUR, firstSlot: 0, timeCount: 4 }
    expect([...ratesDue(grid, half, rates(1, [1, 2, 3, 4])).values]).toEqual([0, 0, 3, 0])
    expect([...ratesDue(grid, hours(2), rates(1, [1, 2, 3, 4])).values]).toEqual([0, 2, 0, 0])
  })

  it('takes shorter rates only for bars that hold several funding times', () => {
    const grid = { intervalMs: 8 * HOUR, firstSlot: 0, timeCount: 4 }
    const times = hours(8, 16, 20, 24, 32)
    const own = rates(8, [1, 2, 3, 4])
    const shorter = rates(4, [null, null, 10, 20, 30, 40, null, 50])
    const { values, valid } = ratesDue(grid, times, own, shorter)
    expect([...values]).toEqual([1, 2, 70, 4])
    expect([...valid]).toEqual([1, 1, 1, 1])
    expect([...ratesDue(grid, times, own, rates(4, [])).valid]).toEqual([1, 1, 0, 1])
  })
})

describe('announced funding times', () => {
  it('are those that were reached before another was announced', () => {
    const events = { publishedMs: hours(0, 1, 6, 8, 9), nextMs: hours(8, 8, 7, 16, 12) }
    expect([...announcedTimes(events).times]).toEqual([...hours(7, 12)])
  })

  it('came to pass where the next one was announced seconds early', () => {
    const early = 3 / 3600
    const events = { publishedMs: hours(0, 8 - early, 15.9), nextMs: hours(8, 16, 20) }
    expect([...announcedTimes(events).times]).toEqual([...hours(8, 20)])
  })

  it('stand for the days whose announcements are here, and the period for all others', () => {
    const events = { publishedMs: hours(24, 28, 32, 48), nextMs: hours(28, 32, 48, 52) }
    const files = [{ startMs: 24 * HOUR, endMs: 48 * HOUR }]
    const times = combineTimes(announcedTimes(events), files, hours(8, 16, 24, 32, 40, 48, 56))
    expect([...times]).toEqual([...hours(8, 16, 24, 28, 32, 48, 56)])
  })

  it('leave an outage of a day that has a file to the period', () => {
    const events = { publishedMs: hours(1, 2, 17, 18), nextMs: hours(8, 8, 20, 20) }
    const announced = announcedTimes(events)
    expect(announced.known).toEqual([
      { startMs: HOUR, endMs: 8 * HOUR },
      { startMs: 17 * HOUR, endMs: 20 * HOUR },
    ])
    const times = combineTimes(announced, [{ startMs: 0, endMs: 24 * HOUR }], hours(0, 4, 8, 12, 16, 20, 24))
    expect([...times]).toEqual([...hours(0, 8, 12, 16, 20, 24)])
  })

  it('skip rows that announce none', () => {
    const events = { publishedMs: hours(0, 1, 5), nextMs: Float64Array.of(4 * HOUR, NaN, 8 * HOUR) }
    expect([...announcedTimes(events).times]).toEqual([...hours(4, 8)])
  })
})
