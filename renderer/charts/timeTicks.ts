import { formatTime, type Zone } from '#shared/units/instants.ts'
import type { TimeRange } from './model.ts'

export interface TimeTick {
  timeMs: number
  /** The hour or the day. */
  text: string
  /** The day or the year, where another than at the tick before; else empty. */
  below: string
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const stepsMs = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 7, 14].map((count) => count * DAY),
]
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]
const MONTH = 31 * DAY

/** Times as the zone's clocks show them, written as if they were UTC. */
const toClock = (timeMs: number, zone: Zone) =>
  zone === 'utc' ? timeMs : timeMs - new Date(timeMs).getTimezoneOffset() * MINUTE

function fromClock(clockMs: number, zone: Zone): number {
  if (zone === 'utc') return clockMs
  const guess = clockMs + new Date(clockMs).getTimezoneOffset() * MINUTE
  return clockMs + new Date(guess).getTimezoneOffset() * MINUTE
}

/** At most so many ticks, at times that the zone's clocks call round. */
export function timeTicks(range: TimeRange, zone: Zone, most: number): TimeTick[] {
  const leastMs = (range.endMs - range.startMs) / Math.max(1, most)
  const stepMs = stepsMs.find((step) => step >= leastMs)
  const clocks = stepMs ? evenClocks(range, zone, stepMs) : monthClocks(range, zone, leastMs)
  const times = clocks.map((clock) => fromClock(clock, zone)).filter((time, at, all) => time !== all[at - 1])
  return labelled(
    times.filter((timeMs) => timeMs >= range.startMs && timeMs <= range.endMs),
    zone,
    stepMs ?? MONTH,
  )
}

function evenClocks({ startMs, endMs }: TimeRange, zone: Zone, stepMs: number): number[] {
  const first = Math.floor(toClock(startMs, zone) / stepMs)
  const last = Math.ceil(toClock(endMs, zone) / stepMs)
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * stepMs)
}

function monthClocks({ startMs, endMs }: TimeRange, zone: Zone, leastMs: number): number[] {
  const months = monthSteps.find((step) => step * MONTH >= leastMs) ?? monthSteps[monthSteps.length - 1]
  const start = new Date(toClock(startMs, zone))
  const end = new Date(toClock(endMs, zone))
  const from = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months)
  const to = Math.ceil((end.getUTCFullYear() * 12 + end.getUTCMonth()) / months)
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const month = (from + at) * months
    return new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1)
  })
}

function labelled(times: readonly number[], zone: Zone, stepMs: number): TimeTick[] {
  let before = ''
  return times.map((timeMs) => {
    const whole = formatTime(timeMs, zone, 'ms')
    const { text, below } = parts(whole, stepMs)
    const tick = { timeMs, text, below: below === before ? '' : below }
    before = below
    return tick
  })
}

function parts(whole: string, stepMs: number): { text: string; below: string } {
  const day = whole.slice(0, 10)
  if (stepMs < SECOND) return { text: whole.slice(14), below: whole.slice(0, 13) + 'h' }
  if (stepMs < MINUTE) return { text: whole.slice(11, 19), below: day }
  if (stepMs < DAY) return { text: whole.slice(11, 16), below: day }
  if (stepMs < MONTH) return { text: whole.slice(5, 10), below: whole.slice(0, 4) }
  return { text: whole.slice(0, 7), below: '' }
}
