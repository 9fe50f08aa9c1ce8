/** Controls the range in view: zooming, panning, presets and history. */
import { computed, shallowRef, watch } from 'vue'
import { MS_PER_DAY, MS_PER_MINUTE } from '#shared/time.ts'
import { formatTime, type Zone } from '#shared/units/instants.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { type ChartModel, lengthMs, sameRange, extentOf } from './model.ts'

const NO_DATA: TimeRange = { startMs: 0, endMs: 86_400_000 }

/** Creates the control of the range in view, with its history; a bounded range never leaves the data. */
export function useRange(
  model: () => ChartModel,
  onChange: (range: TimeRange | null) => void,
  isBounded: () => boolean = () => false,
) {
  const history = shallowRef(historyAt(model().range))
  const series = computed(() => model().panes.flatMap((pane) => pane.series))
  const knownRanges = computed(() => {
    const { coverage, bands, extent: whole } = model()
    if (whole) return [whole]
    const missing = bands.filter(({ kind }) => kind === 'missing')
    return [extentOf(series.value), ...coverage, ...missing].filter((range) => range !== null)
  })
  const hasTime = computed(() => knownRanges.value.length > 0 || model().range !== null)
  const extent = computed<TimeRange>(() => {
    if (knownRanges.value.length === 0) return model().range ?? NO_DATA
    return {
      startMs: Math.min(...knownRanges.value.map(({ startMs }) => startMs)),
      endMs: Math.max(...knownRanges.value.map(({ endMs }) => endMs)),
    }
  })
  const range = computed<TimeRange>(() => {
    const wanted = history.value.current
    return wanted && wanted.endMs > wanted.startMs ? wanted : extent.value
  })

  function set(next: typeof history.value | null): void {
    if (!next || next === history.value) return
    history.value = next
    onChange(next.current)
  }
  const clampRange = (next: TimeRange) => (isBounded() ? clampWithin : clampNear)(next, extent.value)
  const show = (next: TimeRange | null, continues = false) =>
    set(addToHistory(history.value, next && clampRange(next), continues))

  // The parent component may change the range too; its own changes are not reported back to it.
  watch(
    () => model().range,
    (wanted) => {
      if (!sameRange(wanted, history.value.current)) history.value = addToHistory(history.value, wanted)
    },
  )

  return {
    range,
    extent,
    hasTime,
    show,
    back: () => set(stepBack(history.value)),
    forward: () => set(stepForward(history.value)),
    canGoBack: computed(() => history.value.back.length > 0),
    canGoForward: computed(() => history.value.forward.length > 0),
    isWhole: computed(() => history.value.current === null),
  }
}

export type RangeControl = ReturnType<typeof useRange>

/** History of the ranges in view; null stands for all data. */
interface ZoomHistory {
  back: readonly (TimeRange | null)[]
  current: TimeRange | null
  forward: readonly (TimeRange | null)[]
}

const MOST_KEPT = 100

export const historyAt = (current: TimeRange | null): ZoomHistory => ({ back: [], current, forward: [] })

/**
 * Adds a range to the history. With `continues` it replaces the previous step, so that one step back reverts a whole
 * gesture, such as several turns of the wheel.
 */
export function addToHistory(history: ZoomHistory, next: TimeRange | null, continues = false): ZoomHistory {
  if (sameRange(history.current, next)) return history
  const back = continues ? history.back : [...history.back, history.current].slice(-MOST_KEPT)
  return { back, current: next, forward: [] }
}

export function stepBack({ back, current, forward }: ZoomHistory): ZoomHistory | null {
  const before = back.at(-1)
  return before === undefined ? null : { back: back.slice(0, -1), current: before, forward: [current, ...forward] }
}

export function stepForward({ back, current, forward }: ZoomHistory): ZoomHistory | null {
  const [next, ...rest] = forward
  return next === undefined ? null : { back: [...back, current], current: next, forward: rest }
}

const LEAST_VIEW_MS = 10
const MOST_VIEW_MS = 200 * 366 * MS_PER_DAY

/** Limits the length of a range around its middle, because much shorter or longer ranges show nothing. */
function withSaneLength(range: TimeRange): TimeRange {
  const length = lengthMs(range)
  const saneLength = Math.min(MOST_VIEW_MS, Math.max(LEAST_VIEW_MS, length))
  if (saneLength === length) return range
  const middleMs = (range.startMs + range.endMs) / 2
  return { startMs: middleMs - saneLength / 2, endMs: middleMs + saneLength / 2 }
}

/** Zooms about a time, which stays in place; a factor below 1 zooms in. */
export function zoomRange(range: TimeRange, aboutMs: number, factor: number): TimeRange {
  const length = lengthMs(range)
  const saneFactor = Math.min(MOST_VIEW_MS, Math.max(LEAST_VIEW_MS, length * factor)) / length
  return {
    startMs: aboutMs - (aboutMs - range.startMs) * saneFactor,
    endMs: aboutMs + (range.endMs - aboutMs) * saneFactor,
  }
}

export const panRange = ({ startMs, endMs }: TimeRange, byMs: number): TimeRange => ({
  startMs: startMs + byMs,
  endMs: endMs + byMs,
})

