import { computed, onScopeDispose, shallowRef, watch, type WritableComputedRef } from 'vue'
import { useRoute, useRouter, type LocationQuery } from 'vue-router'
import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import type { TimeRange } from '../../charts/model.ts'
import type { DayFields } from './requestFields.ts'

/** Fields of the address that links to other tabs keep. */
const carriedFields: readonly string[] = ['portfolio', 'smoothing', 'exchange', 'from', 'to']

export function carriedQuery(here: LocationQuery, there: LocationQuery): LocationQuery {
  const carried = Object.entries(here).filter(([name]) => carriedFields.includes(name))
  const own = Object.entries(there).filter(([name]) => !carriedFields.includes(name))
  return Object.fromEntries([...own, ...carried])
}

/**
 * Keeps the fields of a tab in the query of the address, as texts; a field that is not there has its default. Other
 * fields of the address stay as they are. `models` binds each field for `v-model`.
 */
export function useAddress<Name extends string>(defaults: Readonly<Record<Name, string>>) {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => readFields(route.query, defaults))
  /** Writes the fields that differ from their defaults and replaces the current entry of the history. */
  function change(patch: Partial<Record<Name, string>>): void {
    const { query } = router.currentRoute.value
    void router.replace({ query: writtenFields(query, { ...readFields(query, defaults), ...patch }, defaults) })
  }
  const bind = (name: Name) =>
    computed({
      get: () => address.value[name],
      set: (value: string) => change({ [name]: value } as Partial<Record<Name, string>>),
    })
  const models = Object.fromEntries(Object.keys(defaults).map((name) => [name, bind(name as Name)]))
  return { address, change, models: models as Record<Name, WritableComputedRef<string>> }
}

export function readFields<Name extends string>(
  query: LocationQuery,
  defaults: Readonly<Record<Name, string>>,
): Record<Name, string> {
  const entries = Object.entries<string>(defaults).map(([name, byDefault]) => {
    const given = query[name]
    return [name, typeof given === 'string' ? given : byDefault]
  })
  return Object.fromEntries(entries) as Record<Name, string>
}

export function writtenFields<Name extends string>(
  query: LocationQuery,
  fields: Record<Name, string>,
  defaults: Readonly<Record<Name, string>>,
): LocationQuery {
  const others = Object.entries(query).filter(([name]) => !(name in defaults))
  const own = Object.entries<string>(fields).filter(([name, value]) => value !== defaults[name as Name])
  return Object.fromEntries([...others, ...own])
}

/** Time without movement of the chart after which the statistics follow it. */
const SETTLE_MS = 150
const FIRST_MS = Date.UTC(1970, 0, 1)
const LAST_MS = Date.UTC(9999, 11, 31)

/**
 * Shares the visible days between the address (`from`, `to`, both inclusive) and a chart, whose moves are written to the
 * address when it settles. `range` follows the chart at once; `startDay` and `endDay` (exclusive), from which statistics
 * are computed, follow the address.
 */
export function useVisibleDays(address: () => DayFields, change: (days: DayFields) => void) {
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

  /** Shows a range; null for all days. */
  function move(range: TimeRange | null): void {
    moving.value = range
    clearTimeout(timer)
    timer = setTimeout(() => change(range ? daysOf(range) : { from: '', to: '' }), SETTLE_MS)
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

/** Replaces an open end by the end of the data. */
function withinExtent(range: TimeRange | null, extent: TimeRange | null): TimeRange | null {
  if (!range || !extent) return range
  return {
    startMs: range.startMs === FIRST_MS ? extent.startMs : range.startMs,
    endMs: range.endMs === LAST_MS ? extent.endMs : range.endMs,
  }
}

/** Finds the days whose start lies in a range. */
function daysOf({ startMs, endMs }: TimeRange): DayFields {
  const first = Math.ceil(clamped(startMs) / MS_PER_DAY)
  const last = Math.max(first, Math.ceil(clamped(endMs) / MS_PER_DAY) - 1)
  return { from: dayFromNumber(first), to: dayFromNumber(last) }
}

const clamped = (timeMs: number) => Math.min(LAST_MS, Math.max(FIRST_MS, timeMs))
