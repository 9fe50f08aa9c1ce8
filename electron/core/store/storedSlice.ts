import { type PreviewSlice, sliceOfCatalog } from '#shared/contract/previewSlice.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { type CoverageStore, RAW_CATALOG } from './coverageStore.ts'
import { storedJsonOr } from './storedJson.ts'

/** Returns the slice that the stored catalog of a connection names as its preview; null if none is stored or named. */
export function storedSlice(coverage: Pick<CoverageStore, 'document'>, connectionId: string): PreviewSlice | null {
  const stored = storedJsonOr(coverage.document(connectionId, RAW_CATALOG)?.body, isRecord, {})
  return sliceOfCatalog(stored.catalog)
}
