import { computed, nextTick, onBeforeUnmount, shallowRef, watch, type Ref } from 'vue'
import { type Arrangement } from '#shared/tables/arrangement.ts'
import { NO_ROWS, type ArrangedRows, type RowSource } from './rows.ts'

/** Minimum time between two loads while scrolling, so that dragging through a long table does not load all of it. */
const LOAD_EVERY_MS = 50

interface RowsInView {
  from: number
  to: number
}

/** State that a table renders, replaced as a unit so that no part of it is newer than another. */
interface ShownRows {
  source: RowSource
  arrangement: Arrangement
  rows: ArrangedRows
  count: number
  total: number
  version: number
}

/**
 * Keeps the rows of a source arranged as requested, and loads those in view. The rows on screen stay until the next
 * arrangement is ready.
 */
export function useRows(source: Ref<RowSource>, arrangement: Ref<Arrangement>, inView: () => RowsInView) {
  const shown = shallowRef<ShownRows | null>(null)
  const isArranging = shallowRef(true)
  const problem = shallowRef<string | null>(null)
  let arrangeController = new AbortController()
  let loadController = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastLoadMs = 0
  let repeatFailed: () => void = () => {}
  let unsubscribe = () => {}

  function publish(next: Pick<ShownRows, 'source' | 'arrangement' | 'rows'>): void {
    const update = () => {
      const { count, total, version } = next.rows
      shown.value = { ...next, count, total, version }
    }
    unsubscribe()
    loadController.abort()
    unsubscribe = next.rows.subscribe(update)
    update()
  }

  /** Removes the rows on screen, because rows of the previous source must not stay beside the error from the new one. */
  function clear(): void {
    unsubscribe()
    loadController.abort()
    shown.value = null
  }

  /** Awaits work of the source and reports its error unless it was aborted. */
  async function runAttempt(signal: AbortSignal, work: Promise<void>, repeat: () => void): Promise<void> {
    try {
      await work
      // A success clears the error only if the same request had failed, because it says nothing about other requests.
      if (!signal.aborted && repeatFailed === repeat) problem.value = null
    } catch (error) {
      if (signal.aborted) return
      problem.value = error instanceof Error ? error.message : String(error)
      repeatFailed = repeat
    }
  }

  async function arrangeAndPublish(rowSource: RowSource, wanted: Arrangement, signal: AbortSignal): Promise<void> {
    try {
      const rows = await rowSource.arrange(wanted, signal)
      if (!signal.aborted) publish({ source: rowSource, arrangement: wanted, rows })
    } catch (error) {
      if (!signal.aborted && shown.value?.source !== rowSource) clear()
      throw error
    } finally {
      if (!signal.aborted) isArranging.value = false
    }
  }

  function arrange(): void {
    arrangeController.abort()
    const { signal } = (arrangeController = new AbortController())
    isArranging.value = true
    void runAttempt(signal, arrangeAndPublish(source.value, arrangement.value, signal), arrange)
  }

  function load(): void {
    timer = undefined
    lastLoadMs = performance.now()
    const { from, to } = inView()
    const controller = new AbortController()
    // The new request starts before the old one is aborted, so that pages needed by both are not fetched twice.
    const work = shown.value?.rows.load(from, to, controller.signal)
    loadController.abort()
    loadController = controller
    if (work) void runAttempt(controller.signal, work, load)
  }

  function loadSoon(): void {
    const waitMs = lastLoadMs + LOAD_EVERY_MS - performance.now()
    if (waitMs <= 0) load()
    else timer ??= setTimeout(load, waitMs)
  }

  watch([source, () => JSON.stringify(arrangement.value)], arrange, { immediate: true })
  watch([shown, inView], loadSoon)
  onBeforeUnmount(() => {
    arrangeController.abort()
    loadController.abort()
    clearTimeout(timer)
    unsubscribe()
  })

  /** Resolves when the requested rows are on screen, or the request has failed. */
  async function settled(): Promise<void> {
    await nextTick()
    if (!isArranging.value) return
    await new Promise<void>((resolve) => {
      const stop = watch(isArranging, () => {
        stop()
        resolve()
      })
    })
  }

  return {
    /** Rows to render; none until the first arrangement is ready. */
    rows: computed(() => shown.value?.rows ?? NO_ROWS),
    /** Source of the rows on screen; null before the first. */
    source: computed(() => shown.value?.source ?? null),
    arrangement: computed(() => shown.value?.arrangement ?? null),
    count: computed(() => shown.value?.count ?? 0),
    total: computed(() => shown.value?.total ?? 0),
    version: computed(() => shown.value?.version ?? -1),
    isArranging,
    problem,
    settled,
    /** Repeats the last failed request. */
    retry: () => repeatFailed(),
  }
}
