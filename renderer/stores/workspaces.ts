import { defineStore } from 'pinia'
import { computed, ref, shallowRef, type Ref } from 'vue'
import type { Listed, Opened } from '#shared/contract/documents/documentKinds.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { isUntouchedSample, SAMPLE_NAME, sampleDocument } from '#shared/workspace/sampleWorkspace.ts'
import { keptDocument } from '#shared/workspace/quickLook.ts'
import { emptyDocument, overfullPart } from '#shared/workspace/workspace.ts'
import type { WorkspaceContent, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { storesText } from '../text/stores.ts'
import { useDiscovery } from './discovery.ts'
import { useHost } from './host.ts'
import { createDocuments } from './openDocument.ts'
import { persistedRef } from './persistedRef.ts'
import { useToasts } from './toasts.ts'

const isText = (stored: unknown): stored is string => typeof stored === 'string'

const isKept = ({ quickLook }: Listed<'workspace'>): boolean => quickLook === null

/** Creates the actions on workspaces; each saves the open workspace before it shows another. */
function createActions(
  { current, show }: { current: Ref<Opened<'workspace'> | null>; show(workspace: Opened<'workspace'>): void },
  { list, autosave, loadList, actions }: ReturnType<typeof createDocuments<'workspace'>>,
  host: ReturnType<typeof useHost>,
  discovery: ReturnType<typeof useDiscovery>,
) {
  /** True once any workspace has been opened or created, so that the example of the first start does not replace it. */
  let wasOtherOpened = false

  function open(id: string): Promise<void> {
    wasOtherOpened = true
    return actions.open(id)
  }

  function create(name: string, content: WorkspaceDocument = emptyDocument()): Promise<string> {
    wasOtherOpened = true
    return actions.create(name, content)
  }

  async function remove(id: string): Promise<void> {
    await actions.remove(id)
    const next = list.value.find(isKept) ?? list.value.at(0)
    if (!current.value && next) await open(next.id)
  }

  /** Opens a link as a quick look of its own, or the quick look that this link opened before, as the user left it. */
  async function openQuickLook(link: string, title: string, content: WorkspaceDocument): Promise<void> {
    await loadList()
    const known = list.value.find(({ quickLook }) => quickLook === link)
    if (!known) await create(title, { ...content, quickLook: link })
    else if (known.id !== current.value?.id) await open(known.id)
  }

  /** Closes a quick look. Returns a function that opens it again. */
  async function closeQuickLook(id: string): Promise<() => Promise<string>> {
    await autosave.save()
    const closed = await host.call('documents.read', { kind: 'workspace', id })
    await remove(id)
    return () => create(closed.name, closed.document)
  }

  /** Builds the example on the first venue; null if no venue is known. */
  async function newSample(): Promise<WorkspaceDocument | null> {
    await discovery.venuesLoaded()
    return discovery.firstVenue === null ? null : sampleDocument(discovery.firstVenue)
  }

  /** Opens the built-in example, or the copy of it that exists already. */
  async function openSample(): Promise<void> {
    await loadList()
    const known = list.value.find((each) => each.name === SAMPLE_NAME)
    if (known) await open(known.id)
    else await create(SAMPLE_NAME, (await newSample()) ?? emptyDocument())
  }

  /** Opens the built-in example on the first start, unless the user opens something else meanwhile. */
  async function openFirstSample(): Promise<void> {
    await loadList()
    if (wasOtherOpened || list.value.length > 0) return
    const document = await newSample()
    if (document === null || wasOtherOpened) return
    const sample = await host.call('documents.create', { kind: 'workspace', name: SAMPLE_NAME, document })
    if (!wasOtherOpened) show(sample)
  }

  /**
   * Removes the example unless the user changed it.
   * @returns true if it was removed
   */
  async function removeSample(): Promise<boolean> {
    await autosave.save()
    let isRemoved = false
    for (const { id } of list.value.filter((each) => each.name === SAMPLE_NAME)) {
      const { document: found } = await host.call('documents.read', { kind: 'workspace', id })
      if (!isUntouchedSample(found)) continue
      await remove(id)
      isRemoved = true
    }
    return isRemoved
  }

  function openFile(file: string): Promise<string> {
    wasOtherOpened = true
    return actions.openFile(file)
  }

  return {
    ...actions,
    open,
    create,
    remove,
    openQuickLook,
    closeQuickLook,
    openSample,
    openFirstSample,
    removeSample,
    openFile,
  }
}

/**
 * Returns the document that undo or redo shows: the version `target`, but with the range and the mark of the open
 * document, because undo neither moves the view nor makes a kept workspace a quick look again, and with the notes that
 * were changed after the version was replaced.
 */
function restoredDocument(
  target: WorkspaceDocument,
  openDocument: WorkspaceDocument,
  replacedBy: WorkspaceDocument,
): WorkspaceDocument {
  const noteTextsBefore = new Map(replacedBy.notes.map((note) => [note.id, JSON.stringify(note)]))
  const openIds = new Set(openDocument.notes.map(({ id }) => id))
  const changedNotes = openDocument.notes.filter((note) => noteTextsBefore.get(note.id) !== JSON.stringify(note))
  const changedIds = new Set(changedNotes.map(({ id }) => id))
  const unchangedNotes = target.notes.filter(
    ({ id }) => !changedIds.has(id) && (openIds.has(id) || !noteTextsBefore.has(id)),
  )
  return {
    ...target,
    range: openDocument.range,
    quickLook: openDocument.quickLook,
    notes: [...unchangedNotes, ...changedNotes].sort((a, b) => a.timeMs - b.timeMs),
  }
}

/** Tells whether two versions of a document differ at most in the range in view. */
function hasSameContent(one: WorkspaceContent, other: WorkspaceContent): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)] as (keyof WorkspaceContent | 'range')[])
  return [...keys].every((key) => key === 'range' || one[key] === other[key])
}

