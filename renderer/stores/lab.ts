import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import type { Expectation } from '#shared/contract/areas/ledger.ts'
import type {
  KeptTrial,
  LabDocument,
  MissingStudyFiles,
  StudyAnswer,
  StudySourceFacts,
  TestFormat,
  TestTable,
  TrialPreview,
} from '#shared/contract/areas/lab.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Opened } from '#shared/contract/documents/documentKinds.ts'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { neededBytes } from '#shared/lab/studyMemory.ts'
import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import {
  type AnyDocument,
  countsWhenRun,
  formulasOf,
  kindFacts,
  kindOf,
  type LabKind,
  valueFormulasOf,
} from '#shared/lab/kinds.ts'
import { fieldAround } from '#shared/lab/kinds/field.ts'
import { parseDocument } from '#shared/lab/parseStudy.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { labText } from '../text/lab.ts'
import { useDownloads } from './downloads.ts'
import { useFiles } from './files.ts'
import { useHost } from './host.ts'
import { createTrials } from './labTrials.ts'
import { createDocuments } from './openDocument.ts'
import { useToasts } from './toasts.ts'

/** Idle time after typing before a small study runs automatically. */
export const RUN_AFTER_MS = 800

/** Largest study of cached data that runs automatically, as its number of cells times its number of horizons. */
const MOST_SMALL_CELLS = 500_000

type StoreHost = ReturnType<typeof useHost>

/** A problem of a study; `field` is empty if it does not concern a field of the form. */
export interface StudyProblem {
  field: string
  message: string
}

/** Creates the document of a new study of a kind, without rows. */
export const newDocument = (kind: LabKind): LabDocument => ({
  version: 1,
  study: { version: 1, kind, ...('interval' in kindFacts(kind).fields && { interval: '1h' }) },
  panel: null,
})

/** Number of the trial that ran last. */
const latestOf = (trials: readonly KeptTrial[]): number | undefined =>
  trials.reduce<KeptTrial | undefined>((last, each) => (last && last.ranAt > each.ranAt ? last : each), undefined)
    ?.trial

/** Returns the JSON of a value with sorted keys, because the core returns the keys of a document in an order of its own. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part instanceof Object && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )

/** Checks a study except for its formulas, which only a run can check because they name columns of the rows. */
export function checkDocument({ study, panel }: LabDocument): { study: AnyDocument } | { problem: StudyProblem } {
  try {
    return { study: parseDocument({ ...study, name: null }, { fromCache: panel === null }) }
  } catch (error) {
    if (!(error instanceof StudyError)) throw error
    const { field, message, comparedWith } = error
    const { message: text, ...problem } = problemOf(field, message)
    // A field that is compared with another one names it as the form does.
    const label = `“${fieldLabel(kindOf(study), comparedWith ?? '')}”`
    return { problem: { ...problem, message: comparedWith ? text.replace(comparedWith, label) : text } }
  }
}

/** Returns what a study computes, as text: a default that is written out is the same as one that is left out. */
function recipeText(document: LabDocument): string {
  const checked = checkDocument(document)
  return sortedJson('problem' in checked ? document : { ...document, study: checked.study })
}

/** Makes the problem of a field from a message that begins with it; a list index is left out. */
const problemOf = (field: string, message: string): StudyProblem => ({
  field: field.split('[')[0],
  message: field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message,
})

/** Returns the label of a field, or of the one around it; the name of a field that the kind does not have. */
export const fieldLabel = (kind: LabKind | null, path: string): string =>
  fieldAround(kindFacts(kind ?? 'signal').fields, path)?.label ?? path

/** Tells whether a problem concerns a field or a part of it. */
export const isProblemOf = (problem: StudyProblem | null, name: string): boolean =>
  problem !== null && (problem.field === name || problem.field.startsWith(`${name}.`))

/** Returns the message for a field; empty if it has no problem. */
export const problemMessage = (problem: StudyProblem | null, name: string): string =>
  isProblemOf(problem, name) ? (problem?.message ?? '') : ''

/** Tells whether a study takes its rows from the cache; false for a panel file, and before the rows are chosen. */
export const usesCache = (document: LabDocument | null): boolean => document?.panel === null && !!document.study.source

/**
 * Loads the symbol lists of the venues of a study that names symbols, because the core recognises misspelt symbols only
 * by them; returns false for any other study.
 */
async function loadSymbolLists({ study, panel }: LabDocument, host: StoreHost, signal: AbortSignal): Promise<boolean> {
  const { exchanges, symbols } = (study.source ?? {}) as Partial<Record<'exchanges' | 'symbols', unknown>>
  if (panel || !Array.isArray(symbols) || !Array.isArray(exchanges)) return false
  const lists = exchanges.map((exchange: string) => host.call('discovery.symbols', { exchange }, { signal }))
  await Promise.allSettled(lists)
  return true
}

