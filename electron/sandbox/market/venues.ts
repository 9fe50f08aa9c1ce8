import { type ExchangeTimes, type Sizes, venueClashes } from '#shared/catalog/venues.ts'
import { parseVenue } from '#shared/catalog/writtenVenue.ts'

/** Kinds of venues that the sandbox simulates, by the names of the service documents. */
const kinds = ['venuea-futures', 'venueb-perps', 'venuec-perps'] as const
export type VenueKind = (typeof kinds)[number]

/** A venue of the sandbox: a name and facts of its own, and the kind after which its market is made. */
export interface SandboxVenue {
  id: string
  /** Name in the portfolio service. */
  short: string
  sizes: Sizes
  exchangeTimes: ExchangeTimes
  kind: VenueKind
  /** True for the venue on which assets trade that no venue was drawn for. */
  isFirst: boolean
}

const timesOf = (kind: VenueKind): ExchangeTimes => (kind === 'venuec-perps' ? 'modelled' : 'measured')
const sizesOf = (kind: VenueKind): Sizes => (kind === 'venueb-perps' ? 'contracts' : 'base')

/** The venues of the service documents. */
export const documentedVenues: readonly SandboxVenue[] = kinds.map((kind, at) => ({
  id: kind,
  short: kind.replace(/-\w+$/, ''),
  sizes: sizesOf(kind),
  exchangeTimes: timesOf(kind),
  kind,
  isFirst: at === 0,
}))

/** Finds a venue of the service documents. */
export const documentedVenue = (id: VenueKind): SandboxVenue => documentedVenues.find((venue) => venue.id === id)!

/** Error of a list of venues that cannot be parsed; its message says what is wrong. */
export class VenuesError extends Error {}

/**
 * Parses venues such as `alpha-futures,short=alpha,sizes=base;beta-perps,sizes=contracts,times=modelled`. What is not
 * said is as on the documented venue in the same place.
 */
export function parseVenues(text: string): SandboxVenue[] {
  const venues = text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map(venueAt)
  if (venues.length === 0) throw new VenuesError('it names no venue')
  const [clash] = venueClashes(venues)
  if (clash !== undefined) throw new VenuesError(clash)
  return venues
}

function venueAt(text: string, at: number): SandboxVenue {
  const written = parseVenue(text)
  if (typeof written === 'string') throw new VenuesError(`${text.trim()}: ${written}`)
  const { id, short, sizes, exchangeTimes } = written
  const kind = kinds[at % kinds.length]
  return {
    id,
    short: short ?? id.replace(/-\w+$/, ''),
    sizes: sizes ?? sizesOf(kind),
    exchangeTimes: exchangeTimes ?? timesOf(kind),
    kind,
    isFirst: at === 0,
  }
}
