/** Scales, bounds, ticks and tick labels of the axes of values and of time. */
import { formatTime, offsetText, type Zone } from '#shared/units/instants.ts'
import { isShownAsPercent, type NumberKind } from '#shared/units/numberKinds.ts'
import { formatNumber, formatPercent } from '#shared/units/numbers.ts'
import type { ScaleName } from '#shared/workspace/chartStyle.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '#shared/time.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

/** A mapping of values to positions along an axis, and back. */
export interface ValueScale {
  name: ScaleName
  /** Threshold below which a symlog axis is linear, on both sides of 0. */
  linearBelow: number
  forward(value: number): number
  backward(place: number): number
}

export type AxisBounds = readonly [low: number, high: number]

const identity = (value: number) => value

export function valueScale(name: ScaleName, linearBelow = 1): ValueScale {
  if (name === 'log') return { name, linearBelow, forward: Math.log10, backward: (place) => 10 ** place }
  if (name === 'symlog')
    return {
      name,
      linearBelow,
      forward: (value) => Math.asinh(value / linearBelow),
      backward: (place) => Math.sinh(place) * linearBelow,
    }
  return { name, linearBelow, forward: identity, backward: identity }
}

/**
 * Returns the power of ten below which a symlog axis is linear; the largest value is three to four decades above it.
 */
export function linearBelowOf([low, high]: AxisBounds): number {
  const largest = Math.max(Math.abs(low), Math.abs(high))
  return largest > 0 ? 10 ** (Math.floor(Math.log10(largest)) - 3) : 1
}

/** Margin at each end of an axis, as a share of the range of values. */
const MARGIN = 0.06
/**
 * Computes the margin around a constant series, on the scale of its axis: 1 % of its value there, at least `leastStep`,
 * or 1 if both are 0. On a log axis it is at least a tenth of a decade.
 */
const constantMargin = ({ name }: ValueScale, place: number, leastStep: number) =>
  name === 'log' ? Math.max(Math.abs(place) * 0.01, 0.1) : Math.max(leastStep, Math.abs(place) * 0.01) || 1

/**
 * Computes the bounds of an axis, with a margin between the values and its ends, except at an end that is 0 because the
 * axis must include 0. A constant series is centred, with a margin of at least `leastStep`, so that the neighbouring
 * ticks are in view too.
 */
export function axisBounds(
  scale: ValueScale,
  [low, high]: AxisBounds,
  includesZero: boolean,
  leastStep = 0,
): AxisBounds {
  if (!(low <= high)) return scale.name === 'log' ? [1, 10] : [0, 1]
  const start = includesZero && scale.name !== 'log' ? Math.min(low, 0) : low
  const end = includesZero && scale.name !== 'log' ? Math.max(high, 0) : high
  const [from, to] = [scale.forward(start), scale.forward(end)]
  const spread = to - from
  // Far from 0 the range must exceed the precision of a double.
  const leastSpread = Math.max(Math.abs(from), Math.abs(to)) * 1e-9
  const margin = spread > leastSpread ? spread * MARGIN : constantMargin(scale, from, leastStep)
  const keepsZero = (bound: number) => includesZero && bound === 0 && scale.name !== 'log'
  return [
    keepsZero(start) ? 0 : clampedToFinite(scale.backward(from - margin)),
    keepsZero(end) && start !== 0 ? 0 : clampedToFinite(scale.backward(to + margin)),
  ]
}

const clampedToFinite = (value: number) => Math.max(-Number.MAX_VALUE / 4, Math.min(Number.MAX_VALUE / 4, value))

/** Rounds up to 1, 2 or 5 times a power of ten. */
function niceStep(leastStep: number): number {
  const power = 10 ** Math.floor(Math.log10(leastStep))
  const factor = [1, 2, 5, 10].find((each) => each * power >= leastStep * (1 - 1e-9)) ?? 10
  return factor * power
}

/** Returns the next smaller step that is 1, 2 or 5 times a power of ten. */
const finerStep = (step: number) => niceStep(step / 2.5)

/** Places ticks at round values that are at least `leastStep` apart; callers pass 1 for whole numbers. */
function evenTicks(bounds: AxisBounds, mostTicks: number, leastStep = 0): number[] {
  const usualStep = niceStep((bounds[1] - bounds[0]) / Math.max(1, mostTicks))
  if (!(usualStep > 0) || !Number.isFinite(usualStep)) return [bounds[0]]
  const ticks = ticksAt(bounds, Math.max(leastStep, usualStep))
  // A single tick does not show a scale, so an axis with room for only one gets the next finer ticks.
  const smallerStep = Math.max(leastStep, finerStep(usualStep))
  return ticks.length >= 2 || smallerStep >= usualStep ? ticks : ticksAt(bounds, smallerStep)
}