/** Runs the open study, one run at a time. */
function createRunner(current: { value: Opened<'study'> | null }, host: StoreHost) {
  const answer = shallowRef<StudyAnswer | null>(null)
  const error = shallowRef<AppError | null>(null)
  const progress = shallowRef<Progress | null>(null)
  const running = shallowRef<AbortController | null>(null)

  async function run({ openHoldout = false, isAutomatic = false } = {}): Promise<void> {
    const openStudy = current.value
    if (!openStudy) return
    running.value?.abort()
    const controller = new AbortController()
    running.value = controller
    progress.value = null
    try {
      const { id, document } = openStudy
      const { signal } = controller
      const runStudy = () =>
        host.call(
          'lab.run',
          { id, document, ...(openHoldout && { openHoldout }), ...(isAutomatic && { isAutomatic }) },
          { signal, onProgress: (now) => void (progress.value = now) },
        )
      const result = await runStudy().catch(async (thrown: unknown) => {
        const isRefused = toAppError(thrown).code === 'bad-input'
        if (!isRefused || !(await loadSymbolLists(document, host, signal))) throw thrown
        return runStudy()
      })
      if (running.value !== controller) return
      answer.value = result
      error.value = null
    } catch (thrown) {
      if (running.value === controller && !controller.signal.aborted) error.value = toAppError(thrown)
    } finally {
      if (running.value === controller) running.value = null
    }
  }

  function cancel(): void {
    running.value?.abort()
    running.value = null
  }

  function clear(): void {
    cancel()
    answer.value = null
    error.value = null
  }

  /** Loads an answer of another study. */
  async function load(id: string, trial?: number): Promise<void> {
    clear()
    const storedAnswer = await host.call('lab.answer', { id, ...(trial !== undefined && { trial }) })
    if (current.value?.id === id && !running.value) answer.value = storedAnswer
  }

  return { answer, error, progress, isRunning: computed(() => running.value !== null), run, cancel, clear, load }
}

/** Pause in typing after which the files that the formulas need are looked up. */
const SOURCE_AFTER_MS = 250

/**
 * Returns a text that changes whenever a study needs other rows. It contains the panel files or, for cached data, the
 * entire study, because its formulas name the datasets.
 */
const rowsText = ({ panel, study }: LabDocument): string => sortedJson(panel ?? study)

/**
 * Provides the facts about the rows of the open study, and tells whether the files have changed since its answer was
 * computed. The rows are looked up again whenever the study needs other rows or has another answer.
 */
function createSource(document: { value: LabDocument | null }, answer: { value: StudyAnswer | null }, host: StoreHost) {
  const facts = shallowRef<StudySourceFacts | null>(null)
  const error = shallowRef<AppError | null>(null)
  const isReading = ref(false)
  /** True if files have changed since the run; false while that is unknown. */
  const haveFilesChanged = ref(false)
  const choice = computed(() => JSON.stringify([document.value?.panel ?? null, document.value?.study.source ?? null]))
  const neededRows = computed(() => document.value && rowsText(document.value))
  let controller = new AbortController()

  async function read(): Promise<void> {
    const { signal } = controller
    const [askedDocument, comparedAnswer] = [document.value, answer.value]
    if (!askedDocument) return
    isReading.value = facts.value === null
    try {
      const found = await host.call('lab.source', { document: askedDocument }, { signal })
      if (signal.aborted) return
      facts.value = found
      haveFilesChanged.value =
        !!found &&
        !!comparedAnswer &&
        rowsText(comparedAnswer.document) === rowsText(askedDocument) &&
        comparedAnswer.fingerprint !== found.fingerprint
    } catch (thrown) {
      if (signal.aborted) return
      facts.value = null
      error.value = toAppError(thrown)
    } finally {
      if (!signal.aborted) isReading.value = false
    }
  }

  watch(
    [choice, neededRows, answer],
    ([nowChosen, nowNeeded], [chosenBefore, neededBefore], onCleanup) => {
      controller.abort()
      controller = new AbortController()
      haveFilesChanged.value = false
      error.value = null
      if (nowChosen !== chosenBefore) facts.value = null
      // While the user types a formula, the previous facts stay on screen.
      const isTyped = nowChosen === chosenBefore && nowNeeded !== neededBefore
      const timer = setTimeout(() => void read(), isTyped ? SOURCE_AFTER_MS : 0)
      onCleanup(() => clearTimeout(timer))
    },
    { immediate: true },
  )
  return { facts, error, isReading, haveFilesChanged, read }
}

