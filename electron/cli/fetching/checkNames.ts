import { failureText, usageText } from '../text/messages.ts'
import { intervals } from '#shared/catalog/intervals.ts'
import { isMetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { isSymbol, parseSymbol } from '#shared/catalog/symbols.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { parseInterval } from '#shared/time.ts'
import { nearestSymbol } from '../names.ts'
import type { Output } from '../print.ts'
import { UsageError, unknownValueError } from '../usageError.ts'
import { venuesOf } from '#shared/contract/venuesOf.ts'
import { noteUnlistedVenues } from '../venues.ts'
import { nearest } from '../suggest.ts'
import type { DownloadSelection } from './selection.ts'

/**
 * Rejects misspelt names before files are requested or a set is saved. A venue or dataset that is not known may be new,
 * so the service is asked about it; if the service does not respond, the name is accepted.
 */
export async function checkNames(
  core: Client,
  connectionId: string,
  { kind, datasets, exchanges, symbols, intervals: wanted }: DownloadSelection,
  { out, signal }: { out: Output; signal: AbortSignal },
): Promise<void> {
  for (const interval of wanted) {
    if (parseInterval(interval) === null) throw unknownValueError('interval', interval, intervals)
    const same = intervals.find((each) => parseInterval(each) === parseInterval(interval))
    if (same !== undefined && same !== interval) throw new UsageError(usageText.unknown('interval', interval, same))
  }
  const venues = await venuesOf(core, connectionId)
  noteUnlistedVenues(out, venues, exchanges)
  const listedIds = venues.list.map(({ id }) => id)
  for (const exchange of exchanges) {
    if (listedIds.includes(exchange)) continue
    const symbols = await symbolsOf(core, connectionId, exchange, signal)
    if (symbols instanceof AppError) throw symbols
  }
  for (const symbol of symbols) {
    if (parseSymbol(symbol)) continue
    // A symbol need not be a perpetual: whatever the service lists can be fetched.
    const lists = await Promise.all(exchanges.map((exchange) => symbolsOf(core, connectionId, exchange, signal)))
    const known = lists.filter((listed) => Array.isArray(listed)).flat()
    const isUnchecked = known.length === 0 || kind === 'raw'
    if (known.includes(symbol) || (isUnchecked && isSymbol(symbol))) continue
    throw new UsageError(usageText.notSymbol(symbol, nearestSymbol(symbol, known)))
  }
  if (kind === 'raw') return checkRawDatasets(core, connectionId, datasets, signal)
  const otherThanMetrics = datasets.filter((id) => !isMetricDatasetId(id))
  if (otherThanMetrics.length === 0) return
  const ids = await datasetsOf(core, connectionId, otherThanMetrics, signal)
  const unknownId = otherThanMetrics.find((id) => ids && !ids.includes(id))
  if (ids && unknownId !== undefined) throw unknownValueError('dataset', unknownId, ids)
}

/**
 * Rejects datasets that neither the documents nor the catalog of the connection name as raw events. Without a catalog,
 * only the metric datasets are rejected, because the service may have datasets of its own.
 */
async function checkRawDatasets(
  core: Client,
  connectionId: string,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const documented = rawDatasets.map(({ id }) => id)
  const others = wanted.filter((id) => !isRawDatasetId(id))
  if (others.length === 0) return
  const listed = await core.call('discovery.rawCatalog', { connectionId }, { signal }).then(
    ({ catalog }) =>
      [...catalog.datasets, ...catalog.summary.map(({ dataset }) => ({ id: dataset }))].map(({ id }) => id),
    () => null,
  )
  signal.throwIfAborted()
  const unknown = others.find((id) => (listed ? !listed.includes(id) : isMetricDatasetId(id)))
  if (unknown === undefined) return
  const known = [...new Set([...documented, ...(listed ?? [])])]
  throw new UsageError(usageText.notRawDataset(unknown, nearest(unknown, known), known))
}

/** Number of unlisted symbols that are named one by one. */
const MOST_NAMED = 5

/**
 * Returns messages on the symbols that the service does not list; one that it lists on no chosen venue is named with the
 * nearest listed symbol, because it may be misspelt. Venues whose symbols cannot be requested are skipped.
 */
export async function unlistedSymbolMessages(
  core: Client,
  connectionId: string,
  { exchanges, symbols }: DownloadSelection,
  signal: AbortSignal,
): Promise<string[]> {
  const answers: { exchange: string; listed: string[] }[] = []
  for (const exchange of exchanges) {
    const listed = await symbolsOf(core, connectionId, exchange, signal)
    if (Array.isArray(listed)) answers.push({ exchange, listed })
  }
  const everywhere = new Set(answers.flatMap(({ listed }) => listed))
  return answers.flatMap(({ exchange, listed }) => {
    const here = new Set(listed)
    const unlisted = symbols.filter((symbol) => !here.has(symbol))
    const misspelt = unlisted.filter((symbol) => !everywhere.has(symbol))
    const elsewhere = unlisted.filter((symbol) => everywhere.has(symbol))
    const named = misspelt
      .slice(0, MOST_NAMED)
      .map((symbol) => failureText.symbolNotListed(symbol, exchange, nearestSymbol(symbol, listed)))
    const [sole, second] = elsewhere
    if (sole !== undefined && second === undefined) named.push(failureText.symbolNotListed(sole, exchange, null))
    const uncounted = misspelt.length - MOST_NAMED
    if (uncounted > 0) named.push(failureText.moreNotListed(uncounted, exchange))
    if (second !== undefined) named.push(failureText.listedElsewhere(elsewhere.length, exchange))
    return named
  })
}

/** Returns the symbols of a venue, the service's refusal of the venue, or null if the service does not answer. */
async function symbolsOf(core: Client, connectionId: string, exchange: string, signal: AbortSignal) {
  try {
    return (await core.call('discovery.symbols', { connectionId, exchange }, { signal })).symbols
  } catch (thrown) {
    signal.throwIfAborted()
    const isRefused = thrown instanceof AppError && (thrown.code === 'rejected' || thrown.code === 'not-found')
    return isRefused ? thrown : null
  }
}

/**
 * Returns the ids of all datasets from the cached catalog, which is refreshed if it lacks one of the wanted ids; null
 * if the catalog cannot be read.
 */
async function datasetsOf(core: Client, connectionId: string, wanted: readonly string[], signal: AbortSignal) {
  const requestIds = async (refresh: boolean) =>
    (await core.call('discovery.catalog', { connectionId, refresh }, { signal })).datasets.map(({ id }) => id)
  try {
    const knownIds = await requestIds(false)
    return wanted.every((id) => knownIds.includes(id)) ? knownIds : await requestIds(true)
  } catch {
    signal.throwIfAborted()
    return null
  }
}
