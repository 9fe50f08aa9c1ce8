import type { ExchangeTimes, Sizes } from '#shared/catalog/venues.ts'

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
    .map(parseVenue)
  if (venues.length === 0) throw new VenuesError('it names no venue')
  const names = venues.flatMap(({ id, short }) => [id, short])
  const repeated = names.find((name, at) => names.indexOf(name) < at && names.indexOf(name) !== at - 1)
  if (repeated !== undefined || new Set(venues.map(({ id }) => id)).size < venues.length)
    throw new VenuesError(`it names ${repeated ?? venues[0].id} twice`)
  return venues
}

function parseVenue(text: string, at: number): SandboxVenue {
  const [id, ...parts] = text.split(',').map((part) => part.trim())
  if (!/^[^\s=/\\]+$/.test(id)) throw new VenuesError(`“${id}” is not a name of a venue`)
  const kind = kinds[at % kinds.length]
  const venue = {
    id,
    short: id.replace(/-\w+$/, ''),
    sizes: sizesOf(kind),
    exchangeTimes: timesOf(kind),
    kind,
    isFirst: at === 0,
  }
  for (const part of parts) {
    const [key, value = ''] = part.split('=')
    if (key === 'short' && value !== '') venue.short = value
    else if (key === 'sizes' && (value === 'base' || value === 'contracts')) venue.sizes = value
    else if (key === 'times' && (value === 'measured' || value === 'modelled')) venue.exchangeTimes = value
    else throw new VenuesError(`“${part}” is not short=S, sizes=base|contracts or times=measured|modelled`)
  }
  return venue
}
