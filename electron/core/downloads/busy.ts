import type { ConnectionStore } from '#core/store/connectionStore.ts'
import type { Job } from '#core/store/job.ts'

/** How many transfers go on with whom. */
export interface Busy {
  add(job: Job): void
  with(connectionId: string): number
  withHostOf(connectionId: string): number
}

export function createBusy(running: readonly { job: Job }[], hosts: Hosts): Busy {
  const byConnection = new Map<string, number>()
  const byHost = new Map<string, number>()
  const one = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const add = ({ series: { connectionId } }: Job) => {
    one(byConnection, connectionId)
    one(byHost, hosts.of(connectionId))
  }
  for (const { job } of running) add(job)
  return {
    add,
    with: (connectionId) => byConnection.get(connectionId) ?? 0,
    withHostOf: (connectionId) => byHost.get(hosts.of(connectionId)) ?? 0,
  }
}

/** The host of a connection's service. Its files may come from another one, but from the same for all. */
export interface Hosts {
  of(connectionId: string): string
  /** Connections may have other addresses now. */
  forget(): void
}

export function createHosts(connections: ConnectionStore): Hosts {
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

/** One that has no address stands for itself. */
function hostOf(connections: ConnectionStore, connectionId: string): string {
  const found = connections.list().find(({ id }) => id === connectionId)
  return found && URL.canParse(found.metricsUrl) ? new URL(found.metricsUrl).host : connectionId
}
