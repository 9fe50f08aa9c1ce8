import { editDistance } from './editDistance.ts'
import type { Venues } from './venues.ts'

/** Number of venues that a message names. */
const MOST_NAMED = 5

/** Says that a venue is not among those of the connection, with the nearest name; null if it is, or if none is known. */
export function unlistedVenueText(exchange: string, { list }: Venues): string | null {
  const ids = list.map(({ id }) => id)
  if (ids.length === 0 || ids.includes(exchange)) return null
  const nearest = nearestOf(exchange.toLowerCase().slice(0, 300), ids)
  const hint = nearest === null ? `Known here: ${ids.slice(0, MOST_NAMED).join(', ')}.` : `Did you mean ${nearest}?`
  return `“${exchange.slice(0, 60)}” is not among the venues of this connection. ${hint}`
}

/** Returns the venue that is probably meant by one that is not among the venues; null if none is near. */
export function meantVenue(exchange: string, { list }: Pick<Venues, 'list'>): string | null {
  const ids = list.map(({ id }) => id)
  return ids.length === 0 || ids.includes(exchange) ? null : nearestOf(exchange.toLowerCase().slice(0, 300), ids)
}

/** Returns the id that a name begins, or else the one within few edits of it. */
function nearestOf(name: string, ids: readonly string[]): string | null {
  const begun = ids.find((id) => name !== '' && id.toLowerCase().startsWith(name))
  if (begun !== undefined) return begun
  const [nearest] = ids
    .map((id) => ({ id, distance: editDistance(name, id.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return nearest.distance <= Math.max(1, Math.floor(name.length / 3)) ? nearest.id : null
}
