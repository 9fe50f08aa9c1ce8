import { AppError } from '#shared/contract/errors.ts'

/** Size and modification time of a file that was validated; the time is null if it was not recorded. */
export interface FileVersion {
  sizeBytes: number
  changedAtMs: number | null
}

export const CHANGED_TEXT = 'it was changed after it had been validated'

export const hasChanged = (source: { sizeBytes: number; changedAtMs: number }, known: FileVersion): boolean =>
  source.sizeBytes !== known.sizeBytes || (known.changedAtMs !== null && source.changedAtMs !== known.changedAtMs)

/** Tells whether an error, including one from a thread, says that a file was changed after its validation. */
export const isChangedFile = (thrown: unknown): boolean =>
  thrown instanceof AppError && thrown.code === 'corrupt-file' && thrown.detail?.endsWith(`${CHANGED_TEXT}.`) === true
