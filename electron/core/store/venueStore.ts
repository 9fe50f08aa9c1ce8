import { PORTFOLIO_VENUE } from '#shared/catalog/portfolioSeries.ts'
import { SQL_VENUE } from '#shared/catalog/sqlSeries.ts'
import { TESTED_VENUE } from '#shared/catalog/testedDatasets.ts'
import { catalogVenues, venueContradictions } from '#shared/catalog/catalogVenues.ts'
import type { ServedUnit } from '#shared/catalog/servedUnits.ts'
import { combineVenues, type Venue, type Venues } from '#shared/catalog/venues.ts'
import { connectionOfOwner } from '#shared/contract/computedOwner.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import type { ConnectionStore } from './connectionStore.ts'
import { METRICS_CATALOG, NO_RAW_CATALOG, RAW_CATALOG, SYMBOLS_DOCUMENT } from './coverageStore.ts'
import type { Database } from './database.ts'
import { type OwnRecord, unitsOfOwn } from './ownDataStore.ts'
import type { Reads } from './sql.ts'
import { storedDatasets } from './storedFields.ts'
import { isTextList, storedJsonOr } from './storedJson.ts'

/** Knows the venues of each connection. */
export interface VenueStore {
  /** Returns the venues of a connection, or of the connection to which computed series belong. */
  of(owner: string): Venues
  /** Tells whether a connection has a catalog that was never read, so that its venues are not known yet. */
  isCatalogUnread(connectionId: string): boolean
  /** Describes where the stored catalog, or a cached file, contradicts the venues that were typed. */
  contradictions(connectionId: string): string[]
}

/** Venues under which results of our own are stored as series; no service has them. */
export const ownVenues: readonly string[] = [PORTFOLIO_VENUE, SQL_VENUE, TESTED_VENUE]

/** Combines what the user typed, what the stored catalog says, and what is in the cache. */
export function createVenueStore({ reads }: Database, connections: ConnectionStore): VenueStore {
  const remembered = new Map<string, { state: string; venues: Venues }>()
  const connectionOf = (connectionId: string) => connections.list().find(({ id }) => id === connectionId)
  const typedVenues = (connectionId: string) => connectionOf(connectionId)?.venues ?? []
  const isCatalogUnread = (connectionId: string) => {
    const { catalogLocation = '', metricsUrl = '' } = connectionOf(connectionId) ?? {}
    // Without an address of its own, the catalog is looked for at the metrics service.
    if (catalogLocation === '' && metricsUrl === '') return false
    const sql = 'SELECT 1 FROM documents WHERE connection_id = ? AND name IN (?, ?)'
    return reads.first(sql, connectionId, RAW_CATALOG, NO_RAW_CATALOG) === undefined
  }
  return {
    of(owner) {
      const connectionId = connectionOfOwner(owner)
      const state = [connections.revision(), ...stateOf(reads, connectionId)].join(' ')
      const known = remembered.get(connectionId)
      if (known?.state === state) return known.venues
      const typed = typedVenues(connectionId)
      const catalog = storedCatalogVenues(reads, connectionId)
      const seen = seenVenues(reads, connectionId)
      const venues = combineVenues({
        ...{ typed, catalog, seen, modelledInFiles: modelledInFiles(reads, connectionId) },
        isCatalogUnread: isCatalogUnread(connectionId),
        servedUnits: [...storedUnits(reads, connectionId), ...ownUnits(reads)],
      })
      remembered.set(connectionId, { state, venues })
      return venues
    },
    isCatalogUnread,
    contradictions: (connectionId) =>
      venueContradictions(typedVenues(connectionId), {
        catalog: storedCatalogVenues(reads, connectionId),
        modelledInFiles: modelledInFiles(reads, connectionId),
      }),
  }
}

/** Returns values that change whenever a stored document, the list of series or the cached files do. */
function stateOf(reads: Reads, connectionId: string): (number | string | null)[] {
  const row = reads.first<Record<'documents' | 'series' | 'files', number | null> & { own: string | null }>(
    `SELECT (SELECT max(fetched_at_ms) FROM documents WHERE connection_id = ?) AS documents,
            (SELECT max(id) FROM series) AS series, (SELECT max(used_at_ms) FROM files WHERE pinned = 0) AS files,
            (SELECT count(*) || ' ' || max(changed_at_ms) FROM own_datasets) AS own`,
    connectionId,
  )
  return [row?.documents ?? null, row?.series ?? null, row?.files ?? null, row?.own ?? null]
}

const storedBody = (reads: Reads, connectionId: string, name: string): string | undefined =>
  reads.first<{ body: string }>('SELECT body FROM documents WHERE connection_id = ? AND name = ?', connectionId, name)
    ?.body

/** Lists the units that the metrics service gives to its columns. */
const storedUnits = (reads: Reads, connectionId: string): ServedUnit[] =>
  storedDatasets(storedBody(reads, connectionId, METRICS_CATALOG)).flatMap(({ id: dataset, fields }) =>
    fields.flatMap(({ name: column, unit }) => (unit === '' ? [] : [{ dataset, column, unit }])),
  )

/** Lists the units of the columns of own datasets. */
const ownUnits = (reads: Reads): ServedUnit[] =>
  reads
    .all<{ name: string; record: string }>('SELECT name, record FROM own_datasets')
    .flatMap(({ name, record }) => unitsOfOwn({ name, record: JSON.parse(record) as OwnRecord }))

/** Lists the venues of the stored catalog in the order in which it first names them. */
function storedCatalogVenues(reads: Reads, connectionId: string): Venue[] {
  const body = storedBody(reads, connectionId, RAW_CATALOG)
  const { catalog, covered } = storedJsonOr(body, isRecord, {})
  const rows = reads.all<{ exchange: string }>(
    'SELECT DISTINCT exchange FROM raw_coverage WHERE connection_id = ? ORDER BY exchange',
    connectionId,
  )
  // Coverage that was stored before its order was known is in the order of the alphabet.
  const inOrder = isTextList(covered) ? covered : []
  return catalogVenues(isRecord(catalog) ? catalog : {}, [...inOrder, ...rows.map(({ exchange }) => exchange)])
}

/** Lists the venues of which a cached file has the column that says that exchange times are modelled. */
const modelledInFiles = (reads: Reads, connectionId: string): string[] =>
  reads
    .all<{ exchange: string }>(
      `SELECT DISTINCT series.exchange FROM series JOIN file_facts ON file_facts.series_id = series.id
       WHERE series.connection_id = ? AND series.kind = 'raw' AND series.files > 0 AND file_facts.column_list_id IN
         (SELECT id FROM column_lists WHERE instr(columns, '"exchange_timestamp_kind"') > 0)`,
      connectionId,
    )
    .map(({ exchange }) => exchange)

/** Lists venues whose symbols the service listed, and those in the cache. */
const seenVenues = (reads: Reads, connectionId: string): string[] =>
  reads
    .all<{ exchange: string }>(
      `SELECT substr(name, ${SYMBOLS_DOCUMENT.length + 1}) AS exchange FROM documents
         WHERE connection_id = ? AND substr(name, 1, ${SYMBOLS_DOCUMENT.length}) = '${SYMBOLS_DOCUMENT}'
       UNION SELECT exchange FROM series WHERE connection_id = ? AND files > 0 ORDER BY exchange`,
      connectionId,
      connectionId,
    )
    .map(({ exchange }) => exchange)
    .filter((exchange) => !ownVenues.includes(exchange))
