import { onUnmounted, watch } from 'vue'
import { useDownloads } from '../../stores/downloads.ts'

/** Calls `onChanges` after downloads change, at most once every `everyMs`; changes in between are combined. */
export function onDownloadChanges(everyMs: number, onChanges: () => void): void {
  const downloads = useDownloads()
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    () => downloads.changeCount,
    () => {
      timer ??= setTimeout(() => {
        timer = undefined
        onChanges()
      }, everyMs)
    },
  )
  onUnmounted(() => clearTimeout(timer))
}
