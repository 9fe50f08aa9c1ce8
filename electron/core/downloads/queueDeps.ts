import type { HttpClient } from '#core/clients/http.ts'
import type { MetricsService } from '#core/clients/metricsService.ts'
import type { Clock, Logger } from '#core/ports.ts'
import type { Lease } from '#core/store/lease.ts'
import type { Store } from '#core/store/store.ts'
import type { ProofPool } from './proofPool.ts'

export interface QueueSettings {
  /** Transfers at a time: over all, and with one host; null for no limit of its own. */
  concurrency: number
  hostConcurrency: number | null
  rateCapMb: number | null
}

export interface QueueDeps {
  store: Store
  http: HttpClient
  clock: Clock
  log: Logger
  lease: Lease
  pool: ProofPool
  openService(connectionId: string): Promise<MetricsService>
  settings(): QueueSettings
  isOffline(): boolean
  /** Something in the lists is different now. */
  onChange(): void
  /** Something stands still. */
  onHold(): void
  /** Bytes came. */
  onProgress(): void
  random?: () => number
}
