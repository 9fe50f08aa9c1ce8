import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { toAppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { allSeries, type WorkspaceDocument } from '#shared/workspace/workspace.ts'
import type { TimeRange } from '../../charts/model.ts'
import { useSeries } from '../../stores/series.ts'
import { extentOfAll, wantedStretch, type LoadedSeries, type Part } from './loadedSeries.ts'
import { questionOf, type Question } from './question.ts'

const NOTHING: LoadedSeries = { whole: null, detail: null, error: null, trouble: null }
const ALL = { startMs: null, endMs: null }
/** Twice as many as a wide plot has pixels, as the stretch is twice as long as the view. */
const POINTS = 4000
const SHOWN_WITHOUT_DATA_DAYS = 7
/** The turns of a wheel come faster than anyone looks. */
const SETTLED_AFTER_MS = 60

/** Keeps the points of all series of a document at hand: all of each from afar, and what is in view from near. */
export function useSeriesData(document: () => WorkspaceDocument) {
  const series = useSeries()
  const loaded = shallowRef<ReadonlyMap<string, LoadedSeries>>(new Map())
  const running = new Map<string, AbortController>()

  /** By the id of the series. */
  const questions = computed(() => {
    const all = allSeries(document())
    return new Map(all.map((entry) => [entry.id, questionOf(entry, all)]))
  })
  const byKey = computed(() => new Map([...questions.value.values()].map((one) => [JSON.stringify(one), one])))
  const extent = computed(() => extentOfAll([...byKey.value.keys()].flatMap((key) => loaded.value.get(key) ?? [])))
  const view = computed<TimeRange>(() => document().range ?? extent.value ?? lastDays())
  const isLoading = computed(() =>
    [...byKey.value.keys()].some((key) => {
      const one = loaded.value.get(key)
      return !one || (!one.whole && !one.error && !one.trouble)
    }),
  )

  function put(key: string, patch: Partial<LoadedSeries>): void {
    loaded.value = new Map(loaded.value).set(key, { ...(loaded.value.get(key) ?? NOTHING), ...patch })
  }

  async function ask(question: Question, range: typeof ALL | TimeRange, originMs: number | null, signal: AbortSignal) {
    if (question.kind === 'overview') {
      const {
        points,
        range: answered,
        ...rest
      } = await series.overview({ ...question.input, ...range, points: POINTS }, signal)
      return { part: { ...answered, points, ...rest, unit: null, unitWarnings: [] } satisfies Part, trouble: null }
    }
    if (question.kind === 'trouble') return { part: null, trouble: question.trouble }
    const answer = await series.evaluate({ ...question.input, ...range, originMs, points: POINTS }, signal)
    const inputs = Object.values(answer.inputs)
    const part: Part = {
      ...answer.range,
      points: answer.points,
      coverage: inputs.flatMap(({ coverage }) => coverage),
      unread: inputs.flatMap(({ unread }) => unread),
      absentColumns: inputs.flatMap(({ absentColumns }) => absentColumns),
      files: inputs.flatMap(({ files }) => files),
      unit: answer.unit,
      unitWarnings: answer.unitWarnings,
    }
    return { part, trouble: answer.problem }
  }

  async function load(key: string, question: Question, stretch: TimeRange | null): Promise<void> {
    const slot = `${stretch ? 'detail' : 'whole'} ${key}`
    running.get(slot)?.abort()
    const controller = new AbortController()
    running.set(slot, controller)
    const before = loaded.value.get(key) ?? NOTHING
    try {
      // Sums begin where the data begin, however little of them is in view.
      const originMs = before.whole && stretch ? before.whole.startMs : null
      const { part, trouble } = await ask(question, stretch ?? ALL, originMs, controller.signal)
      if (controller.signal.aborted) return
      put(key, { trouble, error: null, ...(stretch ? { detail: part } : { whole: part }) })
    } catch (thrown) {
      if (!controller.signal.aborted) put(key, { error: toAppError(thrown) })
    } finally {
      if (running.get(slot) === controller) running.delete(slot)
    }
  }

  function lookCloser(): void {
    for (const [key, question] of byKey.value) {
      const one = loaded.value.get(key)
      const stretch = one && !one.error && wantedStretch(one, view.value)
      if (stretch) void load(key, question, stretch)
    }
  }

  /** Asks again for everything: files came or went, or another connection is in use. What is shown stays until then. */
  async function reload(): Promise<void> {
    const all = [...byKey.value]
    await Promise.all(all.map(([key, question]) => load(key, question, null)))
    for (const [key, question] of all) {
      const detail = loaded.value.get(key)?.detail
      if (detail) void load(key, question, { startMs: detail.startMs, endMs: detail.endMs })
    }
    lookCloser()
  }

  function forget(): void {
    for (const controller of running.values()) controller.abort()
    running.clear()
    loaded.value = new Map()
  }

  watch(
    () => [...byKey.value.keys()].join('\n'),
    () => {
      const kept = [...loaded.value].filter(([key]) => byKey.value.has(key))
      if (kept.length < loaded.value.size) loaded.value = new Map(kept)
      for (const [key, question] of byKey.value) if (!loaded.value.has(key)) void load(key, question, null)
    },
    { immediate: true },
  )
  let settling: ReturnType<typeof setTimeout> | undefined
  watch([() => `${view.value.startMs} ${view.value.endMs}`, loaded], () => {
    clearTimeout(settling)
    settling = setTimeout(lookCloser, SETTLED_AFTER_MS)
  })
  onScopeDispose(() => {
    clearTimeout(settling)
    forget()
  })

  const of = (seriesId: string): LoadedSeries => {
    const question = questions.value.get(seriesId)
    return (question && loaded.value.get(JSON.stringify(question))) ?? NOTHING
  }

  return { of, questions, extent, view, isLoading, reload, forget }
}

function lastDays(): TimeRange {
  const endMs = Math.floor(Date.now() / MS_PER_DAY) * MS_PER_DAY
  return { startMs: endMs - SHOWN_WITHOUT_DATA_DAYS * MS_PER_DAY, endMs }
}
