import type { Logger } from '#core/ports.ts'
import { LEASE_DURATION_MS, type Lease } from './lease.ts'

export interface LeaseKeeper {
  held(): boolean
  /** Gives the lease back, so that another process need not wait for its end. */
  stop(): void
}

export interface LeaseKeeperDeps {
  lease: Lease
  log: Logger
  everyMs?: number
  /** Called when this process takes the lease and the work can begin. */
  onTaken(): void
  /** Another process has it (this one slept, or was too busy to renew): stop the work at once. */
  onLost(): void
}

/** Asks for the lease again and again: renews it while it is ours, takes it over when its holder is gone. */
export function keepLease({
  lease,
  log,
  everyMs = LEASE_DURATION_MS / 3,
  onTaken,
  onLost,
}: LeaseKeeperDeps): LeaseKeeper {
  let held = false

  function beat(): void {
    const before = held
    try {
      held = lease.take()
    } catch (thrown) {
      // A busy or full database: the lease stays ours as long as nobody can take it either.
      held = held && stillOurs()
      log.write('warn', `the lease could not be renewed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
    if (held && !before) onTaken()
    if (!held && before) onLost()
  }

  function stillOurs(): boolean {
    try {
      return lease.isOurs()
    } catch {
      return false
    }
  }

  const timer = setInterval(beat, everyMs)
  timer.unref()
  beat()
  return {
    held: () => held,
    stop() {
      clearInterval(timer)
      if (held) lease.release()
      held = false
    },
  }
}
