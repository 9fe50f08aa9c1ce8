/** Tracks unreachable servers: requests to them fail at once, while probes find out when they are back. */
import type { AppError } from '#shared/contract/errors.ts'
import { OutOfReach } from './httpErrors.ts'

/** A server to which no connection can be made, and since when. */
export interface Unreachable {
  origin: string
  sinceMs: number
  message: string
  /** Time of the next probe; null while a probe is running. */
  nextProbeMs: number | null
}

/**
 * Tracks unreachable servers. Requests to them fail at once, while single probes at growing intervals find out when a
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
  /** Resolves if the server responds in any way. */
  probe(origin: string, signal: AbortSignal): Promise<void>
  /** Tells whether the app works offline; no probe is sent then. */
  isOffline(): boolean
  /** Called when a server is lost or back, or when the time of its next probe has changed. */
  onChange(): void
  random?: () => number
}

interface LostServer extends Unreachable {
  probes: number
  lastProbeMs: number
  timer: NodeJS.Timeout | null
  probing: AbortController | null
}

const FIRST_PROBE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** Shortest delay between two probes; a request in between makes the next probe come sooner. */
const SHORTEST_PAUSE_MS = 1000
/** Changes of a probe's time below this are not reported. */
const SAME_TIME_MS = 250

export function createReachability(deps: ReachabilityDeps): Reachability {
  const { nowMs, probe, isOffline, onChange, random = Math.random } = deps
  const lost = new Map<string, LostServer>()
  const list = () =>
    [...lost.values()].map(({ origin, sinceMs, message, nextProbeMs }) => ({ origin, sinceMs, message, nextProbeMs }))

  function pauseMs({ probes }: LostServer): number {
    const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PROBE_MS * 2 ** probes)
    return ceiling * (0.75 + random() / 4)
  }

  function probeIn(each: LostServer, delayMs: number): void {
    if (each.timer) clearTimeout(each.timer)
    each.timer = setTimeout(() => void probeOne(each), delayMs).unref()
    const before = each.nextProbeMs ?? -Infinity
    each.nextProbeMs = nowMs() + delayMs
    if (Math.abs(each.nextProbeMs - before) > SAME_TIME_MS) onChange()
  }

  async function probeOne(each: LostServer): Promise<void> {
    each.timer = null
    each.nextProbeMs = null
    each.lastProbeMs = performance.now()
    each.probes++
    if (!isOffline()) {
      each.probing = new AbortController()
      try {
        await probe(each.origin, each.probing.signal)
        return found(each.origin)
      } catch {
        // The server is still unreachable, so the next probe comes later.
      } finally {
        each.probing = null
      }
    }
    if (lost.get(each.origin) === each) probeIn(each, pauseMs(each))
  }

  function found(origin: string): void {
    const each = lost.get(origin)
    if (!each) return
    end(each)
    lost.delete(origin)
    onChange()
  }

  function end({ timer, probing }: LostServer): void {
    if (timer) clearTimeout(timer)
    probing?.abort()
  }

  return {
    refusal(origin) {
      const each = lost.get(origin)
      if (!each) return null
      const sinceProbeMs = performance.now() - each.lastProbeMs
      if (!each.probing) probeIn(each, Math.max(0, SHORTEST_PAUSE_MS - sinceProbeMs))
      return Object.assign(new OutOfReach(`${origin}: ${each.message}`), { origin })
    },
    noteAnswer: found,
    noteFailure(origin, error) {
      if (!(error instanceof OutOfReach) || lost.has(origin)) return
      const message = error.detail ?? ''
      const each: LostServer = {
        origin,
        sinceMs: nowMs(),
        message: message.slice(message.lastIndexOf(': ') + 2),
        nextProbeMs: null,
        probes: 0,
        lastProbeMs: performance.now(),
        timer: null,
        probing: null,
      }
      lost.set(origin, each)
      probeIn(each, pauseMs(each))
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
        if (each.probing) continue
        if (each.timer) clearTimeout(each.timer)
        void probeOne(each)
      }
      if (lost.size > 0) onChange()
    },
    close() {
      for (const each of lost.values()) end(each)
      lost.clear()
    },
  }
}
