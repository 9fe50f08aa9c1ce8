import { onUnmounted, shallowRef, watch } from 'vue'
import type { DownloadPreview, DownloadRequest } from '#shared/contract/areas/downloads.ts'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import { useDownloads } from '../../stores/downloads.ts'
import { useHost } from '../../stores/host.ts'

const SETTLES_AFTER_MS = 250

/** Keeps the plan of a request up to date: an outdated preview is cancelled and never shown for a newer request. */
export function usePreview(request: () => DownloadRequest | null) {
  const downloads = useDownloads()
  const host = useHost()
  /** Number of times that the lists have changed which say what exists, those of the user included. */
  const listings = shallowRef(0)
  const preview = shallowRef<DownloadPreview | null>(null)
  const error = shallowRef<AppError | null>(null)
  const isLoading = shallowRef(false)
  let controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(wanted: DownloadRequest): Promise<void> {
    const { signal } = (controller = new AbortController())
    try {
      const answer = await downloads.preview(wanted, { signal })
      if (!signal.aborted) preview.value = answer
    } catch (thrown) {
      if (!signal.aborted) error.value = toAppError(thrown)
    } finally {
      if (!signal.aborted) isLoading.value = false
    }
  }

  function stop(): void {
    clearTimeout(timer)
    controller.abort()
  }

  const listeners = (['discovery.changed', 'instruments.changed'] as const).map((name) =>
    host.on(name, () => void listings.value++),
  )
  watch(
    [() => JSON.stringify(request()), listings],
    () => {
      stop()
      preview.value = null
      error.value = null
      const wanted = request()
      isLoading.value = wanted !== null
      if (wanted) timer = setTimeout(() => void load(wanted), SETTLES_AFTER_MS)
    },
    { immediate: true },
  )
  onUnmounted(() => {
    for (const forget of listeners) forget()
    stop()
  })
  return { preview, error, isLoading }
}
