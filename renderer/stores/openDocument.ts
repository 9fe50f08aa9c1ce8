import { computed, ref, shallowRef, type ShallowRef } from 'vue'
import type { CallOutput } from '#shared/contract/calls.ts'
import type { OpenedDocument } from '#shared/contract/documents/documentKind.ts'
import type { DocumentOf, Listed, Opened } from '#shared/contract/documents/documentKinds.ts'
import type { DocumentKind } from '#shared/contract/documents/kindNames.ts'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import type { CallName } from '#shared/contract/names.ts'
import { storesText } from '../text/stores.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'
import { inOrder } from './resource.ts'
import { forgetUnsaved, keepUnsaved, saveOver } from './unsavedDocuments.ts'

const SAVE_AFTER_MS = 500
const MOST_UNDO_STEPS = 100

/** The open document and a function that shows another one; the parts of a document store share this. */
interface OpenDocument<Document> {
  current: ShallowRef<OpenedDocument<Document> | null>
  show(opened: OpenedDocument<Document> | null): void
}

type StoreHost = Pick<ReturnType<typeof useHost>, 'call'>

/** Returns the core's calls for documents of one kind. */
function documentCallsOf<Kind extends DocumentKind>(host: StoreHost, kind: Kind) {
  type Document = DocumentOf<Kind>
  const call = host.call as (name: CallName, input: object) => Promise<never>
  return {
    kind,
    list: (): Promise<Listed<Kind>[]> => call('documents.list', { kind }),
    read: (id: string): Promise<Opened<Kind>> => call('documents.read', { kind, id }),
    create: (name: string, document: Document): Promise<Opened<Kind>> =>
      call('documents.create', { kind, name, document }),
    save: (saved: { id: string; document: Document; revision: number }): Promise<{ revision: number }> =>
      call('documents.save', { kind, ...saved }),
    rename: (id: string, name: string): Promise<{ name: string }> => call('documents.rename', { kind, id, name }),
    remove: (id: string): Promise<null> => call('documents.remove', { kind, id }),
    /** Saves a document as a file; null if the user cancelled. */
    export: (name: string, document: Document): Promise<CallOutput<'documents.export'>> =>
      call('documents.export', { kind, name, document }),
    /** Creates a document from a received file. */
    import: (file: string): Promise<Opened<Kind>> => call('documents.import', { kind, file }),
  }
}

type DocumentCalls<Kind extends DocumentKind> = ReturnType<typeof documentCallsOf<Kind>>

