import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'

/** A live answer by ticker, in its order; null is "no value". */
export function tickerValues(rows: Frame): Map<string, number | null> {
  const tickers = columnOf(rows, 'ticker')
  const values = columnOf(rows, 'value')
  const found = new Map<string, number | null>()
  if (!tickers || !values) return found
  for (let row = 0; row < rows.rows; row += 1) {
    const value = cellOf(values, row)
    found.set(String(cellOf(tickers, row)), typeof value === 'number' && Number.isFinite(value) ? value : null)
  }
  return found
}
