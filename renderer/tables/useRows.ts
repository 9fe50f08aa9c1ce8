import { computed, onBeforeUnmount, shallowRef, watch, type Ref } from 'vue'
import type { Arrangement, RowSource } from './rows.ts'

/** Between two requests while the view moves on: a drag through a long file must not ask for all of it. */
const LOAD_EVERY_MS = 50

export interface RowRange {
  from: number
  to: number
}

/** A source's state as the table shows it: arranged as asked for, and loaded where it is looked at. */
export function useRows(source: Ref<RowSource>, arrangement: Ref<Arrangement>, inView: () => RowRange) {
  const state = shallowRef({ count: 0, total: 0, version: -1 })
  const isArranging = shallowRef(true)
  const problem = shallowRef<string | null>(null)
  let arranging = new AbortController()
  let loading = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastLoadMs = 0
  let again: () => void = () => {}

  const read = () => {
    const { count, total, version } = source.value
    state.value = { count, total, version }
  }

  /** Runs what the source does; says what failed unless nobody wants it any more. */
  async function attempt(signal: AbortSignal, work: Promise<void>, repeat: () => void): Promise<void> {
    try {
      await work
      // What went well says nothing of what else failed.
      if (!signal.aborted && again === repeat) problem.value = null
    } catch (error) {
      if (signal.aborted) return
      problem.value = error instanceof Error ? error.message : String(error)
      again = repeat
    }
  }

  async function arrange(): Promise<void> {
    arranging.abort()
    const { signal } = (arranging = new AbortController())
    isArranging.value = true
    await attempt(signal, source.value.arrange(arrangement.value, signal), arrange)
    if (signal.aborted) return
    isArranging.value = false
    read()
  }

  function load(): void {
    timer = undefined
    lastLoadMs = performance.now()
    const { from, to } = inView()
    const next = new AbortController()
    // The new wish stands before the old one goes: what both want is not fetched twice.
    const work = source.value.load(from, to, next.signal)
    loading.abort()
    loading = next
    void attempt(next.signal, work, load)
  }

  function loadSoon(): void {
    const waitMs = lastLoadMs + LOAD_EVERY_MS - performance.now()
    if (waitMs <= 0) load()
    else timer ??= setTimeout(load, waitMs)
  }

  function stop(): void {
    arranging.abort()
    loading.abort()
    clearTimeout(timer)
    timer = undefined
  }

  watch(
    source,
    (next, _, onCleanup) => {
      const end = next.subscribe(read)
      onCleanup(() => {
        end()
        stop()
      })
      read()
    },
    { immediate: true },
  )
  watch([source, () => JSON.stringify(arrangement.value)], () => void arrange(), { immediate: true })
  watch([state, inView], loadSoon, { immediate: true })
  onBeforeUnmount(stop)

  return {
    count: computed(() => state.value.count),
    total: computed(() => state.value.total),
    version: computed(() => state.value.version),
    isArranging,
    problem,
    /** Does again what failed last. */
    retry: () => again(),
  }
}