/** Provides the automatic saving of the open document. Each save names the revision on which the document is based. */
function createAutosave<Kind extends DocumentKind>(
  { current, show }: OpenDocument<DocumentOf<Kind>>,
  calls: DocumentCalls<Kind>,
  toasts: ReturnType<typeof useToasts>,
) {
  /** True if the document on screen is saved or being saved. */
  const isSaved = ref(true)
  let timer: ReturnType<typeof setTimeout> | undefined
  let saving: Promise<void> = Promise.resolve()
  let isWriting = false
  /** The first version of a document whose save got no answer since its last known revision. */
  let unanswered: { id: string; document: DocumentOf<Kind> } | null = null

  const sentOf = ({ id }: Opened<Kind>) => (unanswered?.id === id ? unanswered.document : undefined)

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
      const saved = await saveOver(calls, { id, document: written, revision, sent: sentOf(openDocument) })
      unanswered = null
      forgetUnsaved({ kind: calls.kind, id })
      if (current.value?.id === id) current.value = { ...current.value, revision: saved.revision }
    } catch (thrown) {
      await recover(toAppError(thrown), openDocument)
    } finally {
      isWriting = false
    }
  }

  /** Saves the document as a copy if it was changed or removed elsewhere, so that no version is lost. */
  async function recover(error: AppError, openDocument: Opened<Kind>): Promise<void> {
    if (error.code !== 'conflict' && error.code !== 'not-found') {
      isSaved.value = false
      if (error.code === 'disconnected' && sentOf(openDocument) === undefined) unanswered = openDocument
      keepUnsaved({ ...openDocument, kind: calls.kind, sent: sentOf(openDocument) })
      throw error
    }
    const copied = current.value?.document ?? openDocument.document
    const copy = await calls.create(openDocument.name, copied)
    forgetUnsaved({ kind: calls.kind, id: openDocument.id })
    toasts.show({ kind: 'note', message: storesText.documents.savedAs(copy.name), detail: error.detail })
    const { value: edited } = current
    show(copy)
    if (edited?.id !== openDocument.id || edited.document === copied) return
    // It was changed again while the copy was made.
    current.value = { ...copy, document: edited.document }
    saveSoon()
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
function createHistory<Document>(
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
function createFollower<Kind extends DocumentKind>(
  { current, show }: OpenDocument<DocumentOf<Kind>>,
  { isSaved, save, settled }: ReturnType<typeof createAutosave<Kind>>,
  list: ShallowRef<Listed<Kind>[]>,
  calls: DocumentCalls<Kind>,
) {
  const loadList = inOrder(calls.list, (found) => (list.value = found))

  /**
   * Reloads the list. If another window changed or removed the open document, it is reloaded or closed, unless this
   * window has unsaved changes to it.
   */
  async function follow(): Promise<void> {
    const openBefore = current.value?.id
    const listed = await loadList()
    await settled()
    const openDocument = current.value
    // The list may be older than a document that was opened meanwhile.
    if (!openDocument || openDocument.id !== openBefore || !isSaved.value) return
    if (!listed.some(({ id }) => id === openDocument.id)) return show(null)
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

/**
 * Provides what the store of every kind of document needs: the list, saving, undo, following other windows, and the
 * actions.
 * @param restore see `createHistory`
 */
export function createDocuments<Kind extends DocumentKind>(
  kind: Kind,
  opened: OpenDocument<DocumentOf<Kind>>,
  restore: Parameters<typeof createHistory<DocumentOf<Kind>>>[2] = (target) => target,
) {
  const host = useHost()
  const toasts = useToasts()
  const list = shallowRef<Listed<Kind>[]>([])
  const calls = documentCallsOf(host, kind)
  const autosave = createAutosave(opened, calls, toasts)
  const history = createHistory(opened, autosave.saveSoon, restore)
  const follower = createFollower(opened, autosave, list, calls)
  const actions = createDocumentActions(opened, autosave, follower.loadList, calls)

  /** Starts to follow changes by other windows, and to save when this one closes. */
  function listen({ follow, catchUp }: { follow(): Promise<void>; catchUp(): Promise<void> } = follower): void {
    host.on('documents.changed', (changed) => {
      if (changed.kind === kind) void follow().catch(toasts.problem)
    })
    host.onReturn(() => void catchUp().catch(toasts.problem))
    addEventListener('pagehide', autosave.saveOnLeave)
  }

  return { list, autosave, history, ...follower, listen, actions }
}

/**
 * Creates the actions that open, create, rename and remove documents; they save the open document before leaving it.
 */
function createDocumentActions<Kind extends DocumentKind>(
  { current, show }: OpenDocument<DocumentOf<Kind>>,
  { isSaved, save }: ReturnType<typeof createAutosave<Kind>>,
  loadList: () => Promise<unknown>,
  calls: DocumentCalls<Kind>,
) {
  /** Number of the last wish to show another document, or none. */
  let lastWish = 0

  /** Shows what `find` returns, unless the user wished for something else meanwhile. */
  async function leaveFor<Found extends Opened<Kind> | null>(find: () => Promise<Found>): Promise<Found> {
    const wish = ++lastWish
    await save()
    const found = await find()
    // The open document may have been changed while the other one was read.
    while (current.value && !isSaved.value && wish === lastWish) await save()
    if (wish === lastWish) show(found)
    return found
  }

  async function openCreated(create: () => Promise<Opened<Kind>>): Promise<string> {
    const { id } = await leaveFor(create)
    await loadList()
    return id
  }

  return {
    /** Number of wishes so far, by which a caller finds out whether the user wished for something else meanwhile. */
    wishes: () => lastWish,
    async open(id: string): Promise<void> {
      if (current.value?.id === id) lastWish += 1
      else await leaveFor(() => calls.read(id))
    },
    create: (name: string, content: DocumentOf<Kind>): Promise<string> =>
      openCreated(() => calls.create(name, content)),
    async close(): Promise<void> {
      await leaveFor(async () => null)
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
    openFile: (file: string): Promise<string> => openCreated(() => calls.import(file)),
    exportFile: () => current.value && calls.export(current.value.name, current.value.document),
  }
}
