import * as z from '../../schemas/lazySchemas.ts'
import { refreshText } from '../fieldTexts.ts'
import { call } from '../spec.ts'
import type { Frame } from '../frame.ts'

/** Id of the connection; empty or omitted for the active one. */
export const connectionId = z
  .string()
  .max(100)
  .refine((id) => id.isWellFormed(), 'must be valid text')
  .default('')

/** Age and source of a service's answer. */
export interface Freshness {
  /** Milliseconds since the epoch. */
  fetchedAt: number
  /** Time at which the service generated the document; null if it does not say. */
  generatedAt: number | null
  source: string
}

export interface ServiceDataset {
  id: string
  name: string
  description: string
  category: string
  fields: { name: string; label: string; description: string; unit?: string | undefined }[]
}

export interface RawDescriptor {
  id: string
  name: string
  description: string
  exchanges: string[]
  columns: { name: string; type: string; nullable: boolean; description: string }[]
}

export interface RawCatalogView {
  freshness: Freshness
  schemaVersion: number | null
  dailyFilesFrom: string | null
  previewPeriod: string | null
  previewSymbols: Record<string, string>
  datasets: RawDescriptor[]
  summary: { dataset: string; exchange: string; symbols: number; first: string; last: string }[]
  /** Problems in the document; the affected parts were left out. */
  problems: string[]
}

/** Numbers and examples of the series that are new, are gone, or cover more days than in the previous document. */
export interface CoverageChanges {
  added: number
  gone: number
  longer: number
  examples: { added: string[]; gone: string[]; longer: string[] }
}

const common = { connectionId }
const refresh = z.boolean().default(false).describe(refreshText)
const name = z.string().min(1).max(300)

export const discoveryCalls = {
  'discovery.catalog': call(z.strictObject({ ...common, refresh }))<{
    datasets: ServiceDataset[]
    freshness: Freshness
  }>(),
  'discovery.symbols': call(z.strictObject({ ...common, exchange: name, refresh }))<{
    symbols: string[]
    freshness: Freshness
    changed: CoverageChanges | null
  }>(),
  /** Searches the cached symbols of all venues. */
  'discovery.searchSymbols': call(
    z.strictObject({ ...common, text: z.string().max(200), limit: z.int().min(1).max(1000) }),
  )<{ exchange: string; symbol: string }[]>(),
  'discovery.rawCatalog': call(z.strictObject({ ...common, refresh }))<{
    catalog: RawCatalogView
    changed: CoverageChanges | null
  }>(),
  /**
   * Returns a frame with columns dataset, exchange, symbol, first, last (start of the day), days, missing, bytes, gaps
   * (the missing days as `2026-03-01/2026-03-04 2026-05-02`). The last two are missing where the catalog does not say.
   */
  'discovery.coverage': call(
    z.strictObject({
      ...common,
      dataset: name.optional(),
      exchange: name.optional(),
      symbol: name.optional(),
      refresh,
    }),
  )<{ rows: Frame; freshness: Freshness }>(),
  /**
   * Returns the time until which the service has data now, in milliseconds, if it lags as it did when its coverage was
   * last read; null if its coverage is not known here. Nothing is requested.
   */
  'discovery.dataUntil': call(z.strictObject(common))<number | null>(),
}
