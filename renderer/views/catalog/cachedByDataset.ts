import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { catalogText } from '../../text/catalog.ts'
import type { ChartedSeries } from '../../widgets/seriesLinks.ts'

export interface CachedDataset {
  files: number
  bytes: number
  symbols: number
  /** Series with the most files; null if nothing is cached. */
  largestSeries: ChartedSeries | null
}

export const NOTHING_CACHED: CachedDataset = { files: 0, bytes: 0, symbols: 0, largestSeries: null }

/** Describes the cached files of a dataset. */
export const cachedText = ({ files, bytes, symbols }: CachedDataset): string =>
  catalogText.facts.cachedFiles(files, symbols, bytes)

/** Sums the cached series of each dataset. */
export function cachedByDataset(series: Frame | null, kind: 'metrics' | 'raw'): Map<string, CachedDataset> {
  const sumByDataset = new Map<string, CachedDataset>()
  if (!series) return sumByDataset
  const seenSymbols = new Set<string>()
  const mostFilesByDataset = new Map<string, number>()
  const cell = (row: number, name: string) => {
    const column = columnOf(series, name)
    return column ? cellOf(column, row) : null
  }
  for (let row = 0; row < series.rows; row += 1) {
    if (cell(row, 'kind') !== kind) continue
    const dataset = String(cell(row, 'dataset'))
    const sum = sumByDataset.get(dataset) ?? { ...NOTHING_CACHED }
    const files = Number(cell(row, 'files'))
    sum.files += files
    if (files > (mostFilesByDataset.get(dataset) ?? 0)) {
      mostFilesByDataset.set(dataset, files)
      const text = (name: string) => String(cell(row, name))
      sum.largestSeries = {
        dataset,
        exchange: text('exchange'),
        symbol: text('symbol'),
        interval: text('interval'),
        timestamp: text('timestamp'),
      }
    }
    sum.bytes += Number(cell(row, 'bytes'))
    const symbol = `${dataset}\n${cell(row, 'exchange')}\n${cell(row, 'symbol')}`
    if (!seenSymbols.has(symbol)) sum.symbols += 1
    seenSymbols.add(symbol)
    sumByDataset.set(dataset, sum)
  }
  return sumByDataset
}
