import { parseSymbol } from '#shared/catalog/symbols.ts'
import { isMetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { Client } from '#shared/contract/client.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { nearest } from './suggest.ts'
import { UsageError } from './usageError.ts'

/** What a series is called by, in the order in which one name narrows down the next. */
const kinds = ['dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const
type Kind = (typeof kinds)[number]

export type SeriesNames = Partial<Record<Kind, string | readonly string[]>>
export type KnownSeries = Partial<Record<Kind, string>>

const word = (kind: Kind) => (kind === 'exchange' ? 'venue' : kind)
/** So many names are listed where none is near. */
const FEW = 12

/** The first name that no known series has beside the names before it, in a sentence; null where every name is known. */
export function unknownName(place: string, known: readonly KnownSeries[], asked: SeriesNames): string | null {
  let left = known
  for (const kind of kinds) {
    const typed = [asked[kind] ?? []].flat()
    if (typed.length === 0) continue
    const names = [...new Set(left.map((series) => series[kind] ?? ''))]
    const missing = typed.find((name) => !names.includes(name))
    if (missing !== undefined) return sentence(place, kind, missing, names)
    left = left.filter((series) => typed.includes(series[kind] ?? ''))
  }
  return null
}

function sentence(place: string, kind: Kind, typed: string, names: readonly string[]): string {
  const isShort = kind === 'interval' || kind === 'timestamp'
  const meant = kind === 'symbol' ? nearestSymbol(typed, names) : isShort ? null : nearest(typed, names)
  const shown = names.filter(Boolean).toSorted()
  const few = shown.length > 0 && shown.length <= FEW ? ` There is ${shown.join(', ')}.` : ''
  return `${place} no ${word(kind)} “${typed.slice(0, 60)}”.${meant ? ` Did you mean “${meant}”?` : few}`
}

/** Also by its base alone: `btc` means perpetual-BTC-USDT:USDT. */
export function nearestSymbol(typed: string, symbols: readonly string[]): string | null {
  const base = typed.normalize('NFKC').toLowerCase()
  const sameBase = symbols.filter((symbol) => parseSymbol(symbol)?.base.toLowerCase() === base)
  return sameBase.find((symbol) => symbol.includes('USDT')) ?? sameBase.at(0) ?? nearest(typed, symbols)
}

/** The names in the rows of a frame. */
export function seriesIn(frame: Frame): KnownSeries[] {
  const named = frame.columns.flatMap((column) =>
    kinds.filter((kind) => kind === column.name).map((kind) => [kind, column] as const),
  )
  return Array.from({ length: frame.rows }, (_, row) =>
    Object.fromEntries(named.map(([kind, column]) => [kind, String(cellOf(column, row) ?? '')])),
  )
}

/** Of what is on this machine. */
export async function unknownInCache(core: Client, connectionId: string, asked: SeriesNames): Promise<string | null> {
  const known = seriesIn(await core.call('coverage.cachedSeries', { connectionId }))
  return known.length === 0 ? null : unknownName('The cache on this machine has', known, asked)
}

/** Why a series cannot be read, and what brings it here. */
export async function nothingHere(core: Client, connectionId: string, asked: SeriesNames): Promise<string> {
  const why =
    (await unknownInCache(core, connectionId, asked)) ??
    'Nothing of this series and range is in the cache on this machine.'
  return `${why} “perpscope ls” lists what is here, “perpscope fetch” downloads more.`
}

export function noSuchColumns(absent: readonly string[], there: readonly string[]): string {
  const message = absent.map((name) => {
    const meant = nearest(name, there)
    return `“${name}”${meant ? ` (did you mean “${meant}”?)` : ''}`
  })
  return `No file of this range has a column ${message.join(', ')}.`
}

/** Metrics have an interval, raw events have none; one name is both. */
export function checkInterval(dataset: string, interval: string): void {
  if (interval === '' && isMetricDatasetId(dataset) && !isRawDatasetId(dataset))
    throw new UsageError(`--interval is missing: ${dataset} is a metric dataset.`)
  if (interval !== '' && isRawDatasetId(dataset) && !isMetricDatasetId(dataset))
    throw new UsageError(`${dataset} are raw events and have no interval; leave --interval out.`)
}
