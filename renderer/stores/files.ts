import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { OpenableKind, ReceivedFile } from '#shared/contract/areas/files.ts'
import { QUERY_SUFFIX } from '#shared/sql/queryFile.ts'
import { WORKSPACE_SUFFIX } from '#shared/workspace/workspaceLimits.ts'
import { droppedItems } from '../host/droppedItems.ts'
import { storesText } from '../text/stores.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'

const documentSuffixes = [WORKSPACE_SUFFIX, QUERY_SUFFIX, '.json']
/** Tells whether a file is a document, such as a workspace; documents are opened instead of being listed for import. */
const isDocument = ({ name }: ReceivedFile) => documentSuffixes.some((suffix) => name.toLowerCase().endsWith(suffix))

/** Function that opens a received document on the screen of its kind, given the id of the received file. */
type OpenReceived = (id: string) => Promise<unknown>

/** Files that the user dropped or chose and that wait to be imported. */
export const useFiles = defineStore('files', () => {
  const host = useHost()
  const toasts = useToasts()
  const received = ref<ReceivedFile[]>([])
  const openedIds = new Set<string>()
  /** Handler that takes the next received file in place of the import; null if no handler waits for a file. */
  let openNext: ((id: string) => Promise<void>) | null = null

  async function load(): Promise<void> {
    received.value = (await host.call('files.received', {})).filter((file) => !isDocument(file))
  }

  /** Starts listening for dropped and chosen files. */
  function start(
    onShow: (files: readonly ReceivedFile[]) => void,
    open: Readonly<Record<OpenableKind, OpenReceived>>,
  ): Promise<void> {
    const openDocument = async (file: string) => {
      const { kind } = await host.call('files.recognise', { file })
      await open[kind](file)
    }
    host.on('files.received', (all) => {
      const knownIds = new Set([...openedIds, ...received.value.map((file) => file.id)])
      const claimedFile = openNext && all.find((file) => !knownIds.has(file.id))
      if (openNext && claimedFile) {
        openedIds.add(claimedFile.id)
        void openNext(claimedFile.id).catch(toasts.problem)
        openNext = null
      }
      const files = all.filter((file) => !isDocument(file))
      for (const file of all.filter((each) => isDocument(each) && !openedIds.has(each.id))) {
        openedIds.add(file.id)
        void openDocument(file.id).catch(toasts.problem)
      }
      const newFiles = files.filter((file) => !knownIds.has(file.id))
      received.value = files
      if (newFiles.length === 0 || claimedFile) return
      const message = storesText.files.received(newFiles.map(({ name }) => name))
      toasts.show({ kind: 'done', message, action: { label: storesText.downloads.show, run: () => onShow(newFiles) } })
    })
    host.onReturn(load)
    return load()
  }

  return {
    received,
    start,
    pick: () => host.connectedHost().pickFiles('parquet'),
    /** Lets the user choose documents; each opens on the screen of its own kind, even if that is not `kind`. */
    pickDocument: (kind: OpenableKind) => host.connectedHost().pickFiles(kind),
    /** Lets the user choose a file, which is passed to `take` instead of the import. */
    async pickFor(
      kind: 'panel' | 'ledger' | 'backup' | 'returns' | 'ownData' | 'folder',
      take: (id: string) => Promise<void>,
    ): Promise<void> {
      openNext = take
      let chosenCount = 0
      try {
        chosenCount = await host.connectedHost().pickFiles(kind)
      } finally {
        // After a cancelled dialog the handler is removed, so that it does not take a file dropped later.
        if (chosenCount === 0 && openNext === take) openNext = null
      }
    },
    /** Creates the toast action after a save; null if the host has no folders to show. */
    revealAction: (path: string | null) =>
      path === null
        ? null
        : {
            label: storesText.files.showInFolder,
            run: () => host.call('files.reveal', { path }).catch(toasts.problem),
          },
    takeDropped: async (transfer: DataTransfer) => {
      const dropped = await droppedItems(transfer)
      await host.connectedHost().receiveDropped(dropped)
    },
  }
})
