import { onUnmounted, watch } from 'vue'
import { useDownloads } from '../../stores/downloads.ts'

/** Calls `follow` after downloads changed, at most once in this time; changes in between are followed together. */
export function onDownloadChanges(everyMs: number, follow: () => void): void {
  const downloads = useDownloads()
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    () => downloads.changes,
    () => {
      timer ??= setTimeout(() => {
        timer = undefined
        follow()
      }, everyMs)
    },
  )
  onUnmounted(() => clearTimeout(timer))
}
