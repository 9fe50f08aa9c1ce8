import { hostname } from 'node:os'
import type { Clock, Logger } from '#core/ports.ts'
import type { Database } from './database.ts'

/** The right to do work that only one process of the data folder may do at a time, such as running the queue. */
export interface Lease {
  /**
   * Takes the lease, or renews it if this process holds it.
   * @returns whether this process holds it now
   */
  take(): boolean
  /** Tells whether this process holds the lease; inside a write transaction the answer is valid until the commit. */
  isOurs(): boolean
  holder(): LeaseHolder | null
  release(): void
}

interface LeaseHolder {
  id: string
  machine: string
  pid: number
  expiresAtMs: number
}

export interface LeaseDeps {
  database: Database
  clock: Clock
  /** Purpose of the lease, e.g. `queue`. */
  name: string
  /** Holder of the lease: one id for each running process. */
  holder: string
  /** Duration of the lease without renewal. */
  durationMs?: number
  pid?: number
  machine?: string
  isAlive?: (pid: number) => boolean
}

export const LEASE_DURATION_MS = 15_000

interface LeaseRow {
  holder: string
  machine: string
  pid: number
  expires_at_ms: number
}

export function createLease({
  database: { reads, writes },
  clock,
  name,
  holder,
  durationMs = LEASE_DURATION_MS,
  pid = process.pid,
  machine = hostname(),
  isAlive = processIsAlive,
}: LeaseDeps): Lease {
  const SELECT = 'SELECT holder, machine, pid, expires_at_ms FROM leases WHERE name = ?'

  function canTake(row: LeaseRow | undefined): boolean {
    if (!row || row.holder === holder) return true
    const leftMs = row.expires_at_ms - clock.nowMs()
    // A lease with more than twice its duration left means that the clock was set back.
    if (leftMs <= 0 || leftMs > durationMs * 2) return true
    // A process that has ended on this machine will not renew its lease.
    return row.machine === machine && !isAlive(row.pid)
  }

  return {
    take: () =>
      writes.inTransaction(() => {
        if (!canTake(writes.first<LeaseRow>(SELECT, name))) return false
        writes.run(
          'INSERT OR REPLACE INTO leases (name, holder, machine, pid, expires_at_ms) VALUES (?, ?, ?, ?, ?)',
          name,
          holder,
          machine,
          pid,
          clock.nowMs() + durationMs,
        )
        return true
      }),
    isOurs() {
      const row = writes.first<LeaseRow>(SELECT, name)
      return row?.holder === holder && row.expires_at_ms > clock.nowMs()
    },
    holder() {
      const row = reads.first<LeaseRow>(SELECT, name)
      return row ? { id: row.holder, machine: row.machine, pid: row.pid, expiresAtMs: row.expires_at_ms } : null
    },
    release: () => void writes.run('DELETE FROM leases WHERE name = ? AND holder = ?', name, holder),
  }
}

function processIsAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    // The process exists but belongs to another user.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}

export interface LeaseRenewal {
  isHeld(): boolean
  /** Releases the lease, so that other processes need not wait for it to expire. */
  stop(): void
}

interface LeaseRenewalDeps {
  lease: Lease
  log: Logger
  everyMs?: number
  /** Called when this process takes the lease and the work can begin. */
  onTaken(): void
  /**
   * Called when this process has lost the lease (because it slept or was too busy to renew the lease); the work must
   * stop immediately.
   */
  onLost(): void
}

/** Renews the lease periodically, and takes it over when its holder has ended. */
export function renewLease({
  lease,
  log,
  everyMs = LEASE_DURATION_MS / 3,
  onTaken,
  onLost,
}: LeaseRenewalDeps): LeaseRenewal {
  let isOwned = false

  function renew(): void {
    const wasOwned = isOwned
    try {
      isOwned = lease.take()
    } catch (thrown) {
      // The database is busy or full; the lease stays ours as long as no other process can take it either.
      isOwned = isOwned && isStillOurs()
      log.write('warn', `the lease could not be renewed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
    if (isOwned && !wasOwned) onTaken()
    if (!isOwned && wasOwned) onLost()
  }

  function isStillOurs(): boolean {
    try {
      return lease.isOurs()
    } catch {
      return false
    }
  }

  const timer = setInterval(renew, everyMs)
  timer.unref()
  renew()
  return {
    isHeld: () => isOwned,
    stop() {
      clearInterval(timer)
      if (isOwned) lease.release()
      isOwned = false
    },
  }
}
