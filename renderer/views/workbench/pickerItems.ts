import type { KnownDataset } from '#shared/catalog/knownDatasets.ts'
import { normaliseForSearch } from '#shared/catalog/normaliseForSearch.ts'
import { portfolioSymbolLabel } from '#shared/catalog/portfolioSeries.ts'
import { matchesSymbol, symbolSearch } from '#shared/catalog/resolveSymbol.ts'
import { parseSymbol, shortSymbol } from '#shared/catalog/symbols.ts'
import { columnOf, type Frame } from '#shared/contract/frame.ts'
import { parseInterval } from '#shared/time.ts'
import { symbolLabel } from '#shared/workspace/columnLabels.ts'
import type { PickItem } from './PickList.vue'
import { workbenchText } from '../../text/workbench.ts'

/** Builds the id of a column: the dataset may contain a slash, the column name may not. */
export const columnId = (dataset: string, column: string): string => `${dataset}/${column}`

export function splitColumnId(id: string): { dataset: string; column: string } {
  const slash = id.lastIndexOf('/')
  return { dataset: id.slice(0, slash), column: id.slice(slash + 1) }
}

/** Lists the columns that contain every word of the text, in the order of the catalog. */
export function columnItems(datasets: readonly KnownDataset[], text: string): PickItem[] {
  const terms = normaliseForSearch(text).split(/\s+/).filter(Boolean)
  return datasets.flatMap((dataset) => {
    // A quantity in two units has the same label twice in the catalog, so its unit is added.
    const isAmbiguous = (label: string) => dataset.columns.filter((other) => other.label === label).length > 1
    return dataset.columns
      .filter(({ name, label }) => {
        const searchableText = normaliseForSearch(`${label} ${dataset.name} ${dataset.id}.${name}`)
        return terms.every((word) => searchableText.includes(word))
      })
      .map(({ name, label, meaning }) => ({
        id: columnId(dataset.id, name),
        title:
          dataset.id === 'ohlcv' && name === 'close'
            ? workbenchText.picker.candles
            : isAmbiguous(label)
              ? `${label}, ${meaning?.unit ?? name}`
              : label,
        hint: `${dataset.id}.${name}`,
      }))
  })
}

/**
 * Splits a text such as `funding btc`, of which no column contains every word, into words of a column and a symbol; the
 * symbol is empty if there is none.
 */
export function splitColumnText(
  datasets: readonly KnownDataset[],
  symbols: readonly string[],
  text: string,
): { column: string; symbol: string } {
  const words = text.trim().split(/\s+/)
  const hasColumns = (typed: string) => columnItems(datasets, typed).length > 0
  if (words.length < 2 || hasColumns(text)) return { column: text, symbol: '' }
  const named = words.flatMap((word, at) => {
    const search = symbolSearch(word)
    const column = words.toSpliced(at, 1).join(' ')
    if (search.letters === '' || !symbols.some((symbol) => matchesSymbol(search, symbol)) || !hasColumns(column))
      return []
    const isBase = symbols.some((symbol) => normaliseForSearch(parseSymbol(symbol)?.base ?? '') === search.name)
    return [{ column, symbol: word, isBase }]
  })
  const found = named.find(({ isBase }) => isBase) ?? named.at(0)
  return found ? { column: found.column, symbol: found.symbol } : { column: text, symbol: '' }
}

/**
 * Lists the symbols of a venue that contain the text: exact matches first, and symbols with cached files before others.
 */
export function symbolItems(symbols: readonly string[], cachedSymbols: ReadonlySet<string>, text: string): PickItem[] {
  const search = symbolSearch(text)
  const found = symbols.filter((symbol) => matchesSymbol(search, symbol))
  const itemOf = (symbol: string): PickItem => {
    const title = symbol.includes('~') ? portfolioSymbolLabel(symbol) : symbolLabel(symbol)
    return { id: symbol, title, hint: shortSymbol(symbol), isCached: cachedSymbols.has(symbol) }
  }
  const isExact = (symbol: string) => normaliseForSearch(symbolLabel(symbol)) === search.name
  const rank = (symbol: string) => (isExact(symbol) ? 0 : 2) + (cachedSymbols.has(symbol) ? 0 : 1)
  return found.toSorted((a, b) => rank(a) - rank(b)).map(itemOf)
}

/** Finds the first symbol of the same asset, whatever its quote currency. */
export function symbolOfSameAsset(symbol: string, symbols: readonly string[]): string | undefined {
  const base = parseSymbol(symbol)?.base
  return symbols.find((other) => base !== undefined && parseSymbol(other)?.base === base)
}

export interface SeriesIdentity {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
}

/** Lists the metric series with cached files. */
export function cachedSeries(cached: Frame | null): SeriesIdentity[] {
  if (!cached) return []
  const textReader = (name: string) => {
    const column = columnOf(cached, name)
    return column?.kind === 'text' ? (row: number) => column.dictionary[column.values[row]] : () => ''
  }
  const readKind = textReader('kind')
  const names = ['dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const
  const readers = names.map((name) => [name, textReader(name)] as const)
  const rows = Array.from({ length: cached.rows }, (_, row) => row).filter((row) => readKind(row) === 'metrics')
  return rows.map(
    (row) => Object.fromEntries(readers.map(([name, read]) => [name, read(row)])) as unknown as SeriesIdentity,
  )
}

type RowsChoice = Pick<SeriesIdentity, 'interval' | 'timestamp'>

/** Returns the interval and clock of cached rows of one series: those wanted if there are any, or else the finest. */
export function cachedRows(cached: readonly SeriesIdentity[], wanted: RowsChoice): RowsChoice {
  const isWanted = ({ interval, timestamp }: RowsChoice) =>
    interval === wanted.interval && timestamp === wanted.timestamp
  if (cached.length === 0 || cached.some(isWanted)) return wanted
  const sameClock = cached.filter(({ timestamp }) => timestamp === wanted.timestamp)
  const durationOf = ({ interval }: RowsChoice) => parseInterval(interval) ?? Infinity
  return (sameClock.length > 0 ? sameClock : cached).reduce((finest, each) =>
    durationOf(each) < durationOf(finest) ? each : finest,
  )
}
