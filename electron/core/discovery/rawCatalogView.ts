import type { RawCatalogView } from '#shared/contract/areas/discovery.ts'
import type { Known, RawCatalogKnown } from './discovery.ts'
import { readCatalogDocument } from './readCatalogDocument.ts'

export function rawCatalogView({ value, fetchedAtMs, generatedAtMs, source }: Known<RawCatalogKnown>): RawCatalogView {
  const document = readCatalogDocument(value.catalog)
  return {
    ...document,
    freshness: { fetchedAt: fetchedAtMs, generatedAt: generatedAtMs, source },
    problems: [...document.problems, ...value.problems],
  }
}
