import { defineStore } from 'pinia'
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import type {
  OpenedSql,
  PlanOperator,
  QueryDocument,
  RanQuery,
  SqlCheck,
  SqlDictionary,
  SqlExportFormat,
  SqlProblem,
} from '#shared/contract/areas/sql.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Opened } from '#shared/contract/documents/documentKinds.ts'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import { sqlText } from '../text/sql.ts'
import { onCacheChange } from './cache.ts'
import { useDownloads } from './downloads.ts'
import { useHost } from './host.ts'
import { createDocuments } from './openDocument.ts'
import { inOrder, startOnce } from './resource.ts'
import { useToasts } from './toasts.ts'

type StoreHost = ReturnType<typeof useHost>

/** Idle time after typing before a query is checked. */
export const CHECK_AFTER_MS = 400
/** Pause in typing that separates two undo steps. */
const UNDO_PAUSE_MS = 1000
/** Maximum number of pinned results; the engine keeps eight open. */
const MOST_PINNED = 3

/** Text that was run, which may be only a selection, and its place in the complete text. */
export interface RunPlace {
  sql: string
  /** Offset in the complete text of the first character that was run. */
  start: number
}

export const newQuery = (sql = '', parameters: Record<string, string> = {}): QueryDocument => ({
  version: 1,
  sql,
  parameters: { ...parameters },
})

/** Returns the values of the named parameters; of all parameters if the names are unknown. */
function usedParameters({ parameters }: QueryDocument, names: readonly string[] | null): Record<string, string> {
  if (names === null) return parameters
  return Object.fromEntries(names.flatMap((name) => (name in parameters ? [[name, parameters[name]]] : [])))
}

/**
 * Creates a checker of the open query; it checks whenever the user stops typing, and provides the problem of the query,
 * its parameters and what it would read.
 */
function createChecker(document: { value: QueryDocument | null }, host: StoreHost) {
  const check = shallowRef<SqlCheck | null>(null)
  const parameters = shallowRef<readonly string[]>([])
  const rechecks = ref(0)
  watch(
    [() => JSON.stringify(document.value), rechecks],
    (_now, _before, onCleanup) => {
      const edited = document.value
      if (!edited) {
        check.value = null
        parameters.value = []
        return
      }
      const controller = new AbortController()
      const timer = setTimeout(() => {
        const { sql, parameters: values } = edited
        host.call('sql.check', { sql, parameters: values }, { signal: controller.signal }).then(
          (found) => {
            check.value = found
            // The parameter fields stay while the text is incomplete.
            if (found.parameters) parameters.value = found.parameters
          },
          (thrown: unknown) => {
            if (!controller.signal.aborted)
              check.value = {
                parameters: null,
                problem: problemWithoutPlace(toAppError(thrown)),
                preflight: null,
                requests: [],
              }
          },
        )
      }, CHECK_AFTER_MS)
      onCleanup(() => {
        clearTimeout(timer)
        controller.abort()
      })
    },
    { immediate: true },
  )
  return { check, parameters, recheck: () => void (rechecks.value += 1) }
}

const problemWithoutPlace = ({ detail, sentence }: AppError): SqlProblem => ({
  message: detail ?? sentence,
  line: null,
  column: null,
})

/** A result on screen. */
export interface ShownResult extends OpenedSql {
  isPinned: boolean
  /** Name of the query that produced the result. */
  name: string
}

/**
 * Creates the functions that run queries, one at a time; the engine keeps the results open while they are on screen.
 */