/**
 * Creates the calls that read individual cells and find missing files. Cells are read for the answer on screen, not for
 * later edits of the study.
 */
function createInspection(
  current: { value: Opened<'study'> | null },
  answer: { value: StudyAnswer | null },
  host: StoreHost,
) {
  const downloads = useDownloads()
  const withDocument = () => ({ document: answer.value?.document ?? current.value!.document })
  async function downloadMissing({ requests }: MissingStudyFiles): Promise<void> {
    const label = labText.answer.downloadLabel(current.value?.name ?? '')
    for (const request of requests) await downloads.enqueue(request, label)
  }
  return {
    section: (query: Omit<CallInput<'lab.section'>, 'document'>, signal: AbortSignal) =>
      host.call('lab.section', { ...withDocument(), ...query }, { signal }),
    symbolRows: (query: Omit<CallInput<'lab.symbol'>, 'document'>, signal: AbortSignal) =>
      host.call('lab.symbol', { ...withDocument(), ...query }, { signal }),
    paths: (signal: AbortSignal) => host.call('lab.paths', withDocument(), { signal }),
    bucket: (query: Omit<CallInput<'lab.bucket'>, 'document'>, signal: AbortSignal) =>
      host.call('lab.bucket', { ...withDocument(), ...query }, { signal }),
    price: (query: Omit<CallInput<'lab.price'>, 'document'>, signal: AbortSignal) =>
      host.call('lab.price', { ...withDocument(), ...query }, { signal }),
    coverage: (signal: AbortSignal) => host.call('lab.coverage', withDocument(), { signal }),
    /** Finds what the cache lacks for the open study; null for a panel file. */
    async missing(signal: AbortSignal): Promise<MissingStudyFiles> {
      const { document } = current.value!
      const missing = await host.call('lab.missing', { document }, { signal })
      if (missing.files === 0 || !(await loadSymbolLists(document, host, signal))) return missing
      return host.call('lab.missing', { document }, { signal })
    },
    downloadMissing,
  }
}

const createTestCalls = (
  current: { value: Opened<'study'> | null },
  answer: { value: StudyAnswer | null },
  host: StoreHost,
) => ({
  /** Reads the last answer of another test, for a comparison. */
  answerOf: (id: string) => host.call('lab.answer', { id }),
  exportTest: (table: TestTable, format: TestFormat) =>
    host.call('lab.exportTest', { id: current.value!.id, trial: answer.value?.trial, table, format }),
  /** Stores the result on screen as series for the workbench. */
  chartTest: () => host.call('lab.chartTest', { id: current.value!.id, trial: answer.value?.trial }),
})

/**
 * Provides the state of the open study: its problem, and whether its answer still fits the document.
 */
function createStudyState(
  document: { value: LabDocument | null },
  runner: ReturnType<typeof createRunner>,
  source: ReturnType<typeof createSource>,
) {
  const checked = computed(() => document.value && checkDocument(document.value))

  /** Current problem of the study: the one found in its fields, or else the one that the last run reported. */
  const problem = computed((): StudyProblem | null => {
    if (checked.value && 'problem' in checked.value) return checked.value.problem
    const { error } = runner
    return error.value?.code === 'bad-input'
      ? problemOf(error.value.field ?? '', error.value.detail ?? error.value.message)
      : null
  })
  const documentText = computed(() => sortedJson(document.value))
  const recipe = computed(() => document.value && recipeText(document.value))
  const answeredRecipe = computed(() => runner.answer.value && recipeText(runner.answer.value.document))
  /** True if the study was edited after the run that produced its answer, so that it would compute something else. */
  const isStale = computed(() => answeredRecipe.value !== null && answeredRecipe.value !== recipe.value)
  /** True for a study of cached data whose last run was small; false before the first run, when its size is unknown. */
  const wasStudySmall = computed(() => {
    const { result } = runner.answer.value ?? {}
    if (!result || result.kind === 'portfolio' || document.value?.panel || !document.value?.study.source) return false
    const horizons = result.kind === 'signal' ? result.horizons.length : 1
    return result.data.symbols * result.data.times * horizons <= MOST_SMALL_CELLS
  })
  const isTest = computed(() => document.value?.study.kind === 'portfolio')
  // What counts in the ledger never runs automatically.
  const runsAutomatically = computed(
    () =>
      !countsWhenRun(document.value?.study) &&
      (source.facts.value?.isSmall ?? wasStudySmall.value) &&
      checked.value !== null &&
      'study' in checked.value,
  )
  /** Memory that the next run takes, in bytes; null if unknown. */
  const memoryBytes = computed(() => {
    const { rows, symbols } = source.facts.value ?? {}
    const { study } = checked.value && 'study' in checked.value ? checked.value : {}
    if (rows === undefined || symbols === undefined || !study || study.kind === 'portfolio' || study.kind === 'blend')
      return null
    const columnCount = columnsNamed(formulasOf(study).map(({ formula }) => formula)).length
    const timeCount = Math.ceil(rows / Math.max(1, symbols.length))
    return neededBytes(study, { timeCount, symbolCount: symbols.length, columnCount })
  })
  /**
   * Columns that the formulas of a study need while its rows are not chosen, for example after an import from a file.
   */
  const neededColumns = computed((): readonly string[] => {
    const openDocument = document.value
    if (!openDocument || openDocument.panel || openDocument.study.source) return []
    // The check assumes a panel, because its columns have plain names, unlike those of the cache.
    const checkedDocument = checkDocument({ ...openDocument, panel: { path: '', against: null } })
    if (!('study' in checkedDocument)) return []
    const { study } = checkedDocument
    return columnsNamed(valueFormulasOf(study).map(({ formula }) => formula))
  })
  return {
    problem,
    documentText,
    isStale,
    isTest,
    runsAutomatically,
    neededBytes: memoryBytes,
    neededColumns,
  }
}

