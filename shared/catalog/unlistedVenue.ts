import { editDistance } from './editDistance.ts'
import type { Venues } from './venues.ts'

/** Number of venues that a message names. */
const MOST_NAMED = 5

/** Says that a venue is not among those of the connection, with the nearest name; null if it is, or if none is known. */
export function unlistedVenueText(exchange: string, { list }: Venues): string | null {
  const ids = list.map(({ id }) => id)
  if (ids.length === 0 || ids.includes(exchange)) return null
  const byDistance = ids
    .map((id) => ({ id, distance: editDistance(exchange.toLowerCase().slice(0, 300), id.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const [nearest] = byDistance
  const isNear = nearest.distance <= Math.max(1, Math.floor(exchange.length / 3))
  const hint = isNear ? `Did you mean ${nearest.id}?` : `Known here: ${ids.slice(0, MOST_NAMED).join(', ')}.`
  return `“${exchange.slice(0, 60)}” is not among the venues of this connection. ${hint}`
}
