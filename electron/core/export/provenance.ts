import { connectionOfOwner, isComputedOwner } from '#shared/contract/computedOwner.ts'
import { requestOfQuery } from '#shared/catalog/portfolioRequest.ts'
import {
  isPortfolioDataset,
  portfolioDatasetEndpoints,
  type PortfolioDatasetId,
  portfolioSeriesOf,
} from '#shared/catalog/portfolioSeries.ts'
import { isSqlDataset } from '#shared/catalog/sqlSeries.ts'
import { isTestedDataset } from '#shared/catalog/testedDatasets.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { sizesWithin } from '#shared/units/contractSizes.ts'
import { uncovered } from '#core/series/planSeries.ts'
import { sourcesOf, type SeriesFiles } from '#core/series/seriesFiles.ts'
import type { Store } from '#core/store/store.ts'

export interface ProvenanceDeps {
  store: Store
  /** Version of Perpscope. */
  version: string
  nowMs: number
}

const isoText = (timeMs: number) => new Date(timeMs).toISOString()

function originOf(dataset: string): string {
  if (isSqlDataset(dataset)) return 'result of an SQL query'
  if (isPortfolioDataset(dataset)) return 'history of the portfolio service'
  return isTestedDataset(dataset) ? 'tested portfolio of the Lab' : 'computed here from raw events'
}

/**
 * Describes how a series was made: a tested portfolio by the hash of its document, under which the ledger lists its
 * runs; a query result by the query's text, parameters and input files; a history of the portfolio service by the
 * requests.
 */
function computationOf({ querySeries, portfolio }: Store, { series, slices }: SeriesFiles) {
  const documentHash = slices.at(0)?.file.etag
  if (isTestedDataset(series.dataset)) return documentHash && { documentHash }
  if (isPortfolioDataset(series.dataset)) return { requests: historyRequestsOf(portfolio, series, series.dataset) }
  const storedQuery = isSqlDataset(series.dataset) ? querySeries.find(series.connectionId, series.symbol) : null
  return (
    storedQuery && {
      sql: storedQuery.sql,
      parameters: storedQuery.parameters,
      ran: isoText(storedQuery.ranAtMs),
      read: storedQuery.sources,
    }
  )
}

/** Lists the portfolio service requests whose responses make up a series. */
function historyRequestsOf(
  portfolio: Store['portfolio'],
  { connectionId: owner, symbol }: SeriesFiles['series'],
  dataset: PortfolioDatasetId,
) {
  const [connectionId, endpoint] = [connectionOfOwner(owner), portfolioDatasetEndpoints[dataset]]
  return portfolio.histories(connectionId, endpoint).flatMap(({ query }) => {
    const answer = portfolio.find({ connectionId, endpoint, query })
    if (!answer || portfolioSeriesOf(requestOfQuery(endpoint, query))?.symbol !== symbol) return []
    return [{ endpoint, query, source: answer.source, fetched: isoText(answer.fetchedAtMs) }]
  })
}

/** Describes the connection; data from the sandbox is always marked as synthetic, and that of previews as such. */
function connectionOf({ connections }: Store, series: SeriesFiles['series']) {
  const owner = series.connectionId
  const { name, builtIn, preview } = connections.find(connectionOfOwner(owner))
  return {
    connection: name,
    ...(builtIn && { synthetic: true }),
    ...(preview && { preview: true }),
    ...(isComputedOwner(owner) && { origin: originOf(series.dataset) }),
  }
}

/**
 * Returns the contract size that the user entered, if any; the numbers may have been converted with it. If several are
 * valid within the range, or one only from a date on, they are listed with their dates.
 */
function contractSizesOf({ instruments }: Store, { series: { exchange, symbol } }: SeriesFiles, range: TimeRange) {
  const sizes = sizesWithin(instruments.contractSizes(exchange, symbol), range)
  if (sizes.length === 0) return {}
  if (sizes.length === 1 && sizes[0].fromMs <= range.startMs) return { contractSize: sizes[0].size }
  return {
    contractSizes: sizes.map(({ fromMs, size }) => ({
      from: fromMs === -Infinity ? null : isoText(fromMs),
      contractSize: size,
    })),
  }
}

/** Lists the parts of the range that no file of a series covers; nothing if all are covered. */
function missingFrom({ slices }: SeriesFiles, range: TimeRange | null) {
  const missing = range === null ? [] : uncovered(slices, range)
  return (
    missing.length > 0 && {
      missing: missing.map(({ startMs, endMs }) => ({ start: isoText(startMs), end: isoText(endMs) })),
    }
  )
}

/**
 * Builds the provenance of an export for people and machines: series, files with their sha256, and their download
 * times, and what of the range was missing.
 * @param range range of the export; null if it is whatever the files cover
 */
export function provenanceOf(
  { store, version, nowMs }: ProvenanceDeps,
  sources: readonly SeriesFiles[],
  range: TimeRange | null,
  exportFacts: Record<string, unknown>,
): string {
  const series = sources.map((found) => ({
    ...connectionOf(store, found.series),
    kind: found.series.kind,
    dataset: found.series.dataset,
    exchange: found.series.exchange,
    symbol: found.series.symbol,
    ...(found.series.interval !== '' && { interval: found.series.interval }),
    timestamp: found.timestamp,
    ...contractSizesOf(store, found, range ?? found.range),
    ...computationOf(store, found),
    files: sourcesOf(found).map((file) => ({
      period: file.period,
      start: isoText(file.startMs),
      end: isoText(file.endMs),
      sha256: file.sha256,
      state: file.state,
      fetched: isoText(file.fetchedAt),
    })),
    ...missingFrom(found, range),
  }))
  const head = { writtenBy: `Perpscope ${version}`, writtenAt: isoText(nowMs) }
  return `${JSON.stringify({ ...head, ...exportFacts, series }, null, 2)}\n`
}
