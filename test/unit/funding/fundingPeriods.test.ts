import { describe, expect, test } from 'vitest'
import {
  coveredBars,
  fundingTimes,
  type FundingStretch,
  minutesToFunding,
  periodAt,
} from '../../../shared/funding/fundingPeriods.ts'
import { inferredFunding, joinedChanges, rateChanges } from '../../../shared/funding/inferredFunding.ts'
import { changedAnnouncements, observedFunding } from '../../../shared/funding/observedFunding.ts'
import { type AnnouncedFunding, resolveFunding } from '../../../shared/funding/resolveFunding.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../../shared/time.ts'

const DAY = Date.UTC(2026, 7, 1)
const hour = (hours: number) => DAY + hours * MS_PER_HOUR
const days = (from: number, to: number) => [{ start: DAY / MS_PER_DAY + from, end: DAY / MS_PER_DAY + to }]

/** Raw events that announce each funding time from the one before on. */
const announcing = (...hours: number[]) => ({
  publishedMs: hours.map((_, at) => (at === 0 ? hour(hours[0] - 1) : hour(hours[at - 1]))),
  nextMs: hours.map(hour),
})

const announced = (fields: Partial<AnnouncedFunding>): AnnouncedFunding => ({
  fromMs: -Infinity,
  everyMs: 8 * MS_PER_HOUR,
  offsetMs: 0,
  ratePerMs: null,
  ...fields,
})

const nothing = { observed: [], announced: [], inferred: [], askedMs: null }

const hoursOf = (periods: readonly FundingStretch[], from: number, to: number) =>
  fundingTimes(periods, { startMs: hour(from), endMs: hour(to) }).map(({ timeMs }) => (timeMs - DAY) / MS_PER_HOUR)

const inHours = (periods: readonly FundingStretch[]) =>
  periods.map(({ startMs, endMs, everyMs, basis }) => [
    (startMs - DAY) / MS_PER_HOUR,
    (endMs - DAY) / MS_PER_HOUR,
    everyMs / MS_PER_HOUR,
    basis,
  ])

describe('observed periods', () => {
  test('lie between funding times that follow each other, whatever the steps', () => {
    const periods = observedFunding(announcing(8, 16, 20, 24), days(0, 1))
    expect(inHours(periods)).toEqual([
      [8, 16, 8, 'observed'],
      [16, 24, 4, 'observed'],
    ])
    expect(hoursOf(periods, 0, 48)).toEqual([16, 20, 24])
  })

  test('end with the days of their files, and are unknown across more than a day', () => {
    expect(inHours(observedFunding(announcing(8, 16, 28), days(0, 1)))).toEqual([
      [8, 16, 8, 'observed'],
      [16, 24, 12, 'observed'],
    ])
    expect(observedFunding(announcing(8, 33), days(0, 2))).toEqual([])
  })

  test('leave out a time that was replaced before it was due, and events without one', () => {
    const announcements = {
      publishedMs: [hour(0), hour(1), hour(8), hour(9), hour(12)],
      nextMs: [hour(8), NaN, hour(16), hour(12), hour(24)],
    }
    const changes = changedAnnouncements(announcements)
    expect(changes.nextMs).toEqual([hour(8), hour(16), hour(12), hour(24)])
    expect(hoursOf(observedFunding(changes, days(0, 1)), 0, 24)).toEqual([12, 24])
  })
})

describe('inferred periods', () => {
  const bars = (intervalMs: number, rateAt: (timeMs: number) => number) => {
    const times = Array.from({ length: (31 * MS_PER_DAY) / intervalMs }, (_, at) => DAY + at * intervalMs)
    return rateChanges(intervalMs, times, times.map(rateAt))
  }
  const monthOf = (changes: ReturnType<typeof bars>) =>
    inferredFunding([{ startMs: DAY, endMs: DAY + 31 * MS_PER_DAY, changes }]).map(
      ({ everyMs }) => everyMs / MS_PER_HOUR,
    )

  test.each([1, 2, 4, 8, 24])('are the %i hours at which the rate changes', (hours) => {
    const changes = bars(MS_PER_MINUTE * 15, (timeMs) => Math.floor(timeMs / (hours * MS_PER_HOUR)))
    expect(monthOf(changes)).toEqual([hours])
  })

  test('are not told by a running rate, by too few changes, or by bars as long as the period', () => {
    expect(monthOf(bars(MS_PER_MINUTE * 15, (timeMs) => timeMs))).toEqual([])
    expect(monthOf(bars(MS_PER_HOUR, (timeMs) => Math.floor(timeMs / (48 * MS_PER_HOUR))))).toEqual([])
    expect(monthOf(bars(MS_PER_HOUR, (timeMs) => timeMs))).toEqual([])
  })

  test('are the same from daily parts, and ignore bars beside a gap', () => {
    const whole = bars(MS_PER_HOUR, (timeMs) => Math.floor(timeMs / (8 * MS_PER_HOUR)))
    const parts = Array.from({ length: 31 }, (_, day) => {
      const times = Array.from({ length: 24 }, (_none, at) => DAY + day * MS_PER_DAY + at * MS_PER_HOUR)
      return rateChanges(
        MS_PER_HOUR,
        times,
        times.map((timeMs) => Math.floor(timeMs / (8 * MS_PER_HOUR))),
      )
    })
    expect(parts.reduce(joinedChanges)).toEqual(whole)
    const times = [hour(0), hour(1), hour(2), hour(3)]
    expect(rateChanges(MS_PER_HOUR, times, [1, NaN, 2, 2]).count).toBe(0)
  })
})

