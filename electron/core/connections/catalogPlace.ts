import { foundCatalogUrl } from '#core/clients/rawCatalog.ts'
import { type CoverageStore, NO_RAW_CATALOG, RAW_CATALOG } from '#core/store/coverageStore.ts'
import type { ConnectionFields, Connection } from '#shared/contract/areas/connections.ts'

/** Says where the raw-event catalog of a connection comes from. */
export function catalogPlace(
  store: Pick<CoverageStore, 'document'>,
  id: string,
  { catalogLocation, metricsUrl }: Pick<ConnectionFields, 'catalogLocation' | 'metricsUrl'>,
): NonNullable<Connection['catalog']> {
  if (catalogLocation !== '') return { from: 'typed', location: catalogLocation }
  if (metricsUrl === '') return { from: 'none', location: '' }
  const location = foundCatalogUrl(metricsUrl)
  if (store.document(id, RAW_CATALOG)?.source === location) return { from: 'found', location }
  return { from: store.document(id, NO_RAW_CATALOG) ? 'none' : 'unknown', location: '' }
}