function ticksAt([low, high]: AxisBounds, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  // The index is divided by the inverse of a step below 1, because 3 × 0.1 is not exactly 0.3.
  const tickAt = (index: number) => (step < 1 ? index / Math.round(1 / step) : index * step)
  const isExact = step < 1 && Math.abs(Math.round(1 / step) * step - 1) < 1e-9
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) =>
    isExact || step >= 1 ? tickAt(first + offset) : (first + offset) * step,
  )
}

/**
 * Places ticks at powers of ten. If there is room, they are also at 2 and 5 times each power; if there is little, only
 * at every n-th power.
 */
function powerTicks([low, high]: AxisBounds, mostTicks: number): number[] {
  const from = Math.floor(Math.log10(low) + 1e-9)
  const to = Math.floor(Math.log10(high) + 1e-9)
  const decades = to - Math.ceil(Math.log10(low) - 1e-9) + 1
  const multiples = decades * 3 <= mostTicks * 1.5 ? [1, 2, 5] : [1]
  const exponentStep = Math.max(1, Math.ceil(decades / mostTicks))
  const ticks: number[] = []
  for (let exponent = Math.ceil(from / exponentStep) * exponentStep; exponent <= to; exponent += exponentStep)
    for (const multiple of multiples) ticks.push(Number(`${multiple}e${exponent}`))
  return ticks.filter((tick) => tick >= low * (1 - 1e-12) && tick <= high * (1 + 1e-12))
}

/**
 * Minimum distance of a tick from 0, as a share of the space for a tick, because powers of ten crowd together near 0.
 */
const LEAST_GAP_AT_ZERO = 0.45

function symmetricTicks([low, high]: AxisBounds, mostTicks: number, linearBelow: number): number[] {
  const placeOf = (value: number) => Math.asinh(value / linearBelow)
  const leastGap = low <= 0 && high >= 0 ? (LEAST_GAP_AT_ZERO * (placeOf(high) - placeOf(low))) / mostTicks : 0
  const powersUpTo = (bound: number) =>
    bound > linearBelow
      ? powerTicks([linearBelow, bound], mostTicks / 2).filter((tick) => placeOf(tick) >= leastGap)
      : []
  const positiveTicks = powersUpTo(high).filter((tick) => tick >= low)
  const negativePowers = powersUpTo(-low).filter((tick) => -tick <= high)
  const zeroTick = low <= 0 && high >= 0 ? [0] : []
  const ticks = [...negativePowers.map((tick) => -tick).reverse(), ...zeroTick, ...positiveTicks]
  return ticks.length >= 2 ? ticks : evenTicks([low, high], mostTicks)
}

export function valueTicks(scale: ValueScale, bounds: AxisBounds, mostTicks: number, leastStep = 0): number[] {
  const [low, high] = bounds
  if (scale.name === 'symlog') return symmetricTicks(bounds, mostTicks, scale.linearBelow)
  // An axis whose ends differ by at most a factor of 8 gets evenly spaced ticks, because it contains too few powers of
  // ten.
  if (scale.name === 'log' && high / low > 8) return powerTicks(bounds, mostTicks)
  return evenTicks(bounds, mostTicks, leastStep).filter((tick) => scale.name !== 'log' || tick > 0)
}

const abbreviations: [size: number, letter: string][] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
]

/** Formats ticks with the decimals that their distance requires; all are abbreviated if one is 10 million or more. */
export const tickLabels = (ticks: readonly number[], kind: NumberKind): string[] => ticks.map(tickFormat(ticks, kind))

/** Number of different texts for the values from one tick to the next: about one for every one or two pixels. */
const VALUES_PER_TICK = 20

/** Returns the format for values between these ticks, with more digits than the labels of the ticks have. */
export const valueFormat = (ticks: readonly number[], kind: NumberKind) => tickFormat(ticks, kind, VALUES_PER_TICK)

