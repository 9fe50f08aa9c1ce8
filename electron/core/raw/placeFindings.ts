import { rawDataset, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { isVenue } from '#shared/catalog/venues.ts'
import type { FileFinding } from '#shared/contract/areas/raw.ts'

const EXTRA = 'exchange_timestamp_kind'

/** What keeps a file from being taken in as events of this venue and symbol. */
export function placeFindings(
  dataset: RawDatasetId | null,
  exchange: string | null,
  symbol: string | null,
  columns: readonly string[],
): FileFinding[] {
  const findings: FileFinding[] = []
  const add = (words: string) => findings.push({ level: 'error', about: 'place', words })
  if (exchange === null) add('Nothing tells its venue.')
  else if (!isVenue(exchange)) add(`“${exchange.slice(0, 60)}” is none of the venues.`)
  else if (dataset !== null) {
    const isExpected = exchange === 'venuec-perps' && rawDataset(dataset).exchangeTimeModelled
    if (isExpected && !columns.includes(EXTRA))
      add(`Column ${EXTRA} is missing, which files of ${exchange} have: its feed carries no exchange time.`)
    if (!isExpected && columns.includes(EXTRA))
      add(`Column ${EXTRA} is there, which ${dataset} of ${exchange} do not have.`)
  }
  if (symbol === null) add('Nothing tells its symbol.')
  else if (!parseSymbol(symbol))
    add(`“${symbol.slice(0, 80)}” is no symbol: it must be like perpetual-BTC-USDT:USDT, without slashes.`)
  return findings
}
