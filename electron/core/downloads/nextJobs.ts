import type { ConnectionStore } from '#core/store/connectionStore.ts'
import type { Job } from '#core/store/jobTable.ts'
import type { JobStore } from '#core/store/jobStore.ts'

/** Number of transfers on the network, by connection and by host. */
export interface ConcurrencyCounts {
  add(job: Job): void
  ofConnection(connectionId: string): number
  /** Counts all connections that share this connection's host. */
  ofHost(connectionId: string): number
}

export function createConcurrencyCounts(running: readonly { job: Job }[], hosts: ServiceHosts): ConcurrencyCounts {
  const byConnection = new Map<string, number>()
  const byHost = new Map<string, number>()
  const increment = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const add = ({ series: { connectionId } }: Job) => {
    increment(byConnection, connectionId)
    increment(byHost, hosts.of(connectionId))
  }
  for (const { job } of running) add(job)
  return {
    add,
    ofConnection: (connectionId) => byConnection.get(connectionId) ?? 0,
    ofHost: (connectionId) => byHost.get(hosts.of(connectionId)) ?? 0,
  }
}

/** Hosts of the connections' services. A service may send its files from another host, but from the same for all. */
export interface ServiceHosts {
  of(connectionId: string): string
  /** Forgets the hosts, because connections may have other addresses now. */
  forget(): void
}

export function createServiceHosts(connections: ConnectionStore): ServiceHosts {
  const known = new Map<string, string>()
  return {
    of(connectionId) {
      let host = known.get(connectionId)
      if (host === undefined) known.set(connectionId, (host = hostOf(connections, connectionId)))
      return host
    },
    forget: () => known.clear(),
  }
}

/** Returns the host of the connection's address; a connection without a valid one counts as a host of its own. */
function hostOf(connections: ConnectionStore, connectionId: string): string {
  const found = connections.list().find(({ id }) => id === connectionId)
  return found && URL.canParse(found.metricsUrl) ? new URL(found.metricsUrl).host : connectionId
}

/** The next runnable jobs, read many at a time because one query per job would cost more than its file. */
export interface NextJobs {
  /** Removes and returns the best job of all connections that may start one; null where there is none. */
  take(mayStart: (connectionId: string) => boolean): Job | null
  /** The jobs that a connection starts after that, as far as they have been read. */
  following(connectionId: string, count: number): Job[]
  /** Discards what was read, because the jobs in the store have changed. */
  forget(): void
}

export interface NextJobsDeps {
  jobs: JobStore
  nowMs(): number
  /** True while only jobs run that copy from a shared store. */
  isOffline(): boolean
  /** Jobs that have been started, which the store may not know yet. */
  started: ReadonlyMap<number, unknown>
}

/** The next jobs of one connection. */
interface ConnectionJobs {
  jobs: Job[]
  /** True where the store has no further jobs. */
  isComplete: boolean
}

const JOBS_PER_QUERY = 64

export function createNextJobs({ jobs, nowMs, isOffline, started }: NextJobsDeps): NextJobs {
  let byConnection: Map<string, ConnectionJobs> | null = null

  function read(connectionId: string): ConnectionJobs {
    const limit = JOBS_PER_QUERY + started.size
    const found = jobs.nextRunnable(connectionId, nowMs(), limit, isOffline())
    return { jobs: found.filter(({ id }) => !started.has(id)), isComplete: found.length < limit }
  }

  function firstOf(connectionId: string, next: ConnectionJobs): Job | undefined {
    if (next.jobs.length === 0 && !next.isComplete) Object.assign(next, read(connectionId))
    return next.jobs[0]
  }

  return {
    take(mayStart) {
      byConnection ??= new Map(jobs.runnableConnections().map((id) => [id, { jobs: [], isComplete: false }]))
      let best: ConnectionJobs | null = null
      for (const [connectionId, next] of byConnection) {
        if (!mayStart(connectionId)) continue
        const job = firstOf(connectionId, next)
        if (job && (!best || isBefore(job, best.jobs[0]))) best = next
      }
      return best?.jobs.shift() ?? null
    },
    following: (connectionId, count) => byConnection?.get(connectionId)?.jobs.slice(0, count) ?? [],
    forget() {
      byConnection = null
    },
  }
}

const isBefore = (a: Job, b: Job) =>
  a.priority !== b.priority
    ? a.priority > b.priority
    : a.position !== b.position
      ? a.position < b.position
      : a.id < b.id
