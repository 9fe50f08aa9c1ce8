import { onUnmounted, shallowRef } from 'vue'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import type { CallOptions } from '#shared/contract/client.ts'

interface WorkProgress {
  done: number
  total: number | null
  message: string
}

/** Runs one long operation at a time, with progress, error and cancellation. */
export function useLongWork() {
  const controller = shallowRef<AbortController | null>(null)
  const progress = shallowRef<WorkProgress | null>(null)
  const error = shallowRef<AppError | null>(null)

  async function run<Result>(work: (options: CallOptions) => Promise<Result>): Promise<Result | null> {
    const { signal } = (controller.value = new AbortController())
    progress.value = null
    error.value = null
    try {
      const onProgress: CallOptions['onProgress'] = (next) =>
        (progress.value = { done: next.done, total: next.total ?? null, message: next.message ?? '' })
      return await work({ signal, onProgress })
    } catch (thrown) {
      const appError = toAppError(thrown)
      if (appError.code !== 'cancelled') error.value = appError
      return null
    } finally {
      controller.value = null
    }
  }
  const stop = () => controller.value?.abort()
  onUnmounted(stop)
  return { running: controller, progress, error, run, stop }
}