describe('the sources of a period', () => {
  const observed = observedFunding(announcing(8, 9, 10, 11), days(0, 1))

  test('count in their order', () => {
    const inferred = inferredFunding([
      {
        startMs: hour(-24),
        endMs: hour(48),
        changes: { intervalMs: MS_PER_HOUR, count: 20, longestMs: 4 * MS_PER_HOUR, first: null, last: null },
      },
    ])
    const { periods } = resolveFunding({
      observed,
      announced: [
        announced({ fromMs: hour(6), everyMs: 2 * MS_PER_HOUR }),
        announced({ fromMs: hour(20), everyMs: null }),
      ],
      inferred,
      askedMs: 8 * MS_PER_HOUR,
    })
    expect(inHours(periods)).toEqual([
      [-Infinity, -24, 8, 'asked'],
      [-24, 6, 4, 'inferred'],
      [6, 8, 2, 'announced'],
      [8, 11, 1, 'observed'],
      [11, 20, 2, 'announced'],
      [20, 48, 4, 'inferred'],
      [48, Infinity, 8, 'asked'],
    ])
    expect(periodAt(periods, hour(11))?.basis).toBe('announced')
    expect(periodAt(periods, hour(11) - 1)?.basis).toBe('observed')
  })

  test('leave a time unknown that none covers', () => {
    const { periods } = resolveFunding({ ...nothing, observed })
    expect([hour(7), hour(8), hour(11)].map((timeMs) => periodAt(periods, timeMs)?.basis ?? null)).toEqual([
      null,
      'observed',
      null,
    ])
    expect(minutesToFunding(periods, hour(7))).toBeNull()
    expect([
      ...coveredBars(periods, { intervalMs: MS_PER_HOUR, firstSlot: hour(6) / MS_PER_HOUR, timeCount: 7 }),
    ]).toEqual([0, 0, 1, 1, 1, 0, 0])
  })

  test('the first time that was observed is due where something else covers the time before it', () => {
    const weaker = resolveFunding({
      ...nothing,
      observed,
      announced: [announced({ everyMs: 3 * MS_PER_HOUR, fromMs: hour(4) })],
    })
    expect(hoursOf(weaker.periods, 4, 11)).toEqual([6, 8, 9, 10, 11])
    expect(hoursOf(resolveFunding({ ...nothing, observed }).periods, 4, 11)).toEqual([9, 10, 11])
  })

  test('a dated change is the sum of its halves; the time of the change belongs to the period before', () => {
    const dated = [announced({}), announced({ fromMs: hour(8), everyMs: MS_PER_HOUR, offsetMs: MS_PER_MINUTE * 30 })]
    const { periods } = resolveFunding({ ...nothing, announced: dated })
    expect(hoursOf(periods, 0, 11)).toEqual([8, 8.5, 9.5, 10.5])
    const times = fundingTimes(periods, { startMs: hour(0), endMs: hour(11) })
    expect(times.map(({ sinceMs }) => (sinceMs - DAY) / MS_PER_HOUR)).toEqual([0, 8, 8.5, 9.5])
  })

  test('a rate may refer to another period than the one at which it is paid', () => {
    const { periods } = resolveFunding({
      ...nothing,
      observed,
      announced: [announced({ everyMs: null, ratePerMs: 8 * MS_PER_HOUR })],
    })
    expect(periods.map(({ everyMs, ratePerMs }) => [everyMs, ratePerMs].map((ms) => ms / MS_PER_HOUR))).toEqual([
      [1, 8],
    ])
  })

  test('a contradiction of observed and announced periods is told with its range', () => {
    const { conflicts } = resolveFunding({ ...nothing, observed, announced: [announced({})] })
    expect(conflicts).toEqual([
      { startMs: hour(8), endMs: hour(11), observedMs: MS_PER_HOUR, announcedMs: 8 * MS_PER_HOUR },
    ])
    expect(
      resolveFunding({ ...nothing, observed, announced: [announced({ everyMs: MS_PER_HOUR })] }).conflicts,
    ).toEqual([])
  })
})

test('the minutes to the next funding time go by the period at the time', () => {
  const { periods } = resolveFunding({ ...nothing, askedMs: 4 * MS_PER_HOUR })
  expect([hour(0), hour(1), hour(3.5) + 1].map((timeMs) => minutesToFunding(periods, timeMs))).toEqual([0, 180, 29])
})
