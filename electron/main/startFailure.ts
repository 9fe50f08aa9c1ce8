import { app, dialog } from 'electron'
import { toAppError } from '#shared/contract/errors.ts'

/** The app cannot start: says why and what to do, then ends with status 1. */
export async function showStartFailure(thrown: unknown): Promise<void> {
  // Earlier there is no dialog on every system.
  await app.whenReady()
  const error = toAppError(thrown)
  const unforeseen = error.code === 'internal' && thrown instanceof Error ? thrown.message : null
  const message = [error.sentence, error.detail, unforeseen, error.remedy].filter(Boolean)
  dialog.showErrorBox('Perpscope cannot start', message.join('\n\n'))
  app.exit(1)
}
