import type { FileTotals } from '#shared/contract/areas/cache.ts'
import type { Clock, Logger } from '#core/ports.ts'

interface QuotaEnforcerDeps {
  limitBytes(): number | null
  makeRoom(maxBytes: number, signal: AbortSignal): Promise<FileTotals>
  clock: Clock
  log: Logger
  /** Called after files were removed. */
  onRemoved(): void
}

interface QuotaEnforcer {
  /**
   * Removes files if the cache exceeds its limit; called after files were added or the limit changed. Only one run is
   * active at a time.
   */
  enforce(): void
  /** Enforces the limit at most once a minute, for use while files keep arriving. */
  enforceOccasionally(): void
  /** Stops enforcing the limit; aborts a run in progress and waits for its end. */
  stop(): Promise<void>
}

const SHORTEST_PAUSE_MS = 60_000

/** Keeps the cache within the size limit of the settings. */
export function createQuotaEnforcer({ limitBytes, makeRoom, clock, log, onRemoved }: QuotaEnforcerDeps): QuotaEnforcer {
  const stopController = new AbortController()
  let running: Promise<void> | null = null
  let isRequestedAgain = false
  let checkedAtMs = -Infinity

  async function run(): Promise<void> {
    try {
      do {
        isRequestedAgain = false
        checkedAtMs = clock.nowMs()
        const limit = limitBytes()
        const removed = limit === null ? null : await makeRoom(limit, stopController.signal)
        if (removed && removed.files > 0) {
          log.write(
            'info',
            `${removed.files} files (${removed.sizeBytes} bytes) went to keep the cache within its limit`,
          )
          onRemoved()
        }
      } while (isRequestedAgain && !stopController.signal.aborted)
    } catch (thrown) {
      if (stopController.signal.aborted) return
      log.write('warn', `room could not be made: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    } finally {
      running = null
    }
  }

  const enforce = () => {
    isRequestedAgain = true
    if (!stopController.signal.aborted) running ??= run()
  }
  return {
    enforce,
    enforceOccasionally() {
      if (Math.abs(clock.nowMs() - checkedAtMs) >= SHORTEST_PAUSE_MS) enforce()
    },
    async stop() {
      stopController.abort()
      await running
    },
  }
}
