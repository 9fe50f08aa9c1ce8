/** Decides how to react to a failed download: wait, fail, or pause the connection. */
import { intervalTier, isInterval } from '#shared/catalog/intervals.ts'
import { AppError, type ErrorCode } from '#shared/contract/errors.ts'
import {
  isWorthRetrying,
  refusalCode,
  LinkError,
  retryDelayMs,
  SlowError,
  UnreachableError,
  RequestError,
} from '#core/clients/httpErrors.ts'
import { PeriodRefusedError } from './signedUrls.ts'
import type { Clock } from '#core/ports.ts'
import type { AccessRefusal, RefusedScope, UnavailableStore } from '#core/store/unavailableStore.ts'
import type { Job } from '#core/store/jobTable.ts'
import type { ConnectionPause, PauseStore } from '#core/store/pauseStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'

/** A connection cannot be used at all; for example, it has no address, or it was removed. */
export class ConnectionProblem extends AppError {}

/** The shared store lacks a file, and the service is not asked because its connection is paused for a while. */
export class ServicePausedError extends AppError {
  readonly untilMs: number

  constructor({ code, detail, service }: AppError, untilMs: number) {
    super(code, detail, service ? { service } : {})
    this.untilMs = untilMs
  }
}

/** The consequence of a failed attempt. */
type Consequence =
  /** The job waits and is tried again. */
  | { kind: 'wait'; delayMs: number }
  /** Every job of the connection is paused: for `delayMs`, or with `null` until the user acts. */
  | { kind: 'pause connection'; delayMs: number | null }
  /** Nothing can be stored, so every connection pauses. */
  | { kind: 'pause all'; delayMs: number }
  /** The job is queued again as if it had not been tried. */
  | { kind: 'release' }
  /** The key has no access to the series: the refusal is remembered and the job ends. */
  | { kind: 'refused' }
  | { kind: 'fail' }

const DISK_RETRY_MS = 30_000
/** Least delay for which an unreachable service is paused; the pause ends early if a probe reaches the service. */
const OUT_OF_REACH_MS = 60_000
/** Consecutive attempts without a new byte after which a job fails. */
const MAX_ATTEMPTS = 6
/** Attempts after which a job with an unusable file fails; a single download may have been damaged in transfer. */
const MAX_BAD_FILES = 3

/** Least delay before a file is tried again whose transfer was too slow, so that others come first. */
const SLOW_RETRY_MS = 5 * 60_000

const keyProblems = new Set<ErrorCode>(['unauthorized', 'no-key', 'no-keychain', 'invalid-key'])
const diskProblems = new Set<ErrorCode>(['disk-full', 'read-only'])
const fileProblems = new Set<ErrorCode>(['corrupt-file', 'bad-answer', 'internal'])

/**
 * Decides the consequence of a failed attempt.
 * @param failures number of consecutive attempts without a new byte, this one included
 * @param random a number in [0, 1)
 * @param hasStore true if other files of the connection may come from a shared store, which does not need the service's
 * key
 */
export function consequenceOf(error: AppError, failures: number, random: number, hasStore = false): Consequence {
  const requestedMs = error instanceof RequestError ? error.retryAfterMs : null
  const delayMs = retryDelayMs(failures, requestedMs, random)
  if (error instanceof ConnectionProblem || keyProblems.has(error.code))
    return hasStore ? { kind: 'fail' } : { kind: 'pause connection', delayMs: null }
  if (diskProblems.has(error.code)) return { kind: 'pause all', delayMs: DISK_RETRY_MS }
  if (error.code === 'offline' || error.code === 'cancelled') return { kind: 'release' }
  // What the plan has of a series stays open, although some of its periods are refused.
  if (error instanceof PeriodRefusedError) return { kind: 'fail' }
  if (error.code === 'forbidden') return { kind: 'refused' }
  if (error.code === 'busy') return { kind: 'wait', delayMs }
  if (error.code === 'rate-limited' && requestedMs !== null) return { kind: 'pause connection', delayMs }
  if (error instanceof UnreachableError)
    return { kind: 'pause connection', delayMs: Math.max(delayMs, OUT_OF_REACH_MS) }
  // A job never fails because the network is down, since its file is not to blame.
  if (error.code === 'network') return { kind: 'wait', delayMs }
  if (error instanceof SlowError && failures < MAX_ATTEMPTS)
    return { kind: 'wait', delayMs: Math.max(delayMs, SLOW_RETRY_MS) }
  if (isWorthRetrying(error)) return failures < MAX_ATTEMPTS ? { kind: 'wait', delayMs } : { kind: 'fail' }
  if (fileProblems.has(error.code)) return failures < MAX_BAD_FILES ? { kind: 'wait', delayMs } : { kind: 'fail' }
  return { kind: 'fail' }
}

