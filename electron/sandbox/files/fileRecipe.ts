import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { SandboxVenue } from '../market/venues.ts'
import type { FileFaults } from '../faults/faults.ts'

interface FileOrigin {
  seed: number
  venue: SandboxVenue
  symbol: string
  /** Day or month: `YYYY-MM` or `YYYY-MM-DD`. */
  period: string
  /** Time at which the file ends; the file has no events at or after this time. */
  untilMs: number
  /** Revision of the content; 0 if the file was never republished. */
  revision: number
}

export interface MetricFileRecipe extends FileOrigin {
  kind: 'metrics'
  dataset: string
  interval: string
  timestamp: TimestampSource
  faults: FileFaults
}

export interface RawFileRecipe extends FileOrigin {
  kind: 'raw'
  dataset: RawDatasetId
}

/** Everything that determines a file's content: equal recipes produce equal bytes. */
export type FileRecipe = MetricFileRecipe | RawFileRecipe

export const recipeKey = (recipe: FileRecipe) =>
  JSON.stringify(Object.entries(recipe).sort(([a], [b]) => (a < b ? -1 : 1)))

export interface GeneratedFile {
  recipe: FileRecipe
  path: string
  sizeBytes: number
  sha256: string
}
