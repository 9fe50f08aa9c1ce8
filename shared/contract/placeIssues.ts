import { hasModelledTime, isRawDatasetId } from '../catalog/rawDatasets.ts'
import { parseSymbol } from '../catalog/symbols.ts'
import { isVenue } from '../catalog/venues.ts'
import type { FileIssue } from './areas/raw.ts'

/** The column that tells a modelled venue time. */
export const TIME_KIND = 'exchange_timestamp_kind'

/** Lists the problems that keep a file from being imported as events of this venue and symbol. */
export function placeIssues(
  dataset: string | null,
  exchange: string | null,
  symbol: string | null,
  hasTimeKind: boolean,
): FileIssue[] {
  const issues: FileIssue[] = []
  const add = (message: string) => issues.push({ level: 'error', message })
  if (exchange === null) add('Nothing tells its venue.')
  else if (!isVenue(exchange)) add(`“${exchange.slice(0, 60)}” is none of the venues.`)
  else if (dataset !== null && isRawDatasetId(dataset)) {
    const isExpected = hasModelledTime(dataset, exchange)
    if (isExpected && !hasTimeKind)
      add(`Column ${TIME_KIND} is missing, which files of ${exchange} have: its feed carries no exchange time.`)
    if (!isExpected && hasTimeKind) add(`Column ${TIME_KIND} is there, which ${dataset} of ${exchange} do not have.`)
  }
  if (symbol === null) add('Nothing tells its symbol.')
  else if (!parseSymbol(symbol))
    add(`“${symbol.slice(0, 80)}” is not a symbol: it must look like perpetual-BTC-USDT:USDT, without slashes.`)
  return issues
}