/** A workspace that is being opened, with the time at which that began. */
interface OpeningWorkspace {
  id: string
  atMs: number
}

const isOpeningWorkspace = (stored: unknown): stored is OpeningWorkspace | null =>
  typeof stored === 'object' && stored !== null && 'id' in stored && 'atMs' in stored && typeof stored.atMs === 'number'

/**
 * Tells whether an error means that the workspace itself cannot be read, and not that the connection or disk failed.
 */
const isDamage = (thrown: unknown): boolean => ['unsupported', 'corrupt-file'].includes(toAppError(thrown).code)

/** Maximum number of workspaces to try at startup until one can be opened. */
const MOST_TRIED = 3
/** Time after opening a workspace from which on the window counts as not frozen by that workspace. */
const ALIVE_AFTER_MS = 3000

/**
 * Creates a guard that marks a workspace until the window has shown it, so that a workspace that freezes or crashes the
 * window is not opened again at the next start.
 */
function createOpeningGuard() {
  const opening = persistedRef<OpeningWorkspace | null>('workspaceOpening', null, isOpeningWorkspace)
  // A more recent mark may be from another tab that is about to show its workspace.
  const suspectId = opening.value && Date.now() - opening.value.atMs > ALIVE_AFTER_MS ? opening.value.id : null
  let timer: ReturnType<typeof setTimeout> | undefined
  const removeMark = () => {
    clearTimeout(timer)
    opening.value = null
  }
  return {
    suspectId,
    async watch(id: string, open: () => Promise<void>): Promise<void> {
      opening.value = { id, atMs: Date.now() }
      // A window that reports why a workspace cannot be opened was not frozen by it.
      await open().catch((thrown: unknown) => {
        removeMark()
        throw thrown
      })
      // A frozen window runs no timers, and a window that is closed meanwhile was not frozen.
      timer = setTimeout(removeMark, ALIVE_AFTER_MS)
      addEventListener('pagehide', removeMark, { once: true })
    },
  }
}

/**
 * Opens the first workspace that can be opened. A damaged one is reported and skipped, unless the user wished for
 * another one meanwhile.
 */
async function openFirstOf(
  candidates: readonly Listed<'workspace'>[],
  open: (id: string) => Promise<void>,
  wishes: () => number,
  toasts: ReturnType<typeof useToasts>,
): Promise<void> {
  for (const { id } of candidates.slice(0, MOST_TRIED)) {
    const ownWish = wishes() + 1
    try {
      return await open(id)
    } catch (thrown) {
      toasts.problem(thrown)
      if (!isDamage(thrown) || wishes() !== ownWish) return
    }
  }
}

/** Tells quick looks from the other workspaces, and remembers to which of these a window returns. */
function createQuickLooks(list: Ref<readonly Listed<'workspace'>[]>) {
  const kept = computed(() => list.value.filter(isKept))
  const lastKeptId = ref('')
  return {
    /** Workspaces without quick looks. */
    kept,
    /** Quick looks in the order of their names, so that a change does not move their tabs. */
    list: computed(() => list.value.filter((each) => !isKept(each)).toSorted((a, b) => a.name.localeCompare(b.name))),
    /** Workspace to return to from a quick look; null if there is none. */
    lastKept: computed(() => kept.value.find(({ id }) => id === lastKeptId.value) ?? kept.value.at(0) ?? null),
    follow(shown: Opened<'workspace'> | null): void {
      if (shown && shown.document.quickLook === undefined) lastKeptId.value = shown.id
    },
  }
}