function tickFormat(ticks: readonly number[], kind: NumberKind, valuesPerTick = 1): (value: number) => string {
  const factor = isShownAsPercent(kind) ? 100 : 1
  const shown = ticks.map((tick) => tick * factor)
  const largest = Math.max(...shown.map(Math.abs), 0)
  if (largest === Infinity) return (value) => (isShownAsPercent(kind) ? formatPercent : formatNumber)(value, 0)
  const [size, letter] = abbreviations.find(([least]) => largest >= least * 10) ?? [1, '']
  const isEven = shown.length < 3 || Math.abs(shown[1] - shown[0] - (shown[2] - shown[1])) < 1e-6 * largest
  const gap = shown.length > 1 ? Math.abs(shown[1] - shown[0]) : largest
  return (value) => {
    const tick = value * factor
    const step = (isEven ? gap : Math.abs(tick)) / size / valuesPerTick
    const decimals = step > 0 ? Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9))) : 0
    // Tiny values are written as powers of ten, because many zeros are hard to read.
    const isTiny = decimals > 6 && largest < 1e-4
    const isNothing = tick === 0 || (isEven && !isTiny && Math.abs(tick / size) < 0.5 * 10 ** -decimals)
    return isNothing ? '0' : formatNumber(tick / size, isTiny ? 0 : decimals) + letter
  }
}

export interface TimeTick {
  timeMs: number
  /** Time, day or month. */
  text: string
  /**
   * Second line: the day, hour or year if it differs from that of the previous tick, and the UTC offset after a clock
   * change.
   */
  below: string
}

/** Returns the label of a tick in one line, such as `2026-09-03` or `2026-09-03 12:00`. */
export const oneLineLabel = ({ text, below }: TimeTick): string => {
  if (below === '') return text
  const isYear = /^\d{4}$/.test(below)
  return `${below}${isYear ? '-' : ' '}${text}`
}

const stepsMs = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MS_PER_SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MS_PER_MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * MS_PER_HOUR),
  ...[1, 2, 5, 7, 14].map((count) => count * MS_PER_DAY),
]
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]
const MONTH_MS = 31 * MS_PER_DAY

/** Returns the milliseconds by which the zone's clock is ahead of UTC. */
const aheadMs = (timeMs: number, zone: Zone) =>
  zone === 'utc' ? 0 : -new Date(timeMs).getTimezoneOffset() * MS_PER_MINUTE

/** Shifts a time to the zone's wall clock, expressed as if it were UTC. */
const toClock = (timeMs: number, zone: Zone) => timeMs + aheadMs(timeMs, zone)

/** A time on the wall clock of the zone, expressed as if it were UTC. */
type ClockMs = number

interface ClockInstant {
  timeMs: number
  clockMs: ClockMs
}

/**
 * Distances before and after a clock time, read as UTC, at which the zone's offset is looked up: the largest offsets,
 * +14 and −12 hours, plus a margin of 12 hours.
 */
const [LOOK_BEFORE_MS, LOOK_AFTER_MS] = [26 * MS_PER_HOUR, 24 * MS_PER_HOUR]

/**
 * Finds the instants at which the zone's clock shows a time: usually one, two if the clock was set back over it, none
 * if it was set forward over it.
 */
function instantsAt(clockMs: ClockMs, zone: Zone): ClockInstant[] {
  const offsetBefore = aheadMs(clockMs - LOOK_BEFORE_MS, zone)
  const offsetAfter = aheadMs(clockMs + LOOK_AFTER_MS, zone)
  return [...new Set([offsetBefore, offsetAfter])]
    .map((ahead) => ({ timeMs: clockMs - ahead, clockMs }))
    .filter(({ timeMs }) => toClock(timeMs, zone) === clockMs)
    .sort((a, b) => a.timeMs - b.timeMs)
}

/**
 * Finds the first instant of a day in the zone, which is later than midnight if the clock is set forward at midnight;
 * null for a day that the zone skipped.
 */
function startOfDay(clockMs: ClockMs, zone: Zone): ClockInstant | null {
  const [midnight] = instantsAt(clockMs, zone)
  if (midnight) return midnight
  const offsets = [aheadMs(clockMs - LOOK_BEFORE_MS, zone), aheadMs(clockMs + LOOK_AFTER_MS, zone)]
  let early = clockMs - Math.max(...offsets)
  let late = clockMs - Math.min(...offsets)
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (toClock(middle, zone) < clockMs) early = middle
    else late = middle
  }
  return toClock(late, zone) - clockMs < MS_PER_DAY ? { timeMs: late, clockMs } : null
}

