import type { KnownDataset } from '#shared/catalog/knownDatasets.ts'
import { searchForm } from '#shared/catalog/searchForm.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { columnOf, type Frame } from '#shared/contract/frame.ts'
import { symbolWords } from '#shared/workspace/columnWords.ts'
import type { PickItem } from './PickList.vue'

/** Of a column: its dataset may hold a slash, its name may not. */
export const columnId = (dataset: string, column: string): string => `${dataset}/${column}`

export function splitColumnId(id: string): { dataset: string; column: string } {
  const at = id.lastIndexOf('/')
  return { dataset: id.slice(0, at), column: id.slice(at + 1) }
}

/** All columns of all datasets that hold every word, in the catalog's order. */
export function columnItems(datasets: readonly KnownDataset[], text: string): PickItem[] {
  const words = searchForm(text).split(/\s+/).filter(Boolean)
  return datasets.flatMap((dataset) =>
    dataset.columns
      .filter(({ name, label }) => {
        const all = searchForm(`${label} ${name} ${dataset.name} ${dataset.id}`)
        return words.every((word) => all.includes(word))
      })
      .map(({ name, label }) => ({
        id: columnId(dataset.id, name),
        title: dataset.id === 'ohlcv' && name === 'close' ? 'Close (candles)' : label,
        hint: `${dataset.id}.${name}`,
      })),
  )
}

/** Symbols of a venue that hold the text; those with files here first. */
export function symbolItems(symbols: readonly string[], here: ReadonlySet<string>, text: string): PickItem[] {
  const wanted = searchForm(text.trim())
  const found = symbols.filter((symbol) => searchForm(symbol).includes(wanted))
  const item = (symbol: string): PickItem => {
    const title = symbolWords(symbol)
    return { id: symbol, title, hint: symbol.replace(/^perpetual-/, ''), isHere: here.has(symbol) }
  }
  // Exactly what was typed is meant more than what only holds it.
  const isExact = (symbol: string) => (searchForm(symbolWords(symbol)) === wanted ? 0 : 1)
  const rank = (symbol: string) => isExact(symbol) * 2 + (here.has(symbol) ? 0 : 1)
  return found.toSorted((a, b) => rank(a) - rank(b)).map(item)
}

/** The first symbol on the same asset, whatever it is quoted in. */
export function sameAsset(symbol: string, symbols: readonly string[]): string | undefined {
  const base = parseSymbol(symbol)?.base
  return symbols.find((other) => base !== undefined && parseSymbol(other)?.base === base)
}

/** The symbols of a dataset and venue that have files here, of any interval. */
export function symbolsHere(cached: Frame | null, dataset: string, exchange: string): Set<string> {
  const here = new Set<string>()
  const [kind, datasets, exchanges, symbols] = ['kind', 'dataset', 'exchange', 'symbol'].map((name) => {
    const column = cached && columnOf(cached, name)
    return column?.kind === 'text' ? column : null
  })
  if (!cached || !kind || !datasets || !exchanges || !symbols) return here
  for (let row = 0; row < cached.rows; row += 1) {
    const text = (column: typeof symbols) => column.dictionary[column.values[row]]
    if (text(kind) === 'metrics' && text(datasets) === dataset && text(exchanges) === exchange) here.add(text(symbols))
  }
  return here
}
