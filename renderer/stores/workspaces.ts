import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { ListedWorkspace, Workspace } from '#shared/contract/areas/workspaces.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { isUntouchedSample, SAMPLE_NAME, sampleDocument } from '#shared/workspace/sampleWorkspace.ts'
import { emptyDocument, type WorkspaceDocument } from '#shared/workspace/workspace.ts'
import { useHost } from './host.ts'
import { persistedRef } from './persistedRef.ts'
import { useToasts } from './toasts.ts'

const SAVE_AFTER_MS = 500
const MOST_UNDONE = 100
const FIRST_NAME = 'Workspace'

const isText = (kept: unknown): kept is string => typeof kept === 'string'

/** The workspace that is open, saved by itself as it changes, and the list of all. */
export const useWorkspaces = defineStore('workspaces', () => {
  const host = useHost()
  const toasts = useToasts()
  const list = shallowRef<ListedWorkspace[]>([])
  const current = shallowRef<Workspace | null>(null)
  const isLoaded = ref(false)
  /** Whether what is on screen is what is on disk. */
  const isSaved = ref(true)
  const past = shallowRef<readonly WorkspaceDocument[]>([])
  const future = shallowRef<readonly WorkspaceDocument[]>([])
  /** Which one this window had open last. */
  const lastId = persistedRef('workspace', '', isText)
  let timer: ReturnType<typeof setTimeout> | undefined
  let saving: Promise<void> = Promise.resolve()
  let isWriting = false
  let isListening = false

  const document = computed(() => current.value?.document ?? emptyDocument())
  const name = computed(() => current.value?.name ?? '')

  async function loadList(): Promise<void> {
    list.value = await host.call('workspaces.list', {})
  }

  function show(workspace: Workspace | null): void {
    current.value = workspace
    lastId.value = workspace?.id ?? ''
    past.value = []
    future.value = []
    isSaved.value = true
  }

  /** Opens what was open last, else the newest; null where there is none. */
  async function start(): Promise<void> {
    if (isLoaded.value) return
    listen()
    await loadList()
    const first = list.value.find(({ id }) => id === lastId.value) ?? list.value.at(0)
    if (first) await open(first.id).catch(toasts.problem)
    isLoaded.value = true
  }

  function listen(): void {
    if (isListening) return
    isListening = true
    host.on('workspaces.changed', () => void heed().catch(toasts.problem))
    host.onReturn(() => void catchUp().catch(toasts.problem))
    addEventListener('pagehide', leave)
  }

  /** After the line was lost: what could not be opened, saved or heard meanwhile. */
  async function catchUp(): Promise<void> {
    if (!isLoaded.value) return start()
    await save()
    await heed()
  }

  /** Whoever closes the window right after a change finds it again. */
  function leave(): void {
    const open = current.value
    if (!isWriting) return void save().catch(() => {})
    // There is no time to wait for the answer of the save before: it makes the next revision.
    if (open && !isSaved.value)
      void host
        .call('workspaces.save', { id: open.id, document: open.document, revision: open.revision + 1 })
        .catch(() => {})
  }

  /** Another window may have changed what is open here; what is not saved here yet counts more. */
  async function heed(): Promise<void> {
    await loadList()
    await saving
    const open = current.value
    if (!open || !isSaved.value) return
    if (!list.value.some(({ id }) => id === open.id)) return show(null)
    const now = await host.call('workspaces.read', { id: open.id })
    if (current.value === open && now.revision !== open.revision) show(now)
    else if (current.value?.id === now.id && now.name !== open.name)
      current.value = { ...current.value, name: now.name }
  }

  function saveSoon(): void {
    isSaved.value = false
    clearTimeout(timer)
    timer = setTimeout(() => void save().catch(toasts.problem), SAVE_AFTER_MS)
  }

  /** One after the other: each save begins with the revision that the one before it made. */
  function save(): Promise<void> {
    clearTimeout(timer)
    saving = saving.then(write, write)
    return saving
  }

  async function write(): Promise<void> {
    const open = current.value
    if (!open || isSaved.value) return
    isSaved.value = true
    isWriting = true
    const { id, document: written, revision } = open
    try {
      const saved = await host.call('workspaces.save', { id, document: written, revision })
      if (current.value?.id === id) current.value = { ...current.value, revision: saved.revision }
    } catch (thrown) {
      const error = toAppError(thrown)
      if (error.code !== 'conflict' && error.code !== 'not-found') {
        isSaved.value = false
        throw error
      }
      // Written elsewhere meanwhile, or removed: what is on screen goes on as a copy, so that neither is lost.
      const copy = await host.call('workspaces.create', {
        name: open.name,
        document: current.value?.document ?? written,
      })
      toasts.show({ kind: 'note', message: `Saved as “${copy.name}”`, detail: error.detail })
      show(copy)
    } finally {
      isWriting = false
    }
  }

  async function open(id: string): Promise<void> {
    await save()
    show(await host.call('workspaces.read', { id }))
  }

  async function create(wanted: string, content: WorkspaceDocument = emptyDocument()): Promise<void> {
    await save()
    show(await host.call('workspaces.create', { name: wanted, document: content }))
  }

  /** `quiet` changes (a zoom) are saved but are nothing to undo. */
  async function edit(
    change: (before: WorkspaceDocument) => WorkspaceDocument,
    { quiet = false }: { quiet?: boolean } = {},
  ): Promise<void> {
    if (!current.value) await create(FIRST_NAME)
    const open = current.value!
    const next = change(open.document)
    if (next === open.document) return
    if (!quiet) {
      past.value = [...past.value, open.document].slice(-MOST_UNDONE)
      future.value = []
    }
    current.value = { ...open, document: next }
    saveSoon()
  }

  function travel(from: typeof past, to: typeof past): void {
    const open = current.value
    const target = from.value.at(-1)
    if (!open || !target) return
    from.value = from.value.slice(0, -1)
    to.value = [...to.value, open.document]
    // Undoing an edit does not move the view.
    current.value = { ...open, document: { ...target, range: open.document.range } }
    saveSoon()
  }

  async function rename(wanted: string): Promise<void> {
    const open = current.value
    if (!open || wanted.trim() === open.name) return
    const renamed = await host.call('workspaces.rename', { id: open.id, name: wanted })
    if (current.value?.id === open.id) current.value = { ...current.value, name: renamed.name }
  }

  async function remove(id: string): Promise<void> {
    await save()
    if (current.value?.id === id) show(null)
    await host.call('workspaces.remove', { id })
    await loadList()
    if (!current.value && list.value.length > 0) await open(list.value[0].id)
  }

  /** The built-in example; the same one again where it is there already. */
  async function openSample(): Promise<void> {
    await loadList()
    const known = list.value.find((each) => each.name === SAMPLE_NAME)
    if (known) await open(known.id)
    else await create(SAMPLE_NAME, sampleDocument())
  }

  /** Only as it came: what the person made of it stays. */
  async function removeSample(): Promise<void> {
    await save()
    for (const { id } of list.value.filter((each) => each.name === SAMPLE_NAME)) {
      const { document: found } = await host.call('workspaces.read', { id })
      if (isUntouchedSample(found)) await remove(id)
    }
  }

  async function openFile(file: string): Promise<void> {
    await save()
    show(await host.call('workspaces.import', { file }))
  }

  const exportFile = () => host.call('workspaces.export', { name: name.value || FIRST_NAME, document: document.value })

  return {
    list,
    current,
    document,
    name,
    isLoaded,
    isSaved,
    canUndo: computed(() => past.value.length > 0),
    canRedo: computed(() => future.value.length > 0),
    start,
    save,
    open,
    create,
    edit,
    undo: () => travel(past, future),
    redo: () => travel(future, past),
    rename,
    remove,
    openSample,
    removeSample,
    openFile,
    pickFile: () => host.present().pickFiles('workspace'),
    exportFile,
  }
})
