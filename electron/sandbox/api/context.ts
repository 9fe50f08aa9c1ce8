import type { IncomingHttpHeaders } from 'node:http'
import type { SandboxClock } from '../clock.ts'
import type { FaultBook } from '../faults/faultBook.ts'
import type { FileStore } from '../files/fileStore.ts'
import type { StorageHost } from '../files/storageHosts.ts'
import type { PortfolioRequest } from '../files/sandboxTask.ts'

export interface SandboxStats {
  apiRequests: number
  storageRequests: number
  /** Requests to the storage that brought an API key, which belongs to the API alone. */
  storageRequestsWithKey: number
}

/** Context shared by the parts of the running sandbox. */
export interface SandboxContext {
  seed: number
  clock: SandboxClock
  faults: FaultBook
  /** Signs the links; new at every start. */
  secret: Uint8Array
  files: FileStore
  stats: SandboxStats
  /** Origins of the storage by host, known once they listen. */
  storageUrls: Record<StorageHost, string>
  askPortfolio: (question: PortfolioRequest) => Promise<{ status: number; body: string }>
}

export interface ApiRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}
