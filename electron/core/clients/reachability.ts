/** Tracks unreachable servers: requests to them fail immediately, while probes find out when they are back. */
import type { AppError } from '#shared/contract/errors.ts'
import { UnreachableError } from './httpErrors.ts'

/** A server to which no connection can be made, and since when. */
export interface Unreachable {
  origin: string
  sinceMs: number
  message: string
  /** Time of the next probe; null while a probe is running. */
  nextProbeMs: number | null
}

/** The unreachable servers of this process; probes at growing intervals find out when a server is back. */
export interface Reachability {
  /** @returns the reason why no request is sent to this origin, or null */
  refusal(origin: string): AppError | null
  noteAnswer(origin: string): void
  noteFailure(origin: string, error: AppError): void
  list(): Unreachable[]
  /** Treats all servers as reachable until a request fails. */
  forget(): void
  /** Probes all unreachable servers immediately. */
  probeNow(): void
  close(): void
}

interface ReachabilityDeps {
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
  probeController: AbortController | null
}

const FIRST_PROBE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** A request to an unreachable server brings its next probe forward, but not closer to the last one than this. */
const PROBE_AFTER_REQUEST_MS = 1000
/** Smallest change of a probe's time that is reported. */
const LEAST_PROBE_CHANGE_MS = 250

export function createReachability(deps: ReachabilityDeps): Reachability {
  const { nowMs, probe, isOffline, onChange, random = Math.random } = deps
  const lostByOrigin = new Map<string, LostServer>()
  const list = () =>
    [...lostByOrigin.values()].map(({ origin, sinceMs, message, nextProbeMs }) => ({
      origin,
      sinceMs,
      message,
      nextProbeMs,
    }))

  function pauseMs({ probes }: LostServer): number {
    const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PROBE_MS * 2 ** probes)
    return ceiling * (0.75 + random() / 4)
  }

  function probeIn(server: LostServer, delayMs: number): void {
    if (server.timer) clearTimeout(server.timer)
    server.timer = setTimeout(() => void probeOne(server), delayMs).unref()
    const previousMs = server.nextProbeMs ?? -Infinity
    server.nextProbeMs = nowMs() + delayMs
    if (Math.abs(server.nextProbeMs - previousMs) > LEAST_PROBE_CHANGE_MS) onChange()
  }

  async function probeOne(server: LostServer): Promise<void> {
    server.timer = null
    server.nextProbeMs = null
    server.lastProbeMs = performance.now()
    server.probes++
    if (!isOffline()) {
      server.probeController = new AbortController()
      try {
        await probe(server.origin, server.probeController.signal)
        return markReachable(server.origin)
      } catch {
        // The server is still unreachable, so the next probe comes later.
      } finally {
        server.probeController = null
      }
    }
    if (lostByOrigin.get(server.origin) === server) probeIn(server, pauseMs(server))
  }

  function markReachable(origin: string): void {
    const server = lostByOrigin.get(origin)
    if (!server) return
    stopProbing(server)
    lostByOrigin.delete(origin)
    onChange()
  }

  function stopProbing({ timer, probeController }: LostServer): void {
    if (timer) clearTimeout(timer)
    probeController?.abort()
  }

  return {
    refusal(origin) {
      const server = lostByOrigin.get(origin)
      if (!server) return null
      const sinceProbeMs = performance.now() - server.lastProbeMs
      if (!server.probeController) probeIn(server, Math.max(0, PROBE_AFTER_REQUEST_MS - sinceProbeMs))
      return Object.assign(new UnreachableError(`${origin}: ${server.message}`), { origin })
    },
    noteAnswer: markReachable,
    noteFailure(origin, error) {
      if (!(error instanceof UnreachableError) || lostByOrigin.has(origin)) return
      const message = error.detail ?? ''
      const server: LostServer = {
        origin,
        sinceMs: nowMs(),
        message: message.slice(message.lastIndexOf(': ') + 2),
        nextProbeMs: null,
        probes: 0,
        lastProbeMs: performance.now(),
        timer: null,
        probeController: null,
      }
      lostByOrigin.set(origin, server)
      probeIn(server, pauseMs(server))
    },
    list,
    forget() {
      if (lostByOrigin.size === 0) return
      for (const server of lostByOrigin.values()) stopProbing(server)
      lostByOrigin.clear()
      onChange()
    },
    probeNow() {
      for (const server of lostByOrigin.values()) {
        if (server.probeController) continue
        if (server.timer) clearTimeout(server.timer)
        void probeOne(server)
      }
      if (lostByOrigin.size > 0) onChange()
    },
    close() {
      for (const server of lostByOrigin.values()) stopProbing(server)
      lostByOrigin.clear()
    },
  }
}
