import { meantVenue } from '#shared/catalog/unlistedVenue.ts'
import type { Store } from '#core/store/store.ts'

/**
 * Warns about venues that no connection has but that are nearly one's name. Their rows are kept, and those of quite other
 * venues are none of a warning: a connection may have them later.
 */
export function mistypedVenues({ connections, venues }: Store, rows: readonly { exchange: string }[]): string[] {
  const list = connections.list().flatMap(({ id }) => venues.of(id).list)
  return [...new Set(rows.map(({ exchange }) => exchange))].flatMap((exchange) => {
    const meant = meantVenue(exchange, { list })
    return meant === null ? [] : [`“${exchange}” is not among the venues of a connection. Did you mean ${meant}?`]
  })
}
