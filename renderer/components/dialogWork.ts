import { shallowRef } from 'vue'
import { toAppError, type AppError } from '#shared/contract/errors.ts'

/** Runs the action of a dialog, which closes on success and shows the error otherwise. */
export function useDialogWork() {
  const error = shallowRef<AppError | null>(null)
  async function finish(close: () => void, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      close()
    } catch (thrown) {
      error.value = toAppError(thrown)
    }
  }
  return { error, finish }
}
