import type { SandboxVenue } from '../market/venues.ts'
import type { FileRecipe, GeneratedFile } from './fileRecipe.ts'
import type { RawCatalogTask } from './rawCatalog.ts'

export interface PortfolioRequestTask {
  seed: number
  venues: readonly SandboxVenue[]
  /** Path after `/api/v1`. */
  path: string
  query: string
  nowMs: number
  /** Number of days by which histories end before the last complete day. */
  historyDelayDays: number
  /** True to write missing values as NaN. */
  hasNanLiterals: boolean
}

/** Task of a sandbox thread. */
export type SandboxTask =
  | { kind: 'file'; recipe: FileRecipe; folder: string }
  | { kind: 'portfolio'; request: PortfolioRequestTask }
  | { kind: 'rawCatalog'; task: RawCatalogTask }

export type SandboxAnswer =
  | { kind: 'file'; files: GeneratedFile[] }
  | { kind: 'portfolio'; status: number; body: string }
  | { kind: 'rawCatalog'; document: string }
  | { kind: 'failed'; message: string }