/** Makes a range from two times in either order. */
export const between = (aMs: number, bMs: number): TimeRange =>
  withSaneLength({ startMs: Math.min(aMs, bMs), endMs: Math.max(aMs, bMs) })

/** Shifts a range so that some of the data stays in view. */
export function clampNear(range: TimeRange, extent: TimeRange): TimeRange {
  const slackMs = lengthMs(range) * 0.9
  const byMs = Math.max(extent.startMs - slackMs - range.startMs, Math.min(0, extent.endMs + slackMs - range.endMs))
  return byMs === 0 ? range : panRange(range, byMs)
}

/** Shifts a range so that it is within the data; null if it is as long as the data or longer. */
export function clampWithin(range: TimeRange, extent: TimeRange): TimeRange | null {
  if (lengthMs(range) >= lengthMs(extent)) return null
  const byMs = Math.max(extent.startMs - range.startMs, Math.min(0, extent.endMs - range.endMs))
  return byMs === 0 ? range : panRange(range, byMs)
}

const presetNames = ['1 min', '15 min', '1 h', '6 h', '1d', '1w', '1m', '3m', '6m', 'YTD', '1y', '3y', '5y'] as const
export type RangePreset = (typeof presetNames)[number] | 'all'

const usualNames: readonly RangePreset[] = ['1d', '1w', '1m', '3m', 'YTD', '1y', 'all']

/** Returns the presets for a chart that may load any data. */
export const usualPresets = (extent: TimeRange, nowMs: number): readonly RangePreset[] =>
  usualNames.filter((preset) => isRunning(preset, extent, nowMs))

/** Tells whether a preset means what it says: a year to date is only the running calendar year. */
const isRunning = (preset: RangePreset, { endMs }: TimeRange, nowMs: number): boolean =>
  preset !== 'YTD' || new Date(endMs - 1).getUTCFullYear() === new Date(nowMs).getUTCFullYear()

const LEAST_ROWS = 20

/** Returns `all`, and the presets that are shorter than the data and long enough for at least `LEAST_ROWS` rows. */
export function presetsWithin(extent: TimeRange, stepMs: number | null, nowMs: number): readonly RangePreset[] {
  const fitting = presetNames.filter((preset) => {
    const length = lengthMs(presetRange(preset, extent))
    return isRunning(preset, extent, nowMs) && length < lengthMs(extent) && length >= LEAST_ROWS * (stepMs ?? 0)
  })
  return [...fitting, 'all']
}

const daysByPreset: Partial<Record<RangePreset, number>> = { '1d': 1, '1w': 7 }
const minutesByPreset: Partial<Record<RangePreset, number>> = { '1 min': 1, '15 min': 15, '1 h': 60, '6 h': 360 }
const monthsByPreset: Partial<Record<RangePreset, number>> = { '1m': 1, '3m': 3, '6m': 6, '1y': 12, '3y': 36, '5y': 60 }

/** Computes the range of a preset, counted back from the end of the data. */
export function presetRange(preset: RangePreset, extent: TimeRange): TimeRange {
  const { endMs } = extent
  if (minutesByPreset[preset]) return { startMs: endMs - minutesByPreset[preset] * MS_PER_MINUTE, endMs }
  if (daysByPreset[preset]) return { startMs: endMs - daysByPreset[preset] * MS_PER_DAY, endMs }
  if (monthsByPreset[preset]) return { startMs: monthsBefore(endMs, monthsByPreset[preset]), endMs }
  // Data up to midnight belongs to the year that ends there, because the end is exclusive.
  if (preset === 'YTD') return { startMs: Date.UTC(new Date(endMs - 1).getUTCFullYear(), 0), endMs }
  return extent
}

/** Goes back calendar months to the same day and time, or to the last day of a shorter month. */
function monthsBefore(timeMs: number, count: number): number {
  const date = new Date(timeMs)
  const month = date.getUTCMonth() - count
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const day = Math.min(date.getUTCDate(), lastDay)
  return Date.UTC(date.getUTCFullYear(), month, day) + (timeMs % MS_PER_DAY)
}

const datePattern = /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?)?Z?$/

/**
 * Parses a typed time (`2026-08`, `2026-08-01`, `2026-08-01 12:30`) in the zone on screen, or in UTC if it ends with
 * `Z`; null if invalid.
 */
export function parseMoment(text: string, zone: Zone): number | null {
  const match = datePattern.exec(text.trim())
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0))
  const parts = [year, month - 1, day || 1, hour, minute, second] as const
  const timeMs = zone === 'utc' || text.trim().endsWith('Z') ? Date.UTC(...parts) : new Date(...parts).getTime()
  // A date such as 31 February is rejected, because it does not format back to the same text.
  const reformatted = formatTime(timeMs, text.trim().endsWith('Z') ? 'utc' : zone, 'second')
  return reformatted.slice(0, 7) === match[0].slice(0, 7) && (!day || reformatted.slice(8, 10) === match[3])
    ? timeMs
    : null
}

/** Centres a range on a time, with its length unchanged. */
export const centredOn = (range: TimeRange, timeMs: number): TimeRange =>
  panRange(range, timeMs - (range.startMs + range.endMs) / 2)
