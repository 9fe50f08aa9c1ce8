import { toAppError } from '#shared/contract/errors.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Store } from '#core/store/store.ts'
import type { QualityService } from './qualityService.ts'

interface AddedFilesCheckDeps {
  store: Store
  service: () => Promise<QualityService>
  onChecked: (files: number, findings: number) => void
  onProblem: (message: string) => void
  /** Resolves when a window is open; the command line never checks, because it ends when its work is done. */
  windowShown: Promise<void>
}

/** Time to wait after the last download, because checks would take the CPU time that downloads need. */
const QUIET_MS = 3000
/** Number of files that may wait for a check; further ones are checked when the quality page is opened. */
const MOST_WAITING = 20_000

/**
 * Checks files that were just downloaded, imported or computed, after a short pause. The results are stored, so that the
 * quality page need not run these checks again.
 */
export function createAddedFilesCheck({ store, service, onChecked, onProblem, windowShown }: AddedFilesCheckDeps): {
  stop(): void
} {
  const stopController = new AbortController()
  let waitingFiles: CachedFile[] = []
  let isShown = false
  let isRunning = false
  let timer: NodeJS.Timeout | null = null
  void windowShown.then(() => (isShown = true))

  async function runChecks(): Promise<void> {
    timer = null
    if (isRunning || stopController.signal.aborted || !store.settings.read().checkQuality) return
    isRunning = true
    const files = waitingFiles
    waitingFiles = []
    try {
      const findings = await (await service()).checkFiles(files, { signal: stopController.signal })
      onChecked(files.length, findings)
    } catch (thrown) {
      if (!stopController.signal.aborted) onProblem(toAppError(thrown).message)
    } finally {
      isRunning = false
      if (waitingFiles.length > 0) schedule()
    }
  }

  function schedule(): void {
    if (stopController.signal.aborted) return
    if (timer) timer.refresh()
    else timer = setTimeout(() => void runChecks(), QUIET_MS).unref()
  }

  store.files.listen({
    added(files) {
      if (!isShown) return
      waitingFiles.push(...files.slice(0, MOST_WAITING - waitingFiles.length))
      if (files.length > 0) schedule()
    },
    removed: () => {},
  })
  return {
    stop() {
      stopController.abort()
      if (timer) clearTimeout(timer)
    },
  }
}
