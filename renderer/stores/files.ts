import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { ReceivedFile } from '#shared/contract/areas/files.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'

/** Files the person dropped or chose that wait to be taken in. */
export const useFiles = defineStore('files', () => {
  const host = useHost()
  const toasts = useToasts()
  const received = ref<ReceivedFile[]>([])

  async function load(): Promise<void> {
    received.value = await host.call('files.received', {})
  }

  function start(onShow: () => void): Promise<void> {
    host.on('files.received', (files) => {
      const known = new Set(received.value.map((file) => file.id))
      const fresh = files.filter((file) => !known.has(file.id))
      received.value = files
      if (fresh.length === 0) return
      const words = fresh.length === 1 ? `Received ${fresh[0].name}` : `Received ${fresh.length} files`
      toasts.show({ kind: 'done', words, action: { label: 'Show', run: onShow } })
    })
    host.onReturn(load)
    return load()
  }

  return {
    received,
    start,
    pick: () => host.present().pickFiles('parquet'),
    take: (files: readonly File[]) => host.present().receiveFiles(files),
  }
})
