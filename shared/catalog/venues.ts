import { type FindServedQuantity, servedQuantities, type ServedUnit } from './servedUnits.ts'

/** Unit in which a venue counts amounts: base asset or contracts. */
export type Sizes = 'base' | 'contracts'

/** Whether the feeds of a venue carry exchange times for marks, indices, funding and open interest. */
export type ExchangeTimes = 'measured' | 'modelled'

export interface Venue {
  /** Name as the metrics service and the raw-event catalog spell it. */
  id: string
  /** Name in the portfolio service; null if not known. */
  short: string | null
  /** Null if not known. */
  sizes: Sizes | null
  /** Null if not known. */
  exchangeTimes: ExchangeTimes | null
}

export const venueFields = ['id', 'short', 'sizes', 'exchangeTimes'] as const
type VenueField = (typeof venueFields)[number]

/** Where a field of a venue is from; null for a field that nothing says. */
type VenueBasis = 'typed' | 'catalog' | 'documents' | 'seen'

/** A venue of a connection, with where each of its fields is from. */
export interface KnownVenue extends Venue {
  basis: Record<VenueField, VenueBasis | null>
}

/** The venues that the service documents name, with their units and times. */
const documentVenues: readonly Venue[] = [
  { id: 'venuea-futures', short: 'venuea', sizes: 'base', exchangeTimes: 'measured' },
  { id: 'venueb-perps', short: 'venueb', sizes: 'contracts', exchangeTimes: 'measured' },
  { id: 'venuec-perps', short: 'venuec', sizes: 'base', exchangeTimes: 'modelled' },
]

/** What is known of venues by each source, in the source's order; a venue has at least its id. */
interface VenueSources {
  typed: readonly Venue[]
  catalog: readonly Venue[]
  seen: readonly string[]
  /** Venues of which a cached file says that their times are modelled. */
  modelledInFiles?: readonly string[]
  /** True for a connection whose catalog was not read yet: it may name other venues than the documents. */
  isCatalogUnread?: boolean
  /** Units that the service gives to columns. */
  servedUnits?: readonly ServedUnit[]
}

/** The venues of a connection, and what its service says of its columns. */
export interface Venues {
  /** Venues in the order of defaults and lists. */
  list: readonly KnownVenue[]
  /** Finds a venue; one that is not listed has the fields that the documents state, or none. */
  find(id: string): Venue
  servedUnits: readonly ServedUnit[]
  servedQuantity: FindServedQuantity
}

/**
 * Combines what is typed, what the catalog says and what was seen. Each field is from the first source that has it; the
 * documents count after the catalog, and add venues of their own only where nobody else names or may name any.
 */
export function combineVenues({
  typed,
  catalog,
  seen,
  modelledInFiles = [],
  isCatalogUnread = false,
  servedUnits = [],
}: VenueSources): Venues {
  const hasOwn = typed.length > 0 || catalog.length > 0 || isCatalogUnread
  const unknown = { short: null, sizes: null, exchangeTimes: null }
  const sources: readonly Source[] = [
    ['typed', typed],
    ['catalog', catalog],
    ['catalog', modelledInFiles.map((id) => ({ ...unknown, id, exchangeTimes: 'modelled' })), 'facts only'],
    ['documents', documentVenues],
    ['seen', seen.map((id) => ({ ...unknown, id }))],
  ]
  const listed = sources.filter(([basis, , use]) => use === undefined && (basis !== 'documents' || !hasOwn))
  const ids = new Set(listed.flatMap(([, each]) => each.map(({ id }) => id)))
  const byId = new Map([...ids].map((id) => [id, knownVenue(id, sources)]))
  return {
    list: [...byId.values()],
    find: (id) => byId.get(id) ?? knownVenue(id, sources),
    ...{ servedUnits, servedQuantity: servedQuantities(servedUnits) },
  }
}

/** What one source knows; some say a fact about venues that others name. */
type Source = readonly [basis: VenueBasis, venues: readonly Venue[], use?: 'facts only']

function knownVenue(id: string, sources: readonly Source[]): KnownVenue {
  const venue: KnownVenue = {
    id,
    short: null,
    sizes: null,
    exchangeTimes: null,
    basis: { id: null, short: null, sizes: null, exchangeTimes: null },
  }
  for (const [basis, each, use] of sources) {
    const found = each.find((one) => one.id === id)
    if (!found) continue
    for (const field of venueFields) {
      if (found[field] === null || venue.basis[field] !== null || (field === 'id' && use)) continue
      Object.assign(venue, { [field]: found[field] })
      venue.basis[field] = basis
    }
  }
  return venue
}

/** Rebuilds the venues of a connection from their list and the units of its service, as they cross a process. */
export function venuesFrom(list: readonly KnownVenue[], servedUnits: readonly ServedUnit[]): Venues {
  const byId = new Map(list.map((venue) => [venue.id, venue]))
  return {
    list,
    find: (id) => byId.get(id) ?? venuesOfDocuments.find(id),
    ...{ servedUnits, servedQuantity: servedQuantities(servedUnits) },
  }
}

/** The venues of a service of which nothing is known but the documents. */
export const venuesOfDocuments: Venues = combineVenues({ typed: [], catalog: [], seen: [] })

/** Describes venues that contradict each other: one named twice, or two with the same name in the portfolio service. */
export function venueClashes(venues: readonly Pick<Venue, 'id' | 'short'>[]): string[] {
  const repeated = (names: readonly string[]) => [...new Set(names.filter((name, at) => names.indexOf(name) < at))]
  return [
    ...repeated(venues.map(({ id }) => id)).map((id) => `the venue ${id} is named twice`),
    ...repeated(venues.flatMap(({ short }) => short ?? [])).map((short) => `two venues have the short name ${short}`),
  ]
}
