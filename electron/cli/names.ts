import { failureText, usageText } from './text/messages.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { isMetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { Client } from '#shared/contract/client.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { nearest } from './suggest.ts'
import { UsageError } from './usageError.ts'

/**
 * Kinds of names that identify a series, in the order in which they are checked; each name is looked for only among the
 * series that have the names checked before it.
 */
const kinds = ['dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const
type Kind = (typeof kinds)[number]

export type SeriesNames = Partial<Record<Kind, string | readonly string[]>>
type KnownSeries = Partial<Record<Kind, string>>

const kindLabel = (kind: Kind) => (kind === 'exchange' ? 'venue' : kind)
/** Maximum number of names that a message lists; it lists none if there are more. */
const MOST_LISTED = 12

/** Returns a message about the first unknown name of a series; null if all are known. */
export function unknownNameMessage(place: string, known: readonly KnownSeries[], wanted: SeriesNames): string | null {
  let candidates = known
  for (const kind of kinds) {
    const typed = [wanted[kind] ?? []].flat()
    if (typed.length === 0) continue
    const names = [...new Set(candidates.map((series) => series[kind] ?? ''))]
    // Raw events carry both clocks, so their series have no timestamp that could be unknown.
    const isEither = (name: string) => kind === 'timestamp' && name === ''
    const unknownName = typed.find((name) => !names.some((known) => known === name || isEither(known)))
    if (unknownName !== undefined) return notListedMessage(place, kind, unknownName, names)
    candidates = candidates.filter(({ [kind]: name = '' }) => typed.includes(name) || isEither(name))
  }
  return null
}

function notListedMessage(place: string, kind: Kind, typed: string, names: readonly string[]): string {
  const hasShortNames = kind === 'interval' || kind === 'timestamp'
  const suggestion = kind === 'symbol' ? nearestSymbol(typed, names) : hasShortNames ? null : nearest(typed, names)
  const shown = names.filter(Boolean).toSorted()
  return failureText.notListed(place, kindLabel(kind), typed, suggestion, shown.length <= MOST_LISTED ? shown : [])
}

/** Finds the symbol nearest to what was typed, which may also be a base asset: `btc` finds perpetual-BTC-USDT:USDT. */
export function nearestSymbol(typed: string, symbols: readonly string[]): string | null {
  const base = typed.normalize('NFKC').toLowerCase()
  const sameBase = symbols.filter((symbol) => parseSymbol(symbol)?.base.toLowerCase() === base)
  return sameBase.find((symbol) => symbol.includes('USDT')) ?? sameBase.at(0) ?? nearest(typed, symbols)
}

/** Reads the names of a series from each row of a frame. */
export function seriesIn(frame: Frame): KnownSeries[] {
  const nameColumns = frame.columns.flatMap((column) =>
    kinds.filter((kind) => kind === column.name).map((kind) => [kind, column] as const),
  )
  return Array.from({ length: frame.rows }, (_, row) =>
    Object.fromEntries(nameColumns.map(([kind, column]) => [kind, String(cellOf(column, row) ?? '')])),
  )
}

/**
 * Returns a message about the first name that is unknown among the cached series; null if all names are known or
 * nothing is cached.
 */
export async function unknownInCacheMessage(
  core: Client,
  connectionId: string,
  wanted: SeriesNames,
): Promise<string | null> {
  const known = seriesIn(await core.call('coverage.cachedSeries', { connectionId }))
  return known.length === 0 ? null : unknownNameMessage(failureText.thisCache, known, wanted)
}

/** Explains why the cache has nothing for a series, and which commands help. */
export async function nothingCachedMessage(core: Client, connectionId: string, wanted: SeriesNames): Promise<string> {
  const why = await unknownInCacheMessage(core, connectionId, wanted)
  const hasSeries = async (owner: string) => {
    const known = seriesIn(await core.call('coverage.cachedSeries', { connectionId: owner }))
    return known.length > 0 && unknownNameMessage('', known, wanted) === null
  }
  if (!(await hasSeries(connectionId)) && (await hasSeries(computedOwner(connectionId))))
    return failureText.onlyComputed([wanted.dataset ?? []].flat())
  return failureText.nothingCached(why ?? failureText.emptyRange)
}

export function noSuchColumnsMessage(absent: readonly string[], present: readonly string[]): string {
  return failureText.noSuchColumns(absent.map((name) => ({ name, suggestion: nearest(name, present) })))
}

/** Checks that an interval is given for a metric dataset and none for a raw dataset; open_interest exists as both. */
export function checkIntervalOption(dataset: string, interval: string): void {
  if (interval === '' && isMetricDatasetId(dataset) && !isRawDatasetId(dataset))
    throw new UsageError(usageText.metricNeedsInterval(dataset))
  if (interval !== '' && isRawDatasetId(dataset) && !isMetricDatasetId(dataset))
    throw new UsageError(usageText.rawHasNoInterval(dataset))
}
