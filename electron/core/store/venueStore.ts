import { PORTFOLIO_VENUE } from '#shared/catalog/portfolioSeries.ts'
import { SQL_VENUE } from '#shared/catalog/sqlSeries.ts'
import { TESTED_VENUE } from '#shared/catalog/testedDatasets.ts'
import { combineVenues, type Venue, type Venues } from '#shared/catalog/venues.ts'
import { connectionOfOwner } from '#shared/contract/computedOwner.ts'
import type { ConnectionStore } from './connectionStore.ts'
import { RAW_CATALOG, SYMBOLS_DOCUMENT } from './coverageStore.ts'
import type { Database } from './database.ts'
import type { Reads } from './sql.ts'
import { isRecord, storedJsonOr } from './storedJson.ts'

/** Knows the venues of each connection. */
export interface VenueStore {
  /** Returns the venues of a connection, or of the connection to which computed series belong. */
  of(owner: string): Venues
}

/** Venues under which results of our own are stored as series; no service has them. */
const ownVenues: readonly string[] = [PORTFOLIO_VENUE, SQL_VENUE, TESTED_VENUE]

/** Combines what the user typed, what the stored catalog says, and what is in the cache. */
export function createVenueStore({ reads }: Database, connections: ConnectionStore): VenueStore {
  const remembered = new Map<string, { state: string; venues: Venues }>()
  return {
    of(owner) {
      const connectionId = connectionOfOwner(owner)
      const state = [connections.revision(), ...stateOf(reads, connectionId)].join(' ')
      const known = remembered.get(connectionId)
      if (known?.state === state) return known.venues
      const typed = connections.list().find(({ id }) => id === connectionId)?.venues ?? []
      const catalog = withTimesOfFiles(reads, connectionId, catalogVenues(reads, connectionId))
      const venues = combineVenues({ typed, catalog, seen: seenVenues(reads, connectionId) })
      remembered.set(connectionId, { state, venues })
      return venues
    },
  }
}

/** Returns values that change whenever a stored document or the list of cached series does. */
function stateOf(reads: Reads, connectionId: string): (number | null)[] {
  const row = reads.first<{ documents: number | null; series: number | null }>(
    `SELECT (SELECT max(fetched_at_ms) FROM documents WHERE connection_id = ?) AS documents,
            (SELECT max(id) FROM series) AS series`,
    connectionId,
  )
  return [row?.documents ?? null, row?.series ?? null]
}

/** Lists the venues of the raw-event catalog in the order in which it first names them. */
function catalogVenues(reads: Reads, connectionId: string): Venue[] {
  const body = reads.first<{ body: string }>(
    'SELECT body FROM documents WHERE connection_id = ? AND name = ?',
    connectionId,
    RAW_CATALOG,
  )?.body
  const stored = storedJsonOr(body, isRecord, {})
  const catalog = isRecord(stored.catalog) ? stored.catalog : {}
  const datasets = recordsIn(catalog.datasets)
  const covered = reads.all<{ exchange: string }>(
    'SELECT DISTINCT exchange FROM raw_coverage WHERE connection_id = ? ORDER BY exchange',
    connectionId,
  )
  const names = [
    ...datasets.flatMap(venuesOf),
    ...recordsIn(catalog.summary).map(({ exchange }) => exchange),
    ...covered.map(({ exchange }) => exchange),
  ]
  const modelled = new Set(datasets.filter(namesKind).flatMap(venuesOf))
  return [...new Set(names)]
    .filter((name): name is string => typeof name === 'string' && name !== '')
    .map((id) => ({ id, short: null, sizes: null, exchangeTimes: modelled.has(id) ? 'modelled' : null }))
}

const recordsIn = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const namesKind = ({ columns }: Record<string, unknown>): boolean =>
  recordsIn(columns).some(({ name }) => name === 'exchange_timestamp_kind')

const venuesOf = ({ exchanges }: Record<string, unknown>): unknown[] => (Array.isArray(exchanges) ? exchanges : [])

/** Adds that exchange times are modelled on the venues of which a cached file has the column that says so. */
function withTimesOfFiles(reads: Reads, connectionId: string, venues: readonly Venue[]): Venue[] {
  const modelled = new Set(
    reads
      .all<{ exchange: string }>(
        `SELECT DISTINCT series.exchange FROM series JOIN file_facts ON file_facts.series_id = series.id
         WHERE series.connection_id = ? AND series.kind = 'raw' AND series.files > 0 AND file_facts.column_list_id IN
           (SELECT id FROM column_lists WHERE instr(columns, '"exchange_timestamp_kind"') > 0)`,
        connectionId,
      )
      .map(({ exchange }) => exchange),
  )
  return venues.map((venue) => (modelled.has(venue.id) ? { ...venue, exchangeTimes: 'modelled' } : venue))
}

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
