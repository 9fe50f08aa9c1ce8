import type { AppError } from '#shared/contract/errors.ts'
import { OutOfReach } from './httpErrors.ts'

/** A server that no connection comes about with, and since when. */
export interface Unreachable {
  origin: string
  sinceMs: number
  message: string
  /** When it is looked for again; null while that happens. */
  nextLookMs: number | null
}

/**
 * Which servers are out of reach. What is known to be so is not waited for again: requests fail at once, while one look
 * at a time, further and further apart, finds out when it is back.
 */
export interface Reachability {
  /** @returns why a request to this origin is not made, or null */
  refusal(origin: string): AppError | null
  noteAnswer(origin: string): void
  noteFailure(origin: string, error: AppError): void
  list(): Unreachable[]
  /** Takes all for reachable until they prove otherwise. */
  forget(): void
  /** Looks for all of them at once. */
  probeNow(): void
  close(): void
}

export interface ReachabilityDeps {
  nowMs(): number
  /** Resolves when the server answered anything at all. */
  look(origin: string, signal: AbortSignal): Promise<void>
  /** No look goes out while the person is offline on purpose. */
  isOffline(): boolean
  /** A server is lost or back, or is looked for at another time than was said. */
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
/** Whoever asks in between makes the next look come sooner, but not more often than this. */
const SHORTEST_PAUSE_MS = 1000
/** A look that moves by less than this is no news. */
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
        // Still not: the next look comes later.
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