/** The open workspace, which is saved automatically, and the list of all workspaces. */
export const useWorkspaces = defineStore('workspaces', () => {
  const host = useHost()
  const discovery = useDiscovery()
  const toasts = useToasts()
  const current = shallowRef<Opened<'workspace'> | null>(null)
  const isLoaded = ref(false)
  /** Id of the workspace that was opened last, in this or another window. */
  const lastId = persistedRef('workspace', '', isText)
  const openingGuard = createOpeningGuard()
  let isListening = false

  const document = computed(() => current.value?.document ?? emptyDocument())
  /** Document without its range: the same object while only the range changes, so that a zoom recomputes little. */
  const content = computed((before?: WorkspaceContent): WorkspaceContent => {
    const latest = document.value
    return before && hasSameContent(before, latest) ? before : latest
  })
  const opened = { current, show }
  const documents = createDocuments('workspace', opened, restoredDocument)
  const { list, autosave, history, loadList } = documents
  const quickLooks = createQuickLooks(list)
  const actions = createActions(opened, documents, host, discovery)

  function show(workspace: Opened<'workspace'> | null): void {
    current.value = workspace
    lastId.value = workspace?.id ?? ''
    quickLooks.follow(workspace)
    history.clear()
    autosave.isSaved.value = true
  }

  let starting: Promise<void> | null = null

  /** Opens the workspace used last, or else the first in the list. */
  function start(): Promise<void> {
    if (isLoaded.value) return Promise.resolve()
    starting ??= openLast().finally(() => (starting = null))
    return starting
  }

  async function openLast(): Promise<void> {
    listen()
    await loadList()
    const suspectWorkspace = list.value.find(({ id }) => id === openingGuard.suspectId)
    if (suspectWorkspace)
      toasts.show({ kind: 'problem', message: storesText.workspaces.notReopened(suspectWorkspace.name) })
    const candidates = list.value.filter((each) => each !== suspectWorkspace)
    const sorted = candidates.toSorted((a, b) => Number(b.id === lastId.value) - Number(a.id === lastId.value))
    await openFirstOf(sorted, (id) => openingGuard.watch(id, () => actions.open(id)), actions.wishes, toasts)
    isLoaded.value = true
  }

  function listen(): void {
    if (isListening) return
    isListening = true
    documents.listen({
      follow: documents.follow,
      catchUp: () => (isLoaded.value ? documents.catchUp() : start()),
    })
  }

  /** Changes the document. Changes with `quiet`, such as a zoom or a note, are saved but cannot be undone. */
  async function edit(
    change: (before: WorkspaceDocument) => WorkspaceDocument,
    { quiet = false }: { quiet?: boolean } = {},
  ): Promise<void> {
    if (!current.value) await actions.create(storesText.workspaces.firstName)
    const openWorkspace = current.value
    if (!openWorkspace) return
    const next = change(openWorkspace.document)
    if (next === openWorkspace.document) return
    const exceededLimit = overfullPart(next)
    if (exceededLimit) {
      const message = storesText.workspaces.full[exceededLimit.part](exceededLimit.most)
      return toasts.show({ kind: 'problem', message })
    }
    if (!quiet) history.remember(openWorkspace.document, next)
    current.value = { ...openWorkspace, document: next }
    autosave.saveSoon()
  }

  /** Turns the open quick look into a workspace. */
  async function keep(): Promise<void> {
    await edit(keptDocument, { quiet: true })
    quickLooks.follow(current.value)
    await autosave.save()
    await loadList()
  }

  const { canUndo, canRedo, undo, redo } = history
  return {
    list,
    kept: quickLooks.kept,
    quickLooks: quickLooks.list,
    lastKept: quickLooks.lastKept,
    isQuickLook: computed(() => document.value.quickLook !== undefined),
    keep,
    current,
    document,
    content,
    name: computed(() => current.value?.name ?? ''),
    isLoaded,
    isSaved: autosave.isSaved,
    canUndo,
    canRedo,
    start,
    save: autosave.save,
    edit,
    undo,
    redo,
    ...actions,
    /** Opens a workspace file, but only after the workspace used last, because that one would otherwise replace it. */
    async openFile(file: string) {
      await start()
      await actions.openFile(file)
    },
  }
})
