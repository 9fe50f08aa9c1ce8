import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { DocumentsFolder, DocumentSides, FolderDocument } from '#shared/contract/areas/folder.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { documentsText as text } from '../text/documents.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'
import { inOrder } from './resource.ts'

/** The folder in which the user keeps documents as files, loaded when it is first needed. */
export const useDocumentsFolder = defineStore('documentsFolder', () => {
  const host = useHost()
  const toasts = useToasts()
  const state = shallowRef<DocumentsFolder | null>(null)
  /** True while the list of documents is on screen, so that no message about them is needed. */
  const isListed = ref(false)
  let following: Promise<unknown> | null = null
  let openFolder: () => unknown = () => undefined

  /** Documents that need the user's attention. */
  const needingAttention = computed(() => state.value?.documents.filter((each) => each.state !== 'ok') ?? [])
  const keyOf = ({ kind, id, file, state: now, detail }: FolderDocument) => [kind, id, file, now, detail].join('\n')

  /** Shows the state of the folder, and a message if a document newly needs the user's attention. */
  function show(folder: DocumentsFolder): void {
    const knownKeys = new Set(needingAttention.value.map(keyOf))
    state.value = folder
    if (!isListed.value && needingAttention.value.some((each) => !knownKeys.has(keyOf(each))))
      toasts.show({
        kind: 'note',
        message: text.attention(needingAttention.value.length),
        action: { label: text.show, run: () => openFolder() },
      })
  }

  const refresh = inOrder(() => host.call('folder.list', {}), show)

  /**
   * Starts to follow the folder.
   * @param open opens the list of documents; the message about new problems has a button for this
   */
  function follow(open?: () => unknown): Promise<unknown> {
    if (open) openFolder = open
    if (!following) {
      host.on('folder.changed', () => void refresh().catch(toasts.problem))
      host.onReturn(() => void refresh().catch(toasts.problem))
    }
    return (following ??= refresh())
  }

  return {
    state,
    isListed,
    needingAttention,
    refresh,
    follow,
    use: async (folder: string) => show(await host.call('folder.use', { folder })),
    async stop(): Promise<void> {
      await host.call('folder.stop', {})
      await refresh()
    },
    compare: ({ kind, id }: CallInput<'folder.compare'>): Promise<DocumentSides> =>
      host.call('folder.compare', { kind, id }),
    resolve: async (decision: CallInput<'folder.resolve'>) => show(await host.call('folder.resolve', decision)),
    /** Opens the system's dialog to choose a folder; null if the host has no such dialog. */
    pickFolder: host.connectedHost().kind === 'desktop' ? () => host.call('files.pickFolder', {}) : null,
  }
})
