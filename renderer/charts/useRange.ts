import { computed, shallowRef, watch } from 'vue'
import { extentOf } from './rows.ts'
import { sameRange, type ChartModel, type TimeRange } from './model.ts'
import { keptNear, keptWithin } from './ranges.ts'
import { goneBack, goneForward, historyAt, movedTo } from './zoomHistory.ts'

const NO_DATA: TimeRange = { startMs: 0, endMs: 86_400_000 }

/** What is in view, with the views before and after it; one that is bounded never leaves the data. */
export function useRange(
  model: () => ChartModel,
  changed: (range: TimeRange | null) => void,
  isBounded: () => boolean = () => false,
) {
  const history = shallowRef(historyAt(model().range))
  const series = computed(() => model().panes.flatMap((pane) => pane.series))
  const known = computed(() => {
    const { coverage, bands, extent: whole } = model()
    if (whole) return [whole]
    const absent = bands.filter(({ kind }) => kind === 'absent')
    return [extentOf(series.value), ...coverage, ...absent].filter((range) => range !== null)
  })
  const hasTime = computed(() => known.value.length > 0 || model().range !== null)
  const extent = computed<TimeRange>(() => {
    if (known.value.length === 0) return model().range ?? NO_DATA
    return {
      startMs: Math.min(...known.value.map(({ startMs }) => startMs)),
      endMs: Math.max(...known.value.map(({ endMs }) => endMs)),
    }
  })
  const range = computed<TimeRange>(() => {
    const wanted = history.value.current
    return wanted && wanted.endMs > wanted.startMs ? wanted : extent.value
  })

  function set(next: typeof history.value | null): void {
    if (!next || next === history.value) return
    history.value = next
    changed(next.current)
  }
  const kept = (next: TimeRange) => (isBounded() ? keptWithin : keptNear)(next, extent.value)
  const show = (next: TimeRange | null, continues = false) => set(movedTo(history.value, next && kept(next), continues))

  // The owner may move the view too, and be told of no move of its own.
  watch(
    () => model().range,
    (wanted) => {
      if (!sameRange(wanted, history.value.current)) history.value = movedTo(history.value, wanted)
    },
  )

  return {
    range,
    extent,
    hasTime,
    show,
    back: () => set(goneBack(history.value)),
    forward: () => set(goneForward(history.value)),
    canGoBack: computed(() => history.value.back.length > 0),
    canGoForward: computed(() => history.value.forward.length > 0),
    isWhole: computed(() => history.value.current === null),
  }
}

export type RangeControl = ReturnType<typeof useRange>
