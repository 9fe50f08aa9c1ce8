import type { ValidatedFile } from '#core/downloads/verifyFile.ts'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import type { FileStore } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { toAppError } from '#shared/contract/errors.ts'

export interface CheckOldFilesDeps {
  files: Pick<FileStore, 'unchecked' | 'recordChecked'>
  folder: CacheFolder
  validate(path: string, signal: AbortSignal, deep: boolean): Promise<ValidatedFile>
  /** Reports a file whose values contradict what it states about them, or that is damaged otherwise. */
  onDamaged(path: string, message: string): void
}

const FILES_PER_PAGE = 64

/**
 * Compares the values of the files that came in before this was done with their statistics, one file at a time, so that
 * other work is not held up. Until then SQL reads them without their statistics.
 */
export async function checkOldFiles(deps: CheckOldFilesDeps, signal: AbortSignal): Promise<void> {
  for (let after: CachedFile | null = null; ;) {
    const page: CachedFile[] = deps.files.unchecked(after, FILES_PER_PAGE)
    const last = page.at(-1)
    if (last === undefined) return
    for (const file of page) {
      if (signal.aborted) return
      await checkFile(deps, file, signal)
    }
    after = last
  }
}

async function checkFile(
  { files, folder, validate, onDamaged }: CheckOldFilesDeps,
  file: CachedFile,
  signal: AbortSignal,
): Promise<void> {
  const path = folder.pathOf(file.series, file.period)
  try {
    const { sha256, facts } = await validate(path, signal, true)
    // A file that another program has changed is validated when it is read.
    if (sha256 === file.sha256 && facts.doubtfulColumns) files.recordChecked(file, facts.doubtfulColumns)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.code !== 'corrupt-file') return
    files.recordChecked(file, null)
    onDamaged(path, error.detail ?? error.sentence)
  }
}
