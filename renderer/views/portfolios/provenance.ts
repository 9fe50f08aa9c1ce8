import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { zonedTime } from '#shared/units/instants.ts'

/** Builds the footer of exported pictures: subject, connection, address and time of the data. */
export function provenanceOf(what: string, connection: string, freshness: PortfolioFreshness | null): string {
  if (!freshness) return [what, connection].join(' · ')
  const asOf = `as of ${zonedTime(freshness.fetchedAt, 'utc')}`
  return [what, `${connection} (${freshness.source})`, asOf].join(' · ')
}
