import { defineStore } from 'pinia'
import { watch } from 'vue'
import type { DownloadSet, DownloadSetFields } from '#shared/contract/areas/downloads.ts'
import { useConnections } from './connections.ts'
import { useHost } from './host.ts'
import { createResource } from './resource.ts'

/** Downloads of the active connection that are kept under a name. */
export const useDownloadSets = defineStore('downloadSets', () => {
  const host = useHost()
  const connections = useConnections()
  const list = createResource<DownloadSet[]>((_wish, signal) => host.call('downloads.sets', {}, { signal }))
  const reload = () => void list.load()
  host.on('downloads.setsChanged', reload)
  host.onReturn(reload)
  watch(
    () => connections.active?.id,
    () => {
      list.forget()
      reload()
    },
  )

  return {
    list,
    save: (set: DownloadSetFields) => host.call('downloads.saveSet', { set }),
    remove: (name: string) => host.call('downloads.removeSet', { name }),
    enqueue: (name: string) => host.call('downloads.enqueueSet', { name }),
  }
})
