import { onUnmounted, watch } from 'vue'
import { useDownloads } from '../../stores/downloads.ts'

/** Calls `follow` after downloads change, at most once every `everyMs`; changes in between are combined. */
export function onDownloadChanges(everyMs: number, follow: () => void): void {
  const downloads = useDownloads()
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    () => downloads.changeCount,
    () => {
      timer ??= setTimeout(() => {
        timer = undefined
        follow()
      }, everyMs)
    },
  )
  onUnmounted(() => clearTimeout(timer))
}
