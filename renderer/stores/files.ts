import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { ReceivedFile } from '#shared/contract/areas/files.ts'
import { WORKSPACE_SUFFIX } from '#shared/workspace/workspaceFile.ts'
import { storesText } from '../text/stores.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'

const isWorkspace = ({ name }: ReceivedFile) => name.toLowerCase().endsWith(WORKSPACE_SUFFIX)
const isStudy = ({ name }: ReceivedFile) => name.toLowerCase().endsWith('.json')
/** Tells whether a file is a document, which is opened directly rather than listed for import. */
const isDocument = (file: ReceivedFile) => isWorkspace(file) || isStudy(file)

/** Opens a received document by the id of its file. */
export type OpenReceived = (id: string) => void

/** Files that the user dropped or chose and that wait to be imported. */
export const useFiles = defineStore('files', () => {
  const host = useHost()
  const toasts = useToasts()
  const received = ref<ReceivedFile[]>([])
  const openedIds = new Set<string>()
  /** Handler that takes the next received files instead of the import, because the user chose them for it. */
  let claim: ((id: string) => Promise<void>) | null = null

  async function load(): Promise<void> {
    received.value = (await host.call('files.received', {})).filter((file) => !isDocument(file))
  }

  /** Starts listening for dropped and chosen files. */
  function start(onShow: () => void, open: { workspace: OpenReceived; study: OpenReceived }): Promise<void> {
    host.on('files.received', (all) => {
      const knownIds = new Set([...openedIds, ...received.value.map((file) => file.id)])
      const claimed = claim && all.find((file) => !knownIds.has(file.id))
      if (claim && claimed) {
        openedIds.add(claimed.id)
        void claim(claimed.id).catch(toasts.problem)
        claim = null
      }
      const files = all.filter((file) => !isDocument(file))
      for (const file of all.filter((each) => isDocument(each) && !openedIds.has(each.id))) {
        openedIds.add(file.id)
        open[isWorkspace(file) ? 'workspace' : 'study'](file.id)
      }
      const fresh = files.filter((file) => !knownIds.has(file.id))
      received.value = files
      if (fresh.length === 0 || claimed) return
      const message = storesText.files.received(fresh.map(({ name }) => name))
      toasts.show({ kind: 'done', message, action: { label: storesText.downloads.show, run: onShow } })
    })
    host.onReturn(load)
    return load()
  }

  return {
    received,
    start,
    pick: () => host.present().pickFiles('parquet'),
    /** Lets the user choose a file, which is passed to `take` instead of the import. */
    async pickFor(
      kind: 'panel' | 'ledger' | 'query' | 'board' | 'backup' | 'returns',
      take: (id: string) => Promise<void>,
    ): Promise<void> {
      claim = take
      let chosen = 0
      try {
        chosen = await host.present().pickFiles(kind)
      } finally {
        // After a cancelled dialog the handler is removed, so that it does not take a file dropped later.
        if (chosen === 0 && claim === take) claim = null
      }
    },
    /** Creates the toast action after a save; null if the host has no folders to show. */
    revealing: (path: string | null) =>
      path === null
        ? null
        : {
            label: storesText.files.showInFolder,
            run: () => host.call('files.reveal', { path }).catch(toasts.problem),
          },
    take: (files: readonly File[]) => host.present().receiveFiles(files),
  }
})
