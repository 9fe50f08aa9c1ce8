import { ref, shallowRef } from 'vue'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import type { Progress } from '#shared/contract/protocol.ts'

export type LongCall = ReturnType<typeof createLongCall>

/** Creates a runner of long calls with progress, error and cancellation; another run cancels the running one. */
export function createLongCall() {
  const isRunning = ref(false)
  const progress = shallowRef<Progress | null>(null)
  const error = shallowRef<AppError | null>(null)
  let controller = new AbortController()

  /**
   * Runs the work.
   * @returns null if it failed or was cancelled
   */
  async function run<Result>(work: (options: CallOptions) => Promise<Result>): Promise<Result | null> {
    controller.abort()
    const ownController = (controller = new AbortController())
    isRunning.value = true
    error.value = null
    progress.value = null
    try {
      const { signal } = ownController
      const result = await work({ signal, onProgress: (now) => !signal.aborted && (progress.value = now) })
      return signal.aborted ? null : result
    } catch (thrown) {
      if (!ownController.signal.aborted) error.value = toAppError(thrown)
      return null
    } finally {
      if (ownController === controller) isRunning.value = false
    }
  }

  return { isRunning, progress, error, run, cancel: () => controller.abort() }
}
