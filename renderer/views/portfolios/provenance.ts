import type { PortfolioLearned } from '#shared/contract/areas/portfolio.ts'
import { formatTime } from '#shared/units/instants.ts'

/** For the foot of pictures: what it is, from which connection and address, as of when. */
export function provenanceOf(what: string, connection: string, learned: PortfolioLearned | null): string {
  if (!learned) return [what, connection].join(' · ')
  const asOf = `as of ${formatTime(learned.fetchedAt, 'utc', 'minute')} UTC`
  return [what, `${connection} (${learned.source})`, asOf].join(' · ')
}
