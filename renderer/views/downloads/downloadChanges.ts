import { onUnmounted, watch } from 'vue'
import { useDownloads } from '../../stores/downloads.ts'
import { createResource } from '../../stores/resource.ts'

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

const MOST_REQUESTS = 30
/** Shortest time between two counts of files; it is long because each count reads all jobs of the requests. */
const COUNT_EVERY_MS = 1500

/** Loads the latest requests with the counts of their files, and loads them again when downloads change. */
export function useLatestRequests() {
  const downloads = useDownloads()
  const requests = createResource((_query: void, signal) => downloads.requests(MOST_REQUESTS, { signal }))
  void requests.load()
  onDownloadChanges(COUNT_EVERY_MS, () => void requests.load())
  return requests
}
