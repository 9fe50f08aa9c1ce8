import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import type { TimeRange } from '../../charts/model.ts'

/** Time that a chart must rest before the statistics follow it. */
const REST_MS = 150
const FIRST_MS = Date.UTC(1970, 0, 1)
const LAST_MS = Date.UTC(9999, 11, 31)

/**
 * The days in view: chosen in the address (`from`, `to`, both included) or by moving the chart, which writes them there
 * once it rests. `range` is for the chart, at once; `startDay` and `endDay` (not included) are for the numbers.
 */
export function useDaysInView(
  address: () => { from: string; to: string },
  change: (days: { from: string; to: string }) => void,
) {
  const moving = shallowRef<TimeRange | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  onScopeDispose(() => clearTimeout(timer))

  const startMs = computed(() => parseDay(address().from))
  const endMs = computed(() => {
    const lastMs = parseDay(address().to)
    return lastMs === null ? null : lastMs + MS_PER_DAY
  })
  const settled = computed((): TimeRange | null =>
    startMs.value === null && endMs.value === null
      ? null
      : { startMs: startMs.value ?? FIRST_MS, endMs: endMs.value ?? LAST_MS },
  )
  // A range written into the address from elsewhere takes precedence over the chart's.
  watch([startMs, endMs], ([start, end]) => {
    const days = moving.value && daysOf(moving.value)
    if (days && (parseDay(days.from) !== start || parseDay(days.to) !== (end === null ? null : end - MS_PER_DAY)))
      moving.value = null
  })

  /** Moves the view to a range; null for all of the data. */
  function move(range: TimeRange | null): void {
    moving.value = range
    clearTimeout(timer)
    timer = setTimeout(() => change(range ? daysOf(range) : { from: '', to: '' }), REST_MS)
  }

  const dayOrNone = (timeMs: number | null): DayNumber | undefined =>
    timeMs === null ? undefined : Math.floor(timeMs / MS_PER_DAY)
  return {
    range: (extent: TimeRange | null) => moving.value ?? withinExtent(settled.value, extent),
    startDay: computed(() => dayOrNone(startMs.value)),
    endDay: computed(() => dayOrNone(endMs.value)),
    isWhole: computed(() => settled.value === null),
    move,
  }
}

/** An open end is where the data end. */
function withinExtent(range: TimeRange | null, extent: TimeRange | null): TimeRange | null {
  if (!range || !extent) return range
  return {
    startMs: range.startMs === FIRST_MS ? extent.startMs : range.startMs,
    endMs: range.endMs === LAST_MS ? extent.endMs : range.endMs,
  }
}

/** Finds the days whose start lies in a range. */
function daysOf({ startMs, endMs }: TimeRange): { from: string; to: string } {
  const first = Math.ceil(clamped(startMs) / MS_PER_DAY)
  const last = Math.max(first, Math.ceil(clamped(endMs) / MS_PER_DAY) - 1)
  return { from: dayFromNumber(first), to: dayFromNumber(last) }
}

const clamped = (timeMs: number) => Math.min(LAST_MS, Math.max(FIRST_MS, timeMs))
