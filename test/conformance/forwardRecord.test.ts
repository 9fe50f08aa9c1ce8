import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { calibrate, type CalibrationTest } from '#shared/lab/forward/calibration.ts'
import { createBets } from '#shared/lab/forward/evidence.ts'
import { type DayArrival, newForwardDays } from '#shared/lab/forward/forwardDays.ts'
import { type ForwardScore, forwardScore, type ScoredDay } from '#shared/lab/forward/forwardScore.ts'
import type { KillCriterion } from '#shared/lab/forward/killCriterion.ts'
import { addTrial, noTrials } from '#shared/lab/portfolio/sharpeStatistics.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { describe, expect, it } from 'vitest'
import { testDifferences } from './comparePortfolioTests.ts'

const data = join(import.meta.dirname, 'data', 'forward-record')
const readJson = (...path: string[]): unknown => JSON.parse(readFileSync(join(data, ...path), 'utf8'))
const idsWith = (letter: string) =>
  readdirSync(join(data, 'cases')).flatMap((name) => (name.startsWith(letter) ? [name.replace('.json', '')] : []))

interface ForwardCase {
  about: string
  run: {
    recordedAt: string
    dataTo: string
    riskFree: number
    seenTo?: string
    sealedFrom?: string
    mergedAt?: string
    trials?: (number | null)[]
  }
  registration: { recordedAt: string; expect: string; kill: KillCriterion | null } | null
  days: {
    first: string
    net: (number | null)[]
    fetchedAt: ((string | null)[] | null)[]
    later?: Record<string, { at: string; net?: number }[]>
  }
  missing?: string[]
  scorings?: string[]
  now: string
  samples?: { day: string; exitDay: string; ic: number | null }[]
}

const dayOrNull = (day: string | undefined) => (day === undefined ? null : dayNumberOf(day))

/** The files of a case's days as they were at a time, with the returns that were computed from them. */
function filesAt({ days, missing = [], now }: ForwardCase, time: string) {
  const first = dayNumberOf(days.first)
  const timeMs = Date.parse(time)
  const isHere = (fetchedAt: string) => time === now || Date.parse(fetchedAt) <= timeMs
  const versionsOf = (day: number) =>
    Object.entries(days.later ?? {}).flatMap(([name, versions]) =>
      dayNumberOf(name) === day ? versions.filter(({ at }) => isHere(at)) : [],
    )
  const missingDays = missing.map(dayNumberOf)
  return {
    arrivalOf(day: number): DayArrival | undefined {
      const files = days.fetchedAt[day - first] ?? [null]
      const here = files.filter((file) => file !== null && isHere(file)).map((file) => Date.parse(file ?? ''))
      const isWhole = here.length === files.length || missingDays.includes(day)
      if (here.length === 0) return { arrivedMs: null, readMs: null, isWhole }
      const versions = versionsOf(day)
      const readMs = versions.length > 0 ? Date.parse(versions.at(-1)?.at ?? '') : Math.min(...here)
      return { arrivedMs: Math.min(...here), readMs, isWhole }
    },
    netOf: (day: number) => versionsOf(day).findLast(({ net }) => net !== undefined)?.net ?? days.net[day - first],
    contentOf: (day: number) => versionsOf(day).filter(({ net }) => net !== undefined).length,
  }
}

function scoreOf(one: ForwardCase): ForwardScore {
  const { run, registration, days, samples, scorings = [], now } = one
  const first = dayNumberOf(days.first)
  const isRegistered = registration !== null && Date.parse(registration.recordedAt) < Date.parse(run.recordedAt)
  const recordedDays = dayNumberOf(run.dataTo) - first + 1
  const scored: (ScoredDay & { content: number })[] = []
  for (const time of [...scorings, now]) {
    const files = filesAt(one, time)
    const times = {
      recordedAtMs: Date.parse(run.recordedAt),
      mergedAtMs: run.mergedAt === undefined ? null : Date.parse(run.mergedAt),
      dataTo: dayNumberOf(run.dataTo),
      seenTo: dayOrNull(run.seenTo),
      sealedFrom: dayOrNull(run.sealedFrom),
    }
    for (const day of newForwardDays(times, files.arrivalOf, scored.at(-1)?.day ?? null, Date.parse(time))) {
      const net = files.netOf(day)
      const isScored = (name: string) =>
        dayNumberOf(name) === day || scored.some((each) => each.day === dayNumberOf(name))
      const ended = (samples ?? []).filter((sample) => dayNumberOf(sample.exitDay) === day && isScored(sample.day))
      if (samples) scored.push({ day, net: null, ics: ended.flatMap(({ ic }) => ic ?? []), content: 0 })
      else if (net !== null) scored.push({ day, net, ics: [], content: files.contentOf(day) })
    }
  }
  const { contentOf } = filesAt(one, now)
  return forwardScore(
    {
      riskFree: run.riskFree,
      recorded: samples ? null : Float64Array.from(days.net.slice(0, recordedDays), Number),
      earlierTrials: (run.trials ?? []).reduce(addTrial, noTrials),
      isTrial: true,
      registration: isRegistered ? registration : null,
    },
    scored.map(({ content, ...day }) => ({ ...day, isRepublished: contentOf(day.day) !== content })),
  )
}

describe('a score on forward days', () => {
  it.each(idsWith('f'))('%s is the expected one', (id) => {
    const found = scoreOf(readJson('cases', `${id}.json`) as ForwardCase)
    expect(testDifferences(readJson('expected', `${id}.json`), found)).toEqual([])
  })
})

describe('calibration', () => {
  it.each(idsWith('c'))('%s is the expected one', (id) => {
    const { tests } = readJson('cases', `${id}.json`) as { tests: CalibrationTest[] }
    expect(testDifferences(readJson('expected', `${id}.json`), calibrate(tests))).toEqual([])
  })
})

const returnsOf = (text: string): number[] =>
  text
    .split(' ')
    .filter(Boolean)
    .flatMap((part) => {
      const [value, count = '1'] = part.split('*')
      return new Array<number>(Number(count)).fill(Number(value))
    })

it('computes the evidence that decimals give', () => {
  const [, ...lines] = readFileSync(join(data, 'evidence.csv'), 'utf8').trim().split('\n')
  const found = lines.map((line) => {
    const [sigma, returns] = line.split(',')
    const bets = createBets(Number(sigma))
    for (const gain of returnsOf(returns)) bets.add(gain)
    return bets.evidence()
  })
  const expected = lines.map((line) => Number(line.split(',')[2]))
  expect(found.length).toBeGreaterThan(20)
  expect(testDifferences(expected, found)).toEqual([])
})
