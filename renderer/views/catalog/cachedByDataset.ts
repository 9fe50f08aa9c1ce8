import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'

export interface CachedDataset {
  files: number
  bytes: number
  symbols: number
}

/** What is here of each metric dataset, summed over its series. */
export function cachedByDataset(series: Frame | null): Map<string, CachedDataset> {
  const found = new Map<string, CachedDataset>()
  if (!series) return found
  const seen = new Set<string>()
  const cell = (row: number, name: string) => {
    const column = columnOf(series, name)
    return column ? cellOf(column, row) : null
  }
  for (let row = 0; row < series.rows; row += 1) {
    if (cell(row, 'kind') !== 'metrics') continue
    const dataset = String(cell(row, 'dataset'))
    const sum = found.get(dataset) ?? { files: 0, bytes: 0, symbols: 0 }
    sum.files += Number(cell(row, 'files'))
    sum.bytes += Number(cell(row, 'bytes'))
    const symbol = `${dataset}\n${cell(row, 'exchange')}\n${cell(row, 'symbol')}`
    if (!seen.has(symbol)) sum.symbols += 1
    seen.add(symbol)
    found.set(dataset, sum)
  }
  return found
}
