import { AppError, toAppError, type ErrorShape } from '#shared/contract/errors.ts'

/** Error of a thread in a form that can be sent to the caller. */
export interface TaskError {
  error: ErrorShape
  detail: string
}

export const taskError = (thrown: unknown): TaskError => ({
  error: toAppError(thrown).toShape(),
  detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
})

export function restoredError({ error, detail }: TaskError): AppError {
  const thrown = AppError.fromShape(error)
  thrown.cause = new Error(detail)
  return thrown
}
