import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { BoardAnswer, BoardContent, BoardDocument, BoardPart } from '#shared/contract/areas/boards.ts'
import type { Opened } from '#shared/contract/documents/documentKinds.ts'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import { countsWhenRun } from '#shared/lab/kinds.ts'
import { useHost } from './host.ts'
import { createDocuments } from './openDocument.ts'
import { useReports } from './reports.ts'
import { inOrder, startOnce } from './resource.ts'
import { useToasts } from './toasts.ts'

type StoreHost = ReturnType<typeof useHost>

export const emptyBoard = (): BoardDocument => ({ version: 1, parts: [] })

/** Last answer of a part, null if there is none, and the error if a later attempt failed. */
export interface PartAnswer {
  answer: BoardAnswer | null
  error: AppError | null
}

/**
 * Returns a key that depends only on the content of a part, so that a part that is moved or resized keeps its answer.
 */
export const contentKey = (content: BoardContent): string => JSON.stringify(content)

/**
 * Tells whether a part may run automatically. Tested portfolios and screens never do, because each run on new data
 * counts in the ledger.
 */
const runsAutomatically = (content: BoardContent): boolean =>
  !(content.kind === 'study' && countsWhenRun(content.document))

/** Computes the parts of the open board, one after another because the computation of one part may use all cores. */
function createPartRunner(current: { value: Opened<'board'> | null }, host: StoreHost) {
  const answers = shallowRef<ReadonlyMap<string, PartAnswer>>(new Map())
  /** The part being computed, followed by those waiting. */
  const queue = shallowRef<readonly BoardContent[]>([])
  let runController: AbortController | null = null

  async function compute(contents: readonly BoardContent[]): Promise<void> {
    runController?.abort()
    const controller = new AbortController()
    runController = controller
    queue.value = withNotesFirst(contents)
    for (let next = queue.value[0]; next; next = queue.value[0]) {
      const partAnswer = await answerOf(next, controller.signal)
      if (runController !== controller) return
      answers.value = new Map(answers.value).set(contentKey(next), partAnswer)
      queue.value = queue.value.slice(1)
    }
    runController = null
  }

  /** Adds contents to the queue without interrupting the running computation. */
  function enqueue(contents: readonly BoardContent[]): void {
    const [inProgress, ...later] = queue.value
    if (inProgress) queue.value = [inProgress, ...withNotesFirst([...later, ...contents])]
    else void compute(contents)
  }

  /** Computes the answer of a part; on failure the previous answer stays on screen. */
  async function answerOf(content: BoardContent, signal: AbortSignal): Promise<PartAnswer> {
    try {
      const answer = await host.call(
        'boards.answer',
        { connectionId: '', content: withoutProxies(content) },
        { signal },
      )
      return { answer, error: null }
    } catch (thrown) {
      return { answer: answers.value.get(contentKey(content))?.answer ?? null, error: toAppError(thrown) }
    }
  }

  const contents = () => (current.value?.document.parts ?? []).map(({ content }) => content)
  return {
    answers,
    remainingCount: computed(() => queue.value.length),
    run: () => compute(contents()),
    /** Recomputes the parts that may run automatically, with the files that are cached now. */
    follow: () => compute(contents().filter(runsAutomatically)),
    /** Computes the parts that may run automatically and have no answer yet, such as new or changed ones. */
    complete(): void {
      const knownKeys = new Set([...answers.value.keys(), ...queue.value.map(contentKey)])
      const unanswered = contents().filter(
        (content) => runsAutomatically(content) && !knownKeys.has(contentKey(content)),
      )
      if (unanswered.length > 0) enqueue(unanswered)
    },
    cancel(): void {
      runController?.abort()
      runController = null
      queue.value = []
    },
    clear(): void {
      answers.value = new Map()
    },
    /** Forgets the answers of parts that could not be computed. */
    forgetFailures(): void {
      answers.value = new Map([...answers.value].filter(([, { answer }]) => answer !== null))
    },
  }
}

