import { hasModelledTime, isRawDatasetId } from '../catalog/rawDatasets.ts'
import { isSymbol } from '../catalog/symbols.ts'
import type { Venues } from '../catalog/venues.ts'
import { unlistedVenueText } from '../catalog/unlistedVenue.ts'
import { venueName } from './venueShape.ts'
import type { FileIssue } from './areas/raw.ts'

/** Column that marks modelled exchange times. */
export const TIME_KIND = 'exchange_timestamp_kind'

/** Lists the reasons why a file cannot be imported as events of this venue and symbol. */
export function identityIssues(
  dataset: string | null,
  exchange: string | null,
  symbol: string | null,
  hasTimeKind: boolean,
  venues: Venues,
): FileIssue[] {
  const issues: FileIssue[] = []
  const add = (message: string) => issues.push({ level: 'error', message })
  if (exchange === null) add('The venue was not recognised.')
  else if (!venueName.safeParse(exchange).success) add(`“${exchange.slice(0, 60)}” is not the name of a venue.`)
  else {
    const warningText = unlistedVenueText(exchange, venues)
    if (warningText) issues.push({ level: 'warning', message: warningText })
    // A venue whose times nobody described may or may not have the column.
    if (dataset !== null && isRawDatasetId(dataset) && venues.find(exchange).exchangeTimes !== null) {
      const needsTimeKind = hasModelledTime(dataset, exchange, venues)
      if (needsTimeKind && !hasTimeKind)
        add(`Column ${TIME_KIND} is missing; files of ${exchange} need it, because its feed carries no exchange time.`)
      if (!needsTimeKind && hasTimeKind)
        add(`Column ${TIME_KIND} is unexpected: ${dataset} files of ${exchange} do not have it.`)
    }
  }
  if (symbol === null) add('The symbol was not recognised.')
  else if (!isSymbol(symbol))
    add(
      `“${symbol.slice(0, 80)}” is not a symbol: it must look like perpetual-BTC-USDT:USDT or ETH-USDT, without slashes.`,
    )
  return issues
}