function createRunner(host: StoreHost) {
  const results = shallowRef<ShownResult[]>([])
  const problem = shallowRef<SqlProblem | null>(null)
  const error = shallowRef<AppError | null>(null)
  const plan = shallowRef<{ operators: PlanOperator[]; totalMs: number } | null>(null)
  const running = shallowRef<{ controller: AbortController; startedMs: number } | null>(null)

  /** Runs one operation on the engine; an earlier one is cancelled. */
  async function runOperation(
    request: (signal: AbortSignal) => Promise<{ problem: SqlProblem } | object>,
  ): Promise<void> {
    running.value?.controller.abort()
    const controller = new AbortController()
    const ownRun = { controller, startedMs: performance.now() }
    running.value = ownRun
    problem.value = null
    error.value = null
    try {
      const answer = await request(controller.signal)
      if ('problem' in answer && running.value === ownRun) problem.value = answer.problem
    } catch (thrown) {
      if (running.value === ownRun && !controller.signal.aborted) error.value = toAppError(thrown)
    } finally {
      if (running.value === ownRun) running.value = null
    }
  }

  const closeResults = (all: readonly ShownResult[]) => {
    // Errors are ignored, because an engine that has restarted has already closed its results.
    for (const { id } of all) void host.call('sql.close', { result: id }).catch(() => {})
  }

  const run = (name: string, sql: string, parameters: Record<string, string>) =>
    runOperation(async (signal) => {
      const answer = await host.call('sql.run', { sql, parameters }, { signal })
      if ('problem' in answer) return answer
      const pinned = results.value.filter(({ isPinned }) => isPinned)
      closeResults(results.value.filter(({ isPinned }) => !isPinned))
      plan.value = null
      results.value = [...pinned, { ...answer.opened, isPinned: false, name }]
      return answer
    })

  const measure = (sql: string, parameters: Record<string, string>) =>
    runOperation(async (signal) => {
      const answer = await host.call('sql.plan', { sql, parameters }, { signal })
      if (!('problem' in answer)) plan.value = answer
      return answer
    })

  function togglePin(id: number): void {
    const pinned = results.value.filter(({ isPinned, id: each }) => isPinned && each !== id)
    const unpinned = pinned.slice(0, Math.max(0, pinned.length - MOST_PINNED + 1))
    closeResults(unpinned)
    results.value = results.value
      .filter((each) => !unpinned.includes(each))
      .map((each) => (each.id === id ? { ...each, isPinned: !each.isPinned } : each))
  }

  function close(id: number): void {
    closeResults(results.value.filter((each) => each.id === id))
    results.value = results.value.filter((each) => each.id !== id)
  }

  function cancel(): void {
    running.value?.controller.abort()
    running.value = null
  }

  /**
   * Closes the results of the query that is being left. Pinned results stay, so that they can be compared with the
   * results of other queries.
   */
  function leave(): void {
    cancel()
    closeResults(results.value.filter(({ isPinned }) => !isPinned))
    results.value = results.value.filter(({ isPinned }) => isPinned)
    problem.value = null
    error.value = null
    plan.value = null
  }

  return { results, problem, error, plan, running, run, measure, togglePin, close, cancel, leave }
}

/** Creates the calls that read rows of results, and export or store results. */
const createResultCalls = (host: StoreHost) => ({
  rows: (input: CallInput<'sql.rows'>, signal: AbortSignal) => host.call('sql.rows', input, { signal }),
  exportResult: (resultId: number, name: string, format: SqlExportFormat) =>
    host.call('sql.export', { result: resultId, name, format }),
  toSeries: (resultId: number, name: string) => host.call('sql.toSeries', { result: resultId, name }),
  toPanel: (resultId: number, name: string) => host.call('sql.toPanel', { result: resultId, name }),
})

/** Creates the function that changes the document; typing without a pause becomes one undo step. */
function createEditor(
  current: { value: Opened<'query'> | null },
  history: { remember(before: QueryDocument, after: QueryDocument): void },
  saveSoon: () => void,
) {
  let lastEdit = { fields: '', atMs: -Infinity }
  return (change: Partial<Pick<QueryDocument, 'sql' | 'parameters'>>): void => {
    const openQuery = current.value
    if (!openQuery) return
    const next = { ...openQuery.document, ...change }
    if (JSON.stringify(next) === JSON.stringify(openQuery.document)) return
    const fields = Object.keys(change).join(' ')
    const nowMs = performance.now()
    if (fields !== lastEdit.fields || nowMs - lastEdit.atMs > UNDO_PAUSE_MS) history.remember(openQuery.document, next)
    lastEdit = { fields, atMs: nowMs }
    current.value = { ...openQuery, document: next }
    saveSoon()
  }
}

