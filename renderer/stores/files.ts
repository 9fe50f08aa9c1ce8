import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { ReceivedFile } from '#shared/contract/areas/files.ts'
import { WORKSPACE_SUFFIX } from '#shared/workspace/workspaceFile.ts'
import { storesText } from '../text/stores.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'

const isWorkspace = ({ name }: ReceivedFile) => name.toLowerCase().endsWith(WORKSPACE_SUFFIX)

/** Files that the person dropped or chose and that wait to be imported. */
export const useFiles = defineStore('files', () => {
  const host = useHost()
  const toasts = useToasts()
  const received = ref<ReceivedFile[]>([])
  const opened = new Set<string>()

  async function load(): Promise<void> {
    received.value = (await host.call('files.received', {})).filter((file) => !isWorkspace(file))
  }

  /** Starts listening; workspaces are opened at once rather than listed for import. */
  function start(onShow: () => void, onWorkspace: (id: string) => void): Promise<void> {
    host.on('files.received', (all) => {
      const files = all.filter((file) => !isWorkspace(file))
      for (const { id } of all.filter((file) => isWorkspace(file) && !opened.has(file.id))) {
        opened.add(id)
        onWorkspace(id)
      }
      const known = new Set(received.value.map((file) => file.id))
      const fresh = files.filter((file) => !known.has(file.id))
      received.value = files
      if (fresh.length === 0) return
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
    /** Creates the toast action after a save; null when the host has no folders to show. */
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