/** Consecutive attempts without a new byte, by job. */
interface StalledAttempts {
  /** @returns number of consecutive attempts without a new byte, this one included */
  noteFailure(jobId: number, doneBytes: number): number
  forget(jobId: number): void
}

export function createStalledAttempts(): StalledAttempts {
  const attemptsByJob = new Map<number, { failures: number; furthestBytes: number }>()
  return {
    noteFailure(jobId, doneBytes) {
      const { failures, furthestBytes } = attemptsByJob.get(jobId) ?? { failures: 0, furthestBytes: 0 }
      const failuresInARow = doneBytes > furthestBytes ? 1 : failures + 1
      attemptsByJob.set(jobId, { failures: failuresInARow, furthestBytes: Math.max(furthestBytes, doneBytes) })
      return failuresInARow
    },
    forget: (jobId) => void attemptsByJob.delete(jobId),
  }
}

/** Paused connections, and connections that run one job at a time after failures. */
export interface ConnectionPauses {
  isPaused(connectionId: string): boolean
  /** Returns the reason and the end of a pause that ends by itself; null if there is none. */
  shortPause(connectionId: string): { error: AppError; untilMs: number } | null
  /** Tells whether a connection failed several times in a row; it runs one job at a time until one succeeds. */
  isSuspect(connectionId: string): boolean
  pause(connectionId: string, error: AppError, delayMs: number | null): void
  /** Pauses everything for a short time without recording it, because the store itself fails. */
  pauseWithoutStore(error: AppError): void
  /** Returns the pauses that could not be recorded and are known only to this process. */
  unstoredPauses(): ConnectionPause[]
  resume(connectionId: string): void
  /** Ends the pauses that another process has ended. */
  dropEndedElsewhere(): void
  noteSuccess(connectionId: string): void
  /** @returns the time at which the failed job may run again */
  noteFailure(connectionId: string, error: AppError, delayMs: number): number
}

/** Consecutive failures, of any jobs, after which the connection is to blame rather than a file. */
const SUSPICIOUS_FAILURES = 3
const STORE_RETRY_MS = 5000
/**
 * Delay before a file is retried after its link failed, multiplied by the number of such failures in a row. The
 * connection goes on with other files, because their links may still work; the delay grows so that storage which is
 * down does not get requests constantly.
 */
const LINK_WAIT_MS = 100
const LONGEST_LINK_WAIT_MS = 5 * 60_000

interface KnownPause {
  error: AppError
  sinceMs: number
  untilMs: number | null
  isStored: boolean
}

export function createConnectionPauses(store: PauseStore, clock: Clock): ConnectionPauses {
  const pauseByConnection = new Map<string, KnownPause>()
  const failuresByConnection = new Map<string, number>()
  const linkFailuresByConnection = new Map<string, number>()

  function pauseOf(connectionId: string): KnownPause | null {
    const found = pauseByConnection.get(connectionId)
    if (!found) return null
    const nowMs = clock.nowMs()
    // If the current time is before the start, the clock was set back, and the end may be far away.
    if (found.untilMs === null || (nowMs >= found.sinceMs && nowMs < found.untilMs)) return found
    pauseByConnection.delete(connectionId)
    if (found.isStored) store.clear(connectionId)
    return null
  }

  const isPaused = (connectionId: string) => pauseOf(connectionId) !== null

  const isSuspect = (connectionId: string) => (failuresByConnection.get(connectionId) ?? 0) >= SUSPICIOUS_FAILURES

  function pause(connectionId: string, error: AppError, delayMs: number | null): void {
    const sinceMs = clock.nowMs()
    const untilMs = delayMs === null ? null : sinceMs + delayMs
    pauseByConnection.set(connectionId, { error, sinceMs, untilMs, isStored: true })
    store.set({ connectionId, error: error.toShape(), untilMs })
  }

  return {
    isPaused,
    shortPause(connectionId) {
      const { error, untilMs = null } = pauseOf(connectionId) ?? {}
      return error && untilMs !== null ? { error, untilMs } : null
    },
    isSuspect,
    pause,
    pauseWithoutStore(error) {
      const sinceMs = clock.nowMs()
      pauseByConnection.set('', { error, sinceMs, untilMs: sinceMs + STORE_RETRY_MS, isStored: false })
    },
    unstoredPauses: () =>
      [...pauseByConnection]
        .filter(([connectionId, { isStored }]) => !isStored && isPaused(connectionId))
        .map(([connectionId, { error, untilMs }]) => ({ connectionId, error: error.toShape(), untilMs })),
    resume(connectionId) {
      pauseByConnection.delete(connectionId)
      failuresByConnection.delete(connectionId)
      linkFailuresByConnection.delete(connectionId)
      store.clear(connectionId)
    },
    dropEndedElsewhere() {
      if (pauseByConnection.size === 0) return
      const storedIds = new Set(store.list().map(({ connectionId }) => connectionId))
      for (const [connectionId, { isStored }] of pauseByConnection) {
        if (!isStored || storedIds.has(connectionId)) continue
        pauseByConnection.delete(connectionId)
        failuresByConnection.delete(connectionId)
      }
    },
    noteSuccess(connectionId) {
      failuresByConnection.delete(connectionId)
      linkFailuresByConnection.delete(connectionId)
    },
    noteFailure(connectionId, error, delayMs) {
      if (error instanceof LinkError) {
        const failuresInARow = (linkFailuresByConnection.get(connectionId) ?? 0) + 1
        linkFailuresByConnection.set(connectionId, failuresInARow)
        return clock.nowMs() + Math.max(delayMs, Math.min(LONGEST_LINK_WAIT_MS, failuresInARow * LINK_WAIT_MS))
      }
      failuresByConnection.set(connectionId, (failuresByConnection.get(connectionId) ?? 0) + 1)
      if (isSuspect(connectionId)) pause(connectionId, error, delayMs)
      return clock.nowMs() + delayMs
    },
  }
}

