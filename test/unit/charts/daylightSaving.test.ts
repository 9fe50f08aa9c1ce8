import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatTime } from '#shared/units/instants.ts'
import { timeTicks } from '../../../renderer/charts/axes.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * Days on which clocks changed (by an hour, by half an hour, at midnight or by a whole day), and days in zones whose
 * clocks never change.
 */
const days: [zone: string, day: string][] = [
  ['Europe/Paris', '2024-03-31'],
  ['Europe/Paris', '2024-10-27'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['America/Santiago', '2024-09-08'],
  ['America/Santiago', '2024-04-07'],
  ['America/Havana', '2024-11-03'],
  ['Africa/Cairo', '2024-04-26'],
  ['Asia/Beirut', '2024-03-31'],
  ['Australia/Lord_Howe', '2024-10-06'],
  ['Australia/Lord_Howe', '2024-04-07'],
  ['Pacific/Apia', '2011-12-30'],
  ['Asia/Kathmandu', '2024-03-31'],
  ['Asia/Tokyo', '2024-03-31'],
]
const zooms: [title: string, lengthMs: number, most: number][] = [
  ['minutes', 2 * HOUR, 12],
  ['a quarter of a day', 6 * HOUR, 12],
  ['a day', DAY, 12],
  ['a day, coarsely', DAY, 4],
  ['days', 5 * DAY, 10],
  ['a month', 30 * DAY, 31],
  ['two months', 60 * DAY, 9],
  ['a year', 365 * DAY, 12],
]

const zoneBefore = process.env.TZ
beforeAll(() => void (process.env.TZ = 'UTC'))
afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ
  else process.env.TZ = zoneBefore
})

const wallClock = (timeMs: number) => formatTime(timeMs, 'local', 'minute')

describe('local ticks', () => {
  it.each(days.flatMap(([zone, day]) => zooms.map((zoom) => [zone, day, ...zoom] as const)))(
    'in %s around %s, %s in view, stand where the clock says so',
    (zone, day, _, lengthMs, most) => {
      process.env.TZ = zone
      for (const middle of [-8, -1, 0.25, 6, 14]) {
        const startMs = Date.parse(`${day}T00:00Z`) + middle * HOUR - lengthMs / 2
        const ticks = timeTicks({ startMs, endMs: startMs + lengthMs }, 'local', most)
        expect(ticks.length).toBeGreaterThan(1)
        expect(new Set(ticks.map(({ timeMs }) => timeMs)).size).toBe(ticks.length)
        expect(ticks.map(({ timeMs }) => timeMs)).toEqual(ticks.map(({ timeMs }) => timeMs).sort((a, b) => a - b))
        let date = ''
        for (const { timeMs, text, below } of ticks) {
          const [clockDay, clockTime] = wallClock(timeMs).split(' ')
          if (/^\d\d:\d\d$/.test(text)) {
            expect(text).toBe(clockTime)
            date = /^\d{4}-/.test(below) ? below.slice(0, 10) : date
            expect(date).toBe(clockDay)
          } else {
            // A day begins at the first instant whose clock shows it.
            expect(clockDay.includes(text)).toBe(true)
            expect(wallClock(timeMs - 1).slice(0, 10)).not.toBe(clockDay)
          }
        }
      }
    },
  )

  it('show each hour of a day that has 23 or 25, and say when the clock was set', () => {
    const hours = (zone: string, day: string) => {
      process.env.TZ = zone
      const startMs = Date.parse(`${day}T00:00`)
      return timeTicks({ startMs, endMs: startMs + 4 * HOUR }, 'local', 5).map(({ text, below }) => `${text} ${below}`)
    }
    expect(hours('Europe/Paris', '2024-03-31')).toEqual([
      '00:00 2024-03-31',
      '01:00 ',
      '03:00 UTC+02:00',
      '04:00 ',
      '05:00 ',
    ])
    expect(hours('Europe/Paris', '2024-10-27')).toEqual([
      '00:00 2024-10-27',
      '01:00 ',
      '02:00 ',
      '02:00 UTC+01:00',
      '03:00 ',
    ])
    expect(hours('America/Santiago', '2024-09-08')).toEqual([
      '01:00 2024-09-08',
      '02:00 ',
      '03:00 ',
      '04:00 ',
      '05:00 ',
    ])
  })

  it('name a day whose midnight does not exist, and leave out one that never was', () => {
    const names = (zone: string, from: string) => {
      process.env.TZ = zone
      const startMs = Date.parse(`${from}T12:00`)
      return timeTicks({ startMs, endMs: startMs + 4 * DAY }, 'local', 5).map(({ text }) => text)
    }
    expect(names('America/Santiago', '2024-09-06')).toEqual(['09-07', '09-08', '09-09', '09-10'])
    expect(names('Pacific/Apia', '2011-12-28')).toEqual(['12-29', '12-31', '01-01', '01-02'])
  })
})
