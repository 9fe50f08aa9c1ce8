import { AppError } from '#shared/contract/errors.ts'
import { metricsService, type MetricsService } from '#core/clients/metricsService.ts'
import { readRawCatalog } from '#core/clients/rawCatalog.ts'
import { createServiceRequest } from '#core/clients/serviceRequest.ts'
import type { HttpClient } from '#core/clients/http.ts'
import type { Connections } from '#core/connections/connections.ts'
import type { Clock } from '#core/ports.ts'
import type { CoverageStore } from '#core/store/coverageStore.ts'
import { createDiscovery, type Discovery } from './discovery.ts'

/** A connection's discovery, by its id; the active one where it is empty. */
export type OpenDiscovery = (connectionId: string) => Promise<Discovery & { connectionId: string }>

/** A connection's metrics service, or the reason why there is none. */
export async function reachMetrics(
  http: HttpClient,
  connections: Connections,
  connectionId: string,
): Promise<MetricsService> {
  const { metrics } = await connections.reach(connectionId)
  if (metrics.baseUrl === '') throw new AppError('not-found', 'This connection has no metrics service.')
  return metricsService(createServiceRequest(http, metrics))
}

export function createDiscoveries(
  http: HttpClient,
  connections: Connections,
  store: CoverageStore,
  clock: Clock,
): OpenDiscovery {
  return async (wantedId) => {
    const { id: connectionId, metrics, catalogLocation } = await connections.reach(wantedId)
    const discovery = createDiscovery(store, clock, {
      connectionId,
      metrics: () => reachMetrics(http, connections, connectionId),
      async readCatalog(signal) {
        if (catalogLocation === '') throw new AppError('not-found', 'This connection has no catalog of raw events.')
        return readRawCatalog(http, catalogLocation, signal)
      },
      catalogLocation,
      metricsUrl: metrics.baseUrl,
    })
    return { ...discovery, connectionId }
  }
}
