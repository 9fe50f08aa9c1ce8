import { computed, ref, shallowRef, type ShallowRef } from 'vue'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import type { useHost } from './host.ts'
import type { useToasts } from './toasts.ts'
import { forgetUnsaved, keepUnsaved } from './unsavedDocuments.ts'

const SAVE_AFTER_MS = 500
const MOST_UNDO_STEPS = 100

/** A named document that the core stores, such as a workspace or study. */
export interface NamedDocument<Document> {
  id: string
  name: string
  document: Document
  /** Counter that increases with every change. */
  revision: number
}

/** The open document and a function that shows another one; the parts of a document store share this. */
export interface OpenDocument<Document> {
  current: ShallowRef<NamedDocument<Document> | null>
  show(opened: NamedDocument<Document> | null): void
}

/** Core calls for documents of one kind. */
export interface DocumentCalls<Document> {
  /** First part of the names of the calls. */
  area: DocumentArea | 'workspaces'
  read(id: string): Promise<NamedDocument<Document>>
  create(name: string, document: Document): Promise<NamedDocument<Document>>
  save(saved: { id: string; document: Document; revision: number }): Promise<{ revision: number }>
  /** Returns the message that the open document was saved as a copy with this name. */
  savedAs(name: string): string
}

/** Provides the automatic saving of the open document. Each save names the revision on which the document is based. */
export function createAutosave<Document>(
  { current, show }: OpenDocument<Document>,
  calls: DocumentCalls<Document>,
  toasts: ReturnType<typeof useToasts>,
) {
  /** True if the document on screen is saved or being saved. */
  const isSaved = ref(true)
  let timer: ReturnType<typeof setTimeout> | undefined
  let saving: Promise<void> = Promise.resolve()
  let isWriting = false

  function saveSoon(): void {
    isSaved.value = false
    clearTimeout(timer)
    timer = setTimeout(() => void save().catch(report), SAVE_AFTER_MS)
  }

  /** Shows why a save failed, except for a lost connection, which a banner shows. */
  function report(thrown: unknown): void {
    if (toAppError(thrown).code !== 'disconnected') toasts.problem(thrown)
  }

  function save(): Promise<void> {
    clearTimeout(timer)
    saving = saving.then(write, write)
    return saving
  }

  async function write(): Promise<void> {
    const openDocument = current.value
    if (!openDocument || isSaved.value) return
    isSaved.value = true
    isWriting = true
    const { id, document: written, revision } = openDocument
    try {
      const saved = await calls.save({ id, document: written, revision })
      forgetUnsaved({ area: calls.area, id })
      if (current.value?.id === id) current.value = { ...current.value, revision: saved.revision }
    } catch (thrown) {
      await recover(toAppError(thrown), openDocument)
    } finally {
      isWriting = false
    }
  }

  /** Saves the document as a copy if it was changed or removed elsewhere, so that no version is lost. */
  async function recover(error: AppError, openDocument: NamedDocument<Document>): Promise<void> {
    if (error.code !== 'conflict' && error.code !== 'not-found') {
      isSaved.value = false
      keepUnsaved({ ...openDocument, area: calls.area })
      throw error
    }
    const copy = await calls.create(openDocument.name, current.value?.document ?? openDocument.document)
    forgetUnsaved({ area: calls.area, id: openDocument.id })
    toasts.show({ kind: 'note', message: calls.savedAs(copy.name), detail: error.detail })
    show(copy)
  }

  /** Saves when the window closes, so that the last change is kept. */
  function saveOnLeave(): void {
    const openDocument = current.value
    if (!isWriting) return void save().catch(() => {})
    // There is no time to wait for the running save, so this one names the revision that follows if the running one
    // succeeds.
    if (openDocument && !isSaved.value)
      void calls
        .save({ id: openDocument.id, document: openDocument.document, revision: openDocument.revision + 1 })
        .catch(() => {})
  }

  return { isSaved, saveSoon, save, saveOnLeave, settled: () => saving }
}

/** A step of the history: the version that undo or redo restores, and the version that replaced it. */
interface UndoStep<Document> {
  target: Document
  replacedBy: Document
}

/**
 * Creates the undo and redo history of the open document.
 * @param restore returns the document to show when `target` is restored; it may keep parts of the open document that
 *   changed after `replacedBy`
 */
export function createHistory<Document>(
  { current }: OpenDocument<Document>,
  saveSoon: () => void,
  restore: (target: Document, openDocument: Document, replacedBy: Document) => Document,
) {
  const past = shallowRef<readonly UndoStep<Document>[]>([])
  const future = shallowRef<readonly UndoStep<Document>[]>([])

  function restoreStep(from: typeof past, to: typeof past): void {
    const openDocument = current.value
    const step = from.value.at(-1)
    if (!openDocument || !step) return
    const restored = restore(step.target, openDocument.document, step.replacedBy)
    from.value = from.value.slice(0, -1)
    to.value = [...to.value, { target: openDocument.document, replacedBy: restored }]
    current.value = { ...openDocument, document: restored }
    saveSoon()
  }

  return {
    canUndo: computed(() => past.value.length > 0),
    canRedo: computed(() => future.value.length > 0),
    undo: () => restoreStep(past, future),
    redo: () => restoreStep(future, past),
    remember(before: Document, after: Document): void {
      past.value = [...past.value, { target: before, replacedBy: after }].slice(-MOST_UNDO_STEPS)
      future.value = []
    },
    clear(): void {
      past.value = []
      future.value = []
    },
  }
}