/** Places about `mostTicks` ticks, or fewer, at round clock times of the zone. */
export function timeTicks(range: TimeRange, zone: Zone, mostTicks: number): TimeTick[] {
  const leastMs = (range.endMs - range.startMs) / Math.max(1, mostTicks)
  const stepMs = stepsMs.find((step) => step >= leastMs)
  const clocks = stepMs ? evenClocks(range, zone, stepMs) : monthClocks(range, zone, leastMs)
  const instants =
    stepMs && stepMs < MS_PER_DAY
      ? clocks.flatMap((clock) => instantsAt(clock, zone)).sort((a, b) => a.timeMs - b.timeMs)
      : clocks.map((clock) => startOfDay(clock, zone)).filter((one) => one !== null)
  const shown = instants.filter(({ timeMs }) => timeMs >= range.startMs && timeMs <= range.endMs)
  return labelTicks(shown, zone, stepMs ?? MONTH_MS)
}

/**
 * Returns a range of clock times that contains those of all instants of a range, even if the clock changes within it.
 */
function clockRange({ startMs, endMs }: TimeRange, zone: Zone): TimeRange {
  const offsets = [aheadMs(startMs, zone), aheadMs(endMs, zone)]
  return { startMs: startMs + Math.min(...offsets), endMs: endMs + Math.max(...offsets) }
}

function evenClocks(range: TimeRange, zone: Zone, stepMs: number): ClockMs[] {
  const { startMs, endMs } = clockRange(range, zone)
  const first = Math.floor(startMs / stepMs)
  const last = Math.ceil(endMs / stepMs)
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * stepMs)
}

function monthClocks(range: TimeRange, zone: Zone, leastMs: number): ClockMs[] {
  const months = monthSteps.find((step) => step * MONTH_MS >= leastMs) ?? monthSteps[monthSteps.length - 1]
  const { startMs, endMs } = clockRange(range, zone)
  const [start, end] = [new Date(startMs), new Date(endMs)]
  const from = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months)
  const to = Math.ceil((end.getUTCFullYear() * 12 + end.getUTCMonth()) / months)
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const month = (from + at) * months
    return new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1)
  })
}

/**
 * Labels ticks with the time on the zone's clock. The first tick after a clock change shows the UTC offset in its
 * second line, because an hour may occur twice.
 */
function labelTicks(instants: readonly ClockInstant[], zone: Zone, stepMs: number): TimeTick[] {
  let dateBefore = ''
  return instants.map(({ timeMs, clockMs }, at) => {
    const { text, below: date } = tickTexts(formatTime(clockMs, 'utc', 'ms'), stepMs)
    const hasClockChanged =
      stepMs < MS_PER_DAY && at > 0 && aheadMs(timeMs, zone) !== aheadMs(instants[at - 1].timeMs, zone)
    const below = [date === dateBefore ? '' : date, hasClockChanged ? `UTC${offsetText(timeMs)}` : '']
    dateBefore = date
    return { timeMs, text, below: below.filter(Boolean).join(' ') }
  })
}

function tickTexts(whole: string, stepMs: number): { text: string; below: string } {
  const day = whole.slice(0, 10)
  if (stepMs < MS_PER_SECOND) return { text: whole.slice(14), below: whole.slice(0, 13) + 'h' }
  if (stepMs < MS_PER_MINUTE) return { text: whole.slice(11, 19), below: day }
  if (stepMs < MS_PER_DAY) return { text: whole.slice(11, 16), below: day }
  if (stepMs < MONTH_MS) return { text: whole.slice(5, 10), below: whole.slice(0, 4) }
  return { text: whole.slice(0, 7), below: '' }
}

const HALF_LABEL_PX = 18
const HALF_LETTER_PX = 3.5

/** Returns the labels of time ticks, which may have a second line with the day, for an axis as wide as the pane. */
export function timeLabelsAt(ticks: readonly TimeTick[], xOf: (timeMs: number) => number, widthPx: number): string[] {
  let waitingDay = ''
  return ticks.map(({ timeMs, text, below }) => {
    // A label that would be cut off at the right end is left out; at the left end, its day moves to the next label.
    const x = xOf(timeMs)
    if (x > widthPx - HALF_LABEL_PX) return ''
    const day = below || waitingDay
    const halfPx = day.length * HALF_LETTER_PX
    if (x > widthPx - halfPx) return text
    waitingDay = x < halfPx ? day : ''
    return day && !waitingDay ? `${text}\n${day}` : text
  })
}
