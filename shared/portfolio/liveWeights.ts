/** Weights by ticker; null means no weight. */
export type TickerWeights = ReadonlyMap<string, number | null>

export interface WeightChange {
  ticker: string
  latest: number | null
  close: number | null
  /** Latest minus close, with null counted as 0. */
  change: number
}

/** Compares `latest` with `close`, largest change first, and computes the turnover between them. */
export function weightChanges(
  latest: TickerWeights,
  close: TickerWeights,
): { changes: WeightChange[]; twoWayTurnover: number } {
  const tickers = [...new Set([...latest.keys(), ...close.keys()])]
  const changes = tickers.map((ticker): WeightChange => {
    const now = latest.get(ticker) ?? null
    const before = close.get(ticker) ?? null
    return { ticker, latest: now, close: before, change: (now ?? 0) - (before ?? 0) }
  })
  changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || (a.ticker < b.ticker ? -1 : 1))
  return { changes, twoWayTurnover: changes.reduce((sum, { change }) => sum + Math.abs(change), 0) }
}
