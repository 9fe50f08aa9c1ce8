import { AppError, type ErrorCode } from '#shared/contract/errors.ts'
import { isWorthRetrying, retryDelayMs } from '#core/clients/backoff.ts'
import { OutOfReach, RequestError } from '#core/clients/httpErrors.ts'

/** A connection that cannot be asked at all: no address, no key, gone. */
export class ConnectionProblem extends AppError {}

/** What follows from a failed attempt. */
export type Consequence =
  /** The job waits, and is tried again. */
  | { kind: 'wait'; delayMs: number }
  /** All jobs of the connection stand still: `null` until the person did something. */
  | { kind: 'hold connection'; delayMs: number | null }
  /** Nothing can be stored: everything stands still. */
  | { kind: 'hold all'; delayMs: number }
  /** As if it had not been tried. */
  | { kind: 'release' }
  /** The key does not open this: remembered, and the job ends. */
  | { kind: 'refused' }
  | { kind: 'fail' }

const NO_ROOM_RETRY_MS = 30_000
/** Looked for all the while: when it is back, the hold ends at once. */
const OUT_OF_REACH_MS = 60_000
/** Attempts in a row without a single new byte; beyond it a service's trouble is not ours to sit out. */
const MOST_ATTEMPTS = 6
/** Files that come damaged: the transfer may be to blame, once or twice. */
const MOST_BAD_FILES = 3

const keyTrouble = new Set<ErrorCode>(['unauthorized', 'no-key'])
const noRoom = new Set<ErrorCode>(['disk-full', 'read-only'])
const badFile = new Set<ErrorCode>(['corrupt-file', 'bad-answer', 'internal'])

/**
 * @param failures attempts in a row that brought nothing, this one included
 * @param random from 0 to below 1
 */
export function consequenceOf(error: AppError, failures: number, random: number): Consequence {
  const askedMs = error instanceof RequestError ? error.retryAfterMs : null
  const delayMs = retryDelayMs(failures, askedMs, random)
  if (error instanceof ConnectionProblem || keyTrouble.has(error.code))
    return { kind: 'hold connection', delayMs: null }
  if (noRoom.has(error.code)) return { kind: 'hold all', delayMs: NO_ROOM_RETRY_MS }
  if (error.code === 'offline' || error.code === 'cancelled') return { kind: 'release' }
  if (error.code === 'forbidden') return { kind: 'refused' }
  if (error.code === 'busy') return { kind: 'wait', delayMs }
  if (error.code === 'rate-limited' && askedMs !== null) return { kind: 'hold connection', delayMs }
  if (error instanceof OutOfReach) return { kind: 'hold connection', delayMs: Math.max(delayMs, OUT_OF_REACH_MS) }
  // Without a network nothing is the service's fault: waits as long as it takes.
  if (error.code === 'network') return { kind: 'wait', delayMs }
  if (isWorthRetrying(error)) return failures < MOST_ATTEMPTS ? { kind: 'wait', delayMs } : { kind: 'fail' }
  if (badFile.has(error.code)) return failures < MOST_BAD_FILES ? { kind: 'wait', delayMs } : { kind: 'fail' }
  return { kind: 'fail' }
}
