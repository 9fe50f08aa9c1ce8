import { toAppError } from '#shared/contract/errors.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { Store } from '#core/store/store.ts'
import type { ForwardService } from './forwardService.ts'

interface ScoreAddedFilesDeps {
  store: Pick<Store, 'files'>
  bus: Pick<EventBus, 'subscribe'>
  service: () => Promise<ForwardService>
  onScored: () => void
  onProblem: (message: string) => void
  /** Resolves when a window is open; the command line scores when it is asked to. */
  windowShown: Promise<void>
}

/** Time to wait after the last file that came, because scoring would take the time that downloads need. */
const QUIET_MS = 5000

/** Scores recorded runs in the background after files or own rows came. */
export function scoreAddedFiles({ store, bus, service, onScored, onProblem, windowShown }: ScoreAddedFilesDeps) {
  const stopController = new AbortController()
  const { signal } = stopController
  let isShown = false
  let isRunning = false
  let timer: NodeJS.Timeout | null = null

  async function score(): Promise<void> {
    timer = null
    if (isRunning) return schedule()
    isRunning = true
    try {
      const { days } = await (await service()).update(signal)
      if (days > 0) onScored()
    } catch (thrown) {
      if (!signal.aborted) onProblem(toAppError(thrown).message)
    } finally {
      isRunning = false
    }
  }

  function schedule(): void {
    if (signal.aborted || !isShown) return
    if (timer) timer.refresh()
    else timer = setTimeout(() => void score(), QUIET_MS).unref()
  }

  void windowShown.then(() => {
    isShown = true
    // Files may have come without a window, or a day may have become too old to wait for.
    schedule()
  })
  store.files.listen({ added: schedule, removed: () => undefined })
  const stopListening = bus.subscribe((name) => {
    if (name === 'data.changed') schedule()
  })
  return {
    stop(): void {
      stopController.abort()
      stopListening()
      if (timer) clearTimeout(timer)
    },
  }
}
