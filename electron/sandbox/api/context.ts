import type { IncomingHttpHeaders } from 'node:http'
import type { SandboxClock } from '../clock.ts'
import type { FaultRegistry } from '../faults/faultRegistry.ts'
import type { GeneratedFiles } from '../files/fileStore.ts'
import type { StorageHost } from '../files/storageHosts.ts'
import type { SandboxVenue } from '../market/venues.ts'
import type { RawCatalogTask } from '../files/rawCatalog.ts'
import type { PortfolioRequestTask } from '../files/sandboxTask.ts'

export interface SandboxStats {
  apiRequests: number
  storageRequests: number
  /** Number of storage requests that contained an API key, which must be sent to the API only. */
  storageRequestsWithKey: number
}

/** Context shared by all parts of the running sandbox. */
export interface SandboxContext {
  seed: number
  venues: readonly SandboxVenue[]
  clock: SandboxClock
  faults: FaultRegistry
  /** Key for signing links; new at every start. */
  secret: Uint8Array
  files: GeneratedFiles
  stats: SandboxStats
  /** Origins of the storage by host; known once the servers listen. */
  storageUrls: Record<StorageHost, string>
  askPortfolio: (request: PortfolioRequestTask) => Promise<{ status: number; body: string }>
  writeRawCatalog: (task: RawCatalogTask) => Promise<string>
}

export interface SandboxRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}