/**
 * Creates the functions that load the list of documents, and that follow changes by other windows to the list and to
 * the open document.
 */
export function createFollower<Document, Listed extends { id: string }>(
  { current, show }: OpenDocument<Document>,
  { isSaved, save, settled }: ReturnType<typeof createAutosave<Document>>,
  list: ShallowRef<Listed[]>,
  calls: Pick<DocumentCalls<Document>, 'read'> & { list(): Promise<Listed[]> },
) {
  async function loadList(): Promise<void> {
    list.value = await calls.list()
  }

  /**
   * Reloads the list. If another window changed or removed the open document, it is reloaded or closed, unless this
   * window has unsaved changes to it.
   */
  async function follow(): Promise<void> {
    await loadList()
    await settled()
    const openDocument = current.value
    if (!openDocument || !isSaved.value) return
    if (!list.value.some(({ id }) => id === openDocument.id)) return show(null)
    const stored = await calls.read(openDocument.id)
    if (current.value === openDocument && stored.revision !== openDocument.revision) show(stored)
    else if (current.value?.id === stored.id && stored.name !== openDocument.name)
      current.value = { ...current.value, name: stored.name }
  }

  async function catchUp(): Promise<void> {
    await save()
    await follow()
  }

  return { loadList, follow, catchUp }
}

/** Calls that open, create, rename and remove documents of one kind. */
export interface DocumentActionCalls<Document> extends Pick<DocumentCalls<Document>, 'read' | 'create'> {
  rename(id: string, name: string): Promise<{ name: string }>
  remove(id: string): Promise<unknown>
  /** Creates a document from a received file. */
  import(file: string): Promise<NamedDocument<Document>>
}

/** Contract areas whose calls for documents have the same names and shapes. */
type DocumentArea = 'boards' | 'lab' | 'sql'

/**
 * Returns the calls for the documents of an area.
 * @param savedAs see `DocumentCalls`
 */
export function documentCallsOf<Document, Listed>(
  host: Pick<ReturnType<typeof useHost>, 'call'>,
  area: DocumentArea,
  savedAs: (name: string) => string,
): DocumentCalls<Document> & DocumentActionCalls<Document> & { list(): Promise<Listed[]> } {
  const call = host.call as (name: string, input: object) => Promise<never>
  return {
    area,
    list: () => call(`${area}.list`, {}),
    read: (id) => call(`${area}.read`, { id }),
    create: (name, document) => call(`${area}.create`, { name, document }),
    save: (saved) => call(`${area}.save`, saved),
    savedAs,
    rename: (id, name) => call(`${area}.rename`, { id, name }),
    remove: (id) => call(`${area}.remove`, { id }),
    import: (file) => call(`${area}.import`, { file }),
  }
}

/**
 * Combines what the stores of boards, studies and queries need: saving, undo, following other windows, and the actions.
 */
export function createDocuments<Document, Listed extends { id: string }>(
  opened: OpenDocument<Document>,
  list: ShallowRef<Listed[]>,
  calls: ReturnType<typeof documentCallsOf<Document, Listed>>,
  toasts: ReturnType<typeof useToasts>,
) {
  const autosave = createAutosave(opened, calls, toasts)
  const history = createHistory<Document>(opened, autosave.saveSoon, (target) => target)
  const follower = createFollower(opened, autosave, list, calls)
  const actions = createDocumentActions(opened, autosave.save, follower.loadList, calls)
  return { autosave, history, follower, actions }
}

/**
 * Creates the actions that open, create, rename and remove documents; they save the open document before leaving it.
 */
export function createDocumentActions<Document>(
  { current, show }: OpenDocument<Document>,
  save: () => Promise<void>,
  loadList: () => Promise<void>,
  calls: DocumentActionCalls<Document>,
) {
  async function openCreated(created: Promise<NamedDocument<Document>>): Promise<string> {
    const document = await created
    show(document)
    await loadList()
    return document.id
  }

  return {
    async open(id: string): Promise<void> {
      if (current.value?.id === id) return
      await save()
      show(await calls.read(id))
    },
    async create(name: string, content: Document): Promise<string> {
      await save()
      return openCreated(calls.create(name, content))
    },
    async close(): Promise<void> {
      await save()
      show(null)
      await loadList()
    },
    async rename(wanted: string): Promise<void> {
      const openDocument = current.value
      if (!openDocument || wanted.trim() === openDocument.name) return
      const { name } = await calls.rename(openDocument.id, wanted)
      if (current.value?.id === openDocument.id) current.value = { ...current.value, name }
      await loadList()
    },
    async remove(id: string): Promise<void> {
      await save()
      if (current.value?.id === id) show(null)
      await calls.remove(id)
      await loadList()
    },
    async openFile(file: string): Promise<string> {
      await save()
      return openCreated(calls.import(file))
    },
  }
}
