import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { formatTime } from '#shared/units/instants.ts'

/** Builds the footer of exported pictures: subject, connection, address and time of the data. */
export function provenanceOf(what: string, connection: string, freshness: PortfolioFreshness | null): string {
  if (!freshness) return [what, connection].join(' · ')
  const asOf = `as of ${formatTime(freshness.fetchedAt, 'utc', 'minute')} UTC`
  return [what, `${connection} (${freshness.source})`, asOf].join(' · ')
}