/** The open query of the SQL screen, which is saved automatically, its results, and the list of all queries. */
export const useSql = defineStore('sql', () => {
  const host = useHost()
  const toasts = useToasts()
  const downloads = useDownloads()
  const runs = shallowRef<RanQuery[]>([])
  const current = shallowRef<Opened<'query'> | null>(null)
  const dictionary = shallowRef<SqlDictionary | null>(null)

  const { list, autosave, history, loadList, listen, actions } = createDocuments('query', { current, show })
  const document = computed(() => current.value?.document ?? null)
  const checker = createChecker(document, host)
  onCacheChange(checker.recheck)
  const runner = createRunner(host)
  const edit = createEditor(current, history, autosave.saveSoon)

  function show(query: Opened<'query'> | null): void {
    const isOther = query?.id !== current.value?.id
    current.value = query
    history.clear()
    autosave.isSaved.value = true
    if (isOther) runner.leave()
  }

  const loadRuns = inOrder(
    () => host.call('sql.history', {}),
    (found) => (runs.value = found),
  )

  const loadDictionary = inOrder(
    () => host.call('sql.dictionary', {}),
    (found) => (dictionary.value = found),
  )

  const start = startOnce(begin)

  async function begin(): Promise<void> {
    await Promise.all([loadList(), loadRuns()])
    host.on('sql.changed', () => void loadRuns().catch(toasts.problem))
    listen()
  }

  /** Runs the open query, or the part of it that is selected. */
  function run(selectedSql?: string): Promise<void> {
    const openQuery = current.value
    if (!openQuery) return Promise.resolve()
    const parameters = usedParameters(openQuery.document, selectedSql === undefined ? checker.parameters.value : null)
    return runner.run(openQuery.name, selectedSql ?? openQuery.document.sql, parameters)
  }

  async function downloadMissing(): Promise<number> {
    const requests = checker.check.value?.requests ?? []
    const label = sqlText.preflight.downloadLabel(current.value?.name ?? '')
    for (const request of requests) await downloads.enqueue(request, label)
    return requests.length
  }

  return {
    list,
    runs,
    current,
    document,
    dictionary,
    name: computed(() => current.value?.name ?? ''),
    isSaved: autosave.isSaved,
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    undo: history.undo,
    redo: history.redo,
    ...actions,
    ...createResultCalls(host),
    check: checker.check,
    parameters: checker.parameters,
    results: runner.results,
    problem: computed(() => runner.problem.value ?? checker.check.value?.problem ?? null),
    error: runner.error,
    plan: runner.plan,
    running: runner.running,
    isRunning: computed(() => runner.running.value !== null),
    run,
    measure: () =>
      current.value ? runner.measure(current.value.document.sql, current.value.document.parameters) : null,
    cancel: runner.cancel,
    togglePin: runner.togglePin,
    closeResult: runner.close,
    closePlan: () => void (runner.plan.value = null),
    edit,
    start,
    loadDictionary,
    downloadMissing,
    clearHistory: () => host.call('sql.clearHistory', {}),
  }
})

/** Loads the dictionary, and again whenever tables, their columns or what is here of them may differ. */
export function followDictionary(): void {
  const host = useHost()
  const sql = useSql()
  const toasts = useToasts()
  const load = () => void sql.loadDictionary().catch(toasts.problem)
  load()
  onCacheChange(load)
  const changes = ['connections.changed', 'data.changed', 'discovery.changed', 'portfolio.changed'] as const
  const ends = changes.map((name) => host.on(name, load))
  onScopeDispose(() => ends.forEach((end) => end()))
}