/** Moves notes to the front, because they need no data and would otherwise wait for the computations before them. */
const withNotesFirst = (contents: readonly BoardContent[]): BoardContent[] =>
  [...contents].sort((a, b) => Number(b.kind === 'text') - Number(a.kind === 'text'))

/** Copies a value without Vue's proxies, which cannot cross process boundaries. */
const withoutProxies = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

/** The open board, saved automatically as it changes, the answers of its parts, and the list of all boards. */
export const useBoards = defineStore('boards', () => {
  const host = useHost()
  const reports = useReports()
  const toasts = useToasts()
  const current = shallowRef<Opened<'board'> | null>(null)

  const { list, autosave, history, loadList, listen, actions } = createDocuments('board', { current, show })
  const partRunner = createPartRunner(current, host)

  function show(board: Opened<'board'> | null): void {
    const isOther = board?.id !== current.value?.id
    current.value = board
    history.clear()
    autosave.isSaved.value = true
    if (isOther) {
      partRunner.cancel()
      partRunner.clear()
    }
    partRunner.complete()
    followSources()
  }

  const askFollowed = inOrder(
    (board: Opened<'board'>) => host.call('boards.followed', { document: withoutProxies(board.document) }),
    ({ parts }, { id }) => showFollowed(id, parts),
  )

  /**
   * Shows the documents that parts follow as they are now. That is no change of the board, which each window that shows
   * it would save.
   */
  function followSources(): void {
    const openBoard = current.value
    if (openBoard?.document.parts.some(({ source }) => source)) void askFollowed(openBoard).catch(toasts.problem)
  }

  function showFollowed(boardId: string, parts: readonly BoardPart[]): void {
    const openBoard = current.value
    if (openBoard?.id !== boardId) return
    const contentById = new Map(parts.map(({ id, content }) => [id, content]))
    const followed = openBoard.document.parts.map((part) => {
      const content = part.source && contentById.get(part.id)
      return content && contentKey(content) !== contentKey(part.content) ? { ...part, content } : part
    })
    if (followed.every((part, at) => part === openBoard.document.parts[at])) return
    current.value = { ...openBoard, document: { ...openBoard.document, parts: followed } }
    partRunner.complete()
  }

  const edit = (change: (parts: BoardPart[]) => BoardPart[]) =>
    editDocument((before) => ({ ...before, parts: change([...before.parts]) }))

  function editDocument(change: (before: BoardDocument) => BoardDocument): void {
    const openBoard = current.value
    if (!openBoard) return
    const next = change(openBoard.document)
    if (JSON.stringify(next) === JSON.stringify(openBoard.document)) return
    history.remember(openBoard.document, next)
    current.value = { ...openBoard, document: next }
    autosave.saveSoon()
    partRunner.complete()
  }

  const start = startOnce(begin)

  async function begin(): Promise<void> {
    await loadList()
    listen()
    host.on('documents.changed', ({ kind }) => kind !== 'board' && followSources())
    host.onReturn(followSources)
  }

  const thenComplete = (step: () => void) => () => {
    step()
    partRunner.complete()
    followSources()
  }

  return {
    list,
    current,
    document: computed(() => current.value?.document ?? null),
    name: computed(() => current.value?.name ?? ''),
    isSaved: autosave.isSaved,
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    undo: thenComplete(history.undo),
    redo: thenComplete(history.redo),
    ...actions,
    answers: partRunner.answers,
    remainingCount: partRunner.remainingCount,
    isRunning: computed(() => partRunner.remainingCount.value > 0),
    run: partRunner.run,
    follow: partRunner.follow,
    /** Computes what could not be computed before, because since then its files may have arrived. */
    retryFailed: thenComplete(partRunner.forgetFailures),
    cancel: partRunner.cancel,
    edit,
    editDocument,
    start,
    saveReport: async () => {
      const openBoard = current.value
      if (openBoard) await reports.save({ kind: 'board', name: openBoard.name, document: openBoard.document })
    },
  }
})
