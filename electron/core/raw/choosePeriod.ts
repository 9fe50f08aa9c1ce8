import type { FileFinding } from '#shared/contract/areas/raw.ts'
import { dayFromNumber, periodDays, type DayNumber, type Period } from '#shared/time/periods.ts'

interface Chosen {
  period: Period | null
  findings: FileFinding[]
}

/**
 * The day or month a file of events is for: what its name says where most of its events are of it, else what its events
 * say. A few events across the edge of a day do not make it a file of two.
 */
export function choosePeriod(named: Period | null, days: ReadonlyMap<DayNumber, number>): Chosen {
  const events = sum(days.values())
  if (named !== null) {
    const outside = events - eventsIn(named, days)
    if (outside === 0) return { period: named, findings: [] }
    if (outside < events / 2)
      return {
        period: named,
        findings: [{ level: 'warning', message: `${outside} events are not of ${named}.` }],
      }
  }
  const byContent = contentPeriod(days, events)
  if (named === null || byContent.period === null) return byContent
  const message = `Its name says ${named}, its events are of ${byContent.period}.`
  return { ...byContent, findings: [{ level: 'warning', message }, ...byContent.findings] }
}

/** Share of the events that may lie outside. */
const STRAYS = 0.001

function contentPeriod(days: ReadonlyMap<DayNumber, number>, events: number): Chosen {
  const texts = [...days.keys()].toSorted((a, b) => a - b).map(dayFromNumber)
  const candidates = [...new Set([...texts, ...texts.map((day) => day.slice(0, 7))])]
  const fitting = candidates.filter((period) => eventsIn(period, days) >= events * (1 - STRAYS))
  // The shortest that fits: days come before months.
  const period = fitting.at(0) ?? null
  if (period === null) {
    const message = `Its events are of ${texts[0]} to ${texts.at(-1)}: more than one day or month. Split it.`
    return { period, findings: [{ level: 'error', message }] }
  }
  const outside = events - eventsIn(period, days)
  return {
    period,
    findings: outside === 0 ? [] : [{ level: 'warning', message: `${outside} events are not of ${period}.` }],
  }
}

function eventsIn(period: Period, days: ReadonlyMap<DayNumber, number>): number {
  const range = periodDays(period)
  if (!range) return 0
  return sum([...days].map(([day, events]) => (day >= range.start && day < range.end ? events : 0)))
}

const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0)