/** Known refusals of the connections' keys, cached because every file looks them up. */
export interface Refusals {
  find(series: OwnedSeries): AccessRefusal | undefined
  /** Records that the service refused a job, with the service's own message. */
  record(job: Job, error: AppError, nowMs: number): void
  clear(refusal: AccessRefusal): void
  forget(): void
}

export function createRefusals(unavailable: UnavailableStore): Refusals {
  const refusalsByConnection = new Map<string, AccessRefusal[]>()

  function refusalsOf(connectionId: string): AccessRefusal[] {
    const refusals = refusalsByConnection.get(connectionId) ?? unavailable.refusals(connectionId)
    refusalsByConnection.set(connectionId, refusals)
    return refusals
  }

  return {
    find: (series) => accessRefusal(refusalsOf(series.connectionId), series),
    record({ series, createdAtMs }, error, nowMs) {
      // A refusal that was known before the job says nothing new.
      if (refusalsOf(series.connectionId).some((each) => refuses(each, series) && each.atMs >= createdAtMs)) return
      const { connectionId } = series
      const message = error.service?.message ?? null
      unavailable.recordRefusal({ connectionId, ...refusedScope(series, error), message, atMs: nowMs })
      refusalsByConnection.clear()
    },
    clear(refusal) {
      unavailable.clearRefusal(refusal)
      refusalsByConnection.clear()
    },
    forget: () => refusalsByConnection.clear(),
  }
}

export const accessRefusal = (refusals: readonly AccessRefusal[], series: OwnedSeries): AccessRefusal | undefined =>
  refusals.find((each) => refuses(each, series))

/** Tells whether a refusal applies to a series. */
const refuses = (
  refusal: RefusedScope,
  { kind, dataset, interval }: Pick<OwnedSeries, 'kind' | 'dataset' | 'interval'>,
): boolean =>
  refusal.kind === kind &&
  (refusal.dataset === '' || refusal.dataset === dataset) &&
  (refusal.interval === '' || refusal.interval === interval)

/** Names what a refusal applies to. */
const refusedName = ({ dataset, interval }: RefusedScope) =>
  dataset === '' ? 'Everything of raw events' : [dataset, interval].filter(Boolean).join(' ')

export const refusalError = ({ message, atMs, ...scope }: AccessRefusal) =>
  new AppError('forbidden', `${refusedName(scope)} was refused on ${new Date(atMs).toISOString().slice(0, 10)}`, {
    service: { message, status: 403, requestId: null },
  })

/** Code with which a service refuses raw events as a whole, because the plan of the key has none. */
const NO_RAW_EVENTS = 'raw_not_in_plan'

/**
 * Returns what a refusal applies to: all raw events if the plan has none; this interval of the dataset if the interval
 * needs a tier above 0; else (with an empty interval) the whole dataset.
 */
function refusedScope({ kind, dataset, interval }: OwnedSeries, error: AppError): RefusedScope {
  if (kind === 'raw') return { kind, dataset: refusalCode(error) === NO_RAW_EVENTS ? '' : dataset, interval: '' }
  return { kind, dataset, interval: isInterval(interval) && intervalTier(interval) > 0 ? interval : '' }
}
