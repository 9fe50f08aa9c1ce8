import type { Clock, Logger } from '#core/ports.ts'
import type { RemovedFiles } from './makeRoom.ts'

export interface QuotaEnforcerDeps {
  limitBytes(): number | null
  makeRoom(maxBytes: number, signal: AbortSignal): Promise<RemovedFiles>
  clock: Clock
  log: Logger
  /** Files went. */
  onRemoved(): void
}

export interface QuotaEnforcer {
  /** Something changed: files came, or the limit is another one. Makes room where it is needed, one run at a time. */
  look(): void
  /** The same while files keep coming: once in a while. */
  checkOccasionally(): void
  /** Ends a run and waits for it. */
  stop(): Promise<void>
}

const SOMETIMES_MS = 60_000

/** Keeps the cache within the limit of the settings. */
export function createQuotaEnforcer({ limitBytes, makeRoom, clock, log, onRemoved }: QuotaEnforcerDeps): QuotaEnforcer {
  const ending = new AbortController()
  let running: Promise<void> | null = null
  let isAskedAgain = false
  let lookedAtMs = -Infinity

  async function run(): Promise<void> {
    try {
      do {
        isAskedAgain = false
        lookedAtMs = clock.nowMs()
        const limit = limitBytes()
        const gone = limit === null ? null : await makeRoom(limit, ending.signal)
        if (gone && gone.files > 0) {
          log.write('info', `${gone.files} files (${gone.sizeBytes} bytes) went to keep the cache within its limit`)
          onRemoved()
        }
      } while (isAskedAgain && !ending.signal.aborted)
    } catch (thrown) {
      if (ending.signal.aborted) return
      log.write('warn', `room could not be made: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    } finally {
      running = null
    }
  }

  const look = () => {
    isAskedAgain = true
    if (!ending.signal.aborted) running ??= run()
  }
  return {
    look,
    checkOccasionally() {
      if (Math.abs(clock.nowMs() - lookedAtMs) >= SOMETIMES_MS) look()
    },
    async stop() {
      ending.abort()
      await running
    },
  }
}
