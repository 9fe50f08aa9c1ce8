import { shallowRef } from 'vue'
import { toAppError, type AppError } from '#shared/contract/errors.ts'

/**
 * Runs the action of a dialog, which closes on success and shows the error otherwise. While the action runs, a second
 * click on its button does nothing.
 */
export function useDialogWork() {
  const error = shallowRef<AppError | null>(null)
  let isWorking = false
  async function finish(close: () => void, work: () => Promise<void>): Promise<void> {
    if (isWorking) return
    isWorking = true
    try {
      await work()
      close()
    } catch (thrown) {
      error.value = toAppError(thrown)
    } finally {
      isWorking = false
    }
  }
  return { error, finish }
}
