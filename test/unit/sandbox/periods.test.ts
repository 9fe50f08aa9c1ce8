import { expect, test } from 'vitest'
import { dayFromNumber } from '#shared/time/periods.ts'
import {
  periodCoverage,
  coveredDays,
  metricsUntilMs,
  periodsBetween,
  rawUntilMs,
} from '../../../electron/sandbox/files/periods.ts'
import { documentedVenues as venues } from '../../../electron/sandbox/market/venues.ts'
import { instrumentsOf } from '../../../electron/sandbox/market/instruments.ts'

const untilMs = Date.parse('2026-09-15T00:00:00Z')
const everything = venues.flatMap((venue) => instrumentsOf(1, venue))

test('coverage counts exactly the days that are listed', () => {
  for (const instrument of everything) {
    const days = coveredDays(instrument, { start: 0, end: 40_000 }, untilMs).map(dayFromNumber)
    const coverage = periodCoverage(instrument, untilMs)
    if (days.length === 0) expect(coverage).toBeNull()
    else expect(coverage).toEqual({ first: days[0], last: days[days.length - 1], days: days.length })
  }
})

test('holes make the days fewer than the span, for some instruments', () => {
  const holed = everything.filter((instrument) => {
    const coverage = periodCoverage(instrument, untilMs)
    return coverage && coverage.days < (Date.parse(coverage.last) - Date.parse(coverage.first)) / 86_400_000 + 1
  })
  expect(holed.length).toBeGreaterThan(10)
})

test('periods are months up to July 2026 and days from August on', () => {
  const periods = periodsBetween('2026-06-20', '2026-08-02')
  expect(periods).toEqual(['2026-06', '2026-07', '2026-08-01', '2026-08-02'])
})

test('with both kinds, a month of days comes with its monthly file', () => {
  const periods = periodsBetween('2026-07-31', '2026-08-02', true)
  expect(periods.sort()).toEqual(['2026-07', '2026-08', '2026-08-01', '2026-08-02'])
})

test('metrics reach up to the last whole minute, raw files to the last day published', () => {
  expect(metricsUntilMs(Date.parse('2026-09-15T12:34:56.789Z'))).toBe(Date.parse('2026-09-15T12:34:00Z'))
  expect(rawUntilMs(Date.parse('2026-09-15T00:09:59Z'))).toBe(Date.parse('2026-09-14T00:00:00Z'))
  expect(rawUntilMs(Date.parse('2026-09-15T00:10:00Z'))).toBe(Date.parse('2026-09-15T00:00:00Z'))
})
