import type { AppError } from '#shared/contract/errors.ts'
import { OutOfReach } from './httpErrors.ts'

/** A server that cannot be connected to, and since when. */
export interface Unreachable {
  origin: string
  sinceMs: number
  message: string
  /** Time of the next probe; null while a probe is running. */
  nextLookMs: number | null
}

/**
 * Tracks unreachable servers. Requests to one fail at once, while single probes at growing intervals find out when the
 * server is back.
 */
export interface Reachability {
  /** @returns the reason why no request is sent to this origin, or null */
  refusal(origin: string): AppError | null
  noteAnswer(origin: string): void
  noteFailure(origin: string, error: AppError): void
  list(): Unreachable[]
  /** Treats all servers as reachable until a request fails. */
  forget(): void
  /** Probes all unreachable servers at once. */
  probeNow(): void
  close(): void
}

export interface ReachabilityDeps {
  nowMs(): number
  /** Resolves when the server responds in any way. */
  look(origin: string, signal: AbortSignal): Promise<void>
  /** No probe is sent while the person works offline. */
  isOffline(): boolean
  /** A server is lost or back, or the time of its next probe has changed. */
  onChange(): void
  random?: () => number
}

interface Lost extends Unreachable {
  looks: number
  lastLookMs: number
  timer: NodeJS.Timeout | null
  looking: AbortController | null
}

const FIRST_LOOK_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** Shortest time between two probes; a request in between makes the next probe come sooner. */
const SHORTEST_PAUSE_MS = 1000
/** A probe that moves by less than this is not reported. */
const SAME_TIME_MS = 250

export function createReachability(deps: ReachabilityDeps): Reachability {
  const { nowMs, look, isOffline, onChange, random = Math.random } = deps
  const lost = new Map<string, Lost>()
  const list = () =>
    [...lost.values()].map(({ origin, sinceMs, message, nextLookMs }) => ({ origin, sinceMs, message, nextLookMs }))

  function pauseMs({ looks }: Lost): number {
    const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_LOOK_MS * 2 ** looks)
    return ceiling * (0.75 + random() / 4)
  }

  function lookIn(each: Lost, delayMs: number): void {
    if (each.timer) clearTimeout(each.timer)
    each.timer = setTimeout(() => void lookNow(each), delayMs).unref()
    const before = each.nextLookMs ?? -Infinity
    each.nextLookMs = nowMs() + delayMs
    if (Math.abs(each.nextLookMs - before) > SAME_TIME_MS) onChange()
  }

  async function lookNow(each: Lost): Promise<void> {
    each.timer = null
    each.nextLookMs = null
    each.lastLookMs = performance.now()
    each.looks++
    if (!isOffline()) {
      each.looking = new AbortController()
      try {
        await look(each.origin, each.looking.signal)
        return found(each.origin)
      } catch {
        // The server is still unreachable, so the next probe comes later.
      } finally {
        each.looking = null
      }
    }
    if (lost.get(each.origin) === each) lookIn(each, pauseMs(each))
  }

  function found(origin: string): void {
    const each = lost.get(origin)
    if (!each) return
    end(each)
    lost.delete(origin)
    onChange()
  }

  function end({ timer, looking }: Lost): void {
    if (timer) clearTimeout(timer)
    looking?.abort()
  }

  return {
    refusal(origin) {
      const each = lost.get(origin)
      if (!each) return null
      const sinceLookMs = performance.now() - each.lastLookMs
      if (!each.looking) lookIn(each, Math.max(0, SHORTEST_PAUSE_MS - sinceLookMs))
      return new OutOfReach(`${origin}: ${each.message}`)
    },
    noteAnswer: found,
    noteFailure(origin, error) {
      if (!(error instanceof OutOfReach) || lost.has(origin)) return
      const message = error.detail ?? ''
      const each: Lost = {
        origin,
        sinceMs: nowMs(),
        message: message.slice(message.lastIndexOf(': ') + 2),
        nextLookMs: null,
        looks: 0,
        lastLookMs: performance.now(),
        timer: null,
        looking: null,
      }
      lost.set(origin, each)
      lookIn(each, pauseMs(each))
    },
    list,
    forget() {
      if (lost.size === 0) return
      for (const each of lost.values()) end(each)
      lost.clear()
      onChange()
    },
    probeNow() {
      for (const each of lost.values()) {
        if (each.looking) continue
        if (each.timer) clearTimeout(each.timer)
        void lookNow(each)
      }
      if (lost.size > 0) onChange()
    },
    close() {
      for (const each of lost.values()) end(each)
      lost.clear()
    },
  }
}