/** Pause in typing after which the ledger is asked about the document. */
const LOOK_UP_AFTER_MS = 250

/** Asks the ledger about the open document, again whenever the document or the ledger changes. */
function createLedgerLookup<Found>(
  document: { value: LabDocument | null },
  ask: (edited: LabDocument, signal: AbortSignal) => Promise<Found | null> | null,
) {
  const found = shallowRef<Found | null>(null)
  const ledgerChanges = ref(0)
  watch(
    [() => JSON.stringify(document.value), ledgerChanges],
    (_now, _before, onCleanup) => {
      const controller = new AbortController()
      const timer = setTimeout(() => {
        const edited = document.value
        // If the ledger does not answer, nothing is shown of it.
        const answer = edited && ask(edited, controller.signal)
        if (answer) answer.then((now) => void (found.value = now)).catch(() => undefined)
        else found.value = null
      }, LOOK_UP_AFTER_MS)
      onCleanup(() => {
        clearTimeout(timer)
        controller.abort()
      })
    },
    { immediate: true },
  )
  return { found, refresh: () => void (ledgerChanges.value += 1) }
}

/** Runs a small study when the user pauses after a change; every further change restarts the timer. */
function createAutoRun(
  { documentText, isStale, runsAutomatically }: ReturnType<typeof createStudyState>,
  runner: ReturnType<typeof createRunner>,
): void {
  watch([documentText, runsAutomatically, runner.answer], (_now, _before, onCleanup) => {
    runner.error.value = null
    if (!runsAutomatically.value || (runner.answer.value && !isStale.value)) return
    const timer = setTimeout(() => void runner.run({ isAutomatic: true }), RUN_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })
}

/** The open study of the Lab, which is saved automatically, its answer, and the list of all studies. */
export const useLab = defineStore('lab', () => {
  const host = useHost()
  const toasts = useToasts()
  const files = useFiles()
  const current = shallowRef<Opened<'study'> | null>(null)
  const isLoaded = ref(false)
  let starting: Promise<void> | null = null

  const documents = createDocuments('study', { current, show })
  const { list, autosave, history, actions } = documents
  const runner = createRunner(current, host)
  const document = computed(() => current.value?.document ?? null)
  const source = createSource(document, runner.answer, host)
  const state = createStudyState(document, runner, source)
  const trial = createLedgerLookup<TrialPreview>(document, (edited, signal) =>
    edited.study.kind === 'portfolio' ? host.call('lab.trial', { document: edited }, { signal }) : null,
  )
  const expectation = createLedgerLookup<Expectation>(document, ({ study, panel }, signal) =>
    host.call('ledger.expectation', { document: { ...study }, onPanel: panel !== null }, { signal }),
  )
  const isSame = (one: LabDocument, other: LabDocument) => recipeText(one) === recipeText(other)
  const trials = createTrials({ current, answer: runner.answer, host, edit, isSame })
  const { documentText, isStale, runsAutomatically } = state

  function show(study: Opened<'study'> | null): void {
    const isOther = study?.id !== current.value?.id
    current.value = study
    history.clear()
    autosave.isSaved.value = true
    if (!isOther) return
    if (study) void loadAnswer(study).catch(toasts.problem)
    else runner.cancel()
  }

  /** Loads the answer of the trial that has the recipe of the study, or else the latest. */
  async function loadAnswer({ id, document: recipe }: Opened<'study'>): Promise<void> {
    runner.clear()
    await trials.load(id)
    if (current.value?.id !== id) return
    await runner.load(id, trials.trials.value.findLast((each) => isSame(each.document, recipe))?.trial)
  }

  function start(): Promise<void> {
    if (isLoaded.value) return Promise.resolve()
    starting ??= begin().finally(() => (starting = null))
    return starting
  }

  /** Applies changes that other windows make, including the answers of their runs. */
  async function follow(): Promise<void> {
    await documents.follow()
    const { id } = current.value ?? {}
    const ranAt = list.value.find((each) => each.id === id)?.ranAt ?? 0
    const before = trials.trials.value
    const wasLatestShown = runner.answer.value === null || runner.answer.value.trial === latestOf(before)
    if (!id || runner.isRunning.value || ranAt <= Math.max(0, ...before.map((each) => each.ranAt))) return
    await trials.load(id)
    if (wasLatestShown && ranAt > (runner.answer.value?.ranAt ?? 0)) await runner.load(id)
  }

  async function begin(): Promise<void> {
    await documents.loadList()
    if (isLoaded.value) return
    isLoaded.value = true
    documents.listen({ follow, catchUp: documents.catchUp })
    host.on('ledger.changed', () => [trial, expectation].forEach(({ refresh }) => refresh()))
    host.on('instruments.changed', () => void source.read())
  }

  createAutoRun(state, runner)
  // An answer that came from a run of this window is a trial that is not listed yet.
  watch(runner.answer, (now) => {
    const isListed = trials.trials.value.some((each) => each.trial === now?.trial && each.ranAt === now.ranAt)
    if (now && current.value && !isListed) void trials.load(current.value.id).catch(toasts.problem)
  })

  /** Changes the document. */
  function edit(change: (before: LabDocument) => LabDocument): void {
    const openStudy = current.value
    if (!openStudy) return
    const next = change(openStudy.document)
    if (sortedJson(next) === documentText.value) return
    history.remember(openStudy.document, next)
    current.value = { ...openStudy, document: next }
    autosave.saveSoon()
  }

  /** Lets the user choose a panel file and sets it in the study. */
  const pickPanel = (role: 'path' | 'against') =>
    files.pickFor('panel', async (file) => {
      const { path } = await host.call('lab.takePanel', { file })
      edit((before) => withPanel(before, role, path))
    })

  return {
    list,
    current,
    document,
    name: computed(() => current.value?.name ?? ''),
    isLoaded,
    isSaved: autosave.isSaved,
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    undo: history.undo,
    redo: history.redo,
    problem: state.problem,
    isStale,
    haveFilesChanged: source.haveFilesChanged,
    isTest: state.isTest,
    runsAutomatically,
    neededBytes: state.neededBytes,
    neededColumns: state.neededColumns,
    /** Trial that the next run would record; null for an incomplete test, for other studies, and until looked up. */
    trial: trial.found,
    /** What was registered of the document; null until looked up, and for an incomplete one. */
    expectation: expectation.found,
    answer: runner.answer,
    /** Document behind the answer if it reads rows of symbols; null for a blend. */
    answeredStudy: computed(() => {
      const study = runner.answer.value?.result.study ?? null
      return study?.kind === 'blend' ? null : study
    }),
    error: runner.error,
    progress: runner.progress,
    isRunning: runner.isRunning,
    /** Runs the open study; `openHoldout` opens the sealed days of a test for its entire family. */
    run: async (openHoldout = false) => {
      await autosave.save()
      await runner.run({ openHoldout })
    },
    /** Trials of the study, in the order of their numbers. */
    trials: trials.trials,
    untried: trials.untried,
    openTrial: trials.open,
    resumeUntried: trials.resume,
    trialAnswer: trials.answerOf,
    ...createTestCalls(current, runner.answer, host),
    cancel: runner.cancel,
    source: source.facts,
    sourceError: source.error,
    isReadingSource: source.isReading,
    start,
    edit,
    ...actions,
    pickPanel,
    ...createInspection(current, runner.answer, host),
  }
})

/** Sets a panel file; an empty path removes it. */
export function withPanel(before: LabDocument, role: 'path' | 'against', path: string): LabDocument {
  const { panel } = before
  if (role === 'path') return { ...before, panel: path ? { path, against: panel?.against ?? null } : null }
  return panel ? { ...before, panel: { ...panel, against: path || null } } : before
}
