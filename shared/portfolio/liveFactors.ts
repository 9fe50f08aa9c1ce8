import { crossSectionRanks } from './crossSection.ts'

type TickerValues = ReadonlyMap<string, number | null>

interface RankedValue {
  value: number | null
  /** Rank from 1 for the lowest; null without a value. */
  rank: number | null
  percentile: number | null
}

export interface FactorStanding {
  ticker: string
  latest: RankedValue
  close: RankedValue
  /** Latest minus close; null if either is missing. */
  change: number | null
  rankChange: number | null
}

const noStanding: RankedValue = { value: null, rank: null, percentile: null }

function standings(values: TickerValues): Map<string, RankedValue> {
  const ranks = crossSectionRanks([...values.values()])
  return new Map([...values].map(([ticker, value], at) => [ticker, { value, ...ranks[at] }]))
}

const difference = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b)

/**
 * Compares the latest values of a factor with those at the close, by value and by rank among the requested tickers; the
 * highest latest rank comes first.
 */
export function factorStandings(latest: TickerValues, close: TickerValues): FactorStanding[] {
  const latestStandings = standings(latest)
  const closeStandings = standings(close)
  const rows = [...new Set([...latest.keys(), ...close.keys()])].map((ticker): FactorStanding => {
    const [current, closing] = [latestStandings.get(ticker) ?? noStanding, closeStandings.get(ticker) ?? noStanding]
    return {
      ticker,
      latest: current,
      close: closing,
      change: difference(current.value, closing.value),
      rankChange: difference(current.rank, closing.rank),
    }
  })
  const rankOf = ({ latest: { rank }, close: { rank: other } }: FactorStanding) => rank ?? other ?? -Infinity
  return rows.sort((a, b) => rankOf(b) - rankOf(a) || (a.ticker < b.ticker ? -1 : 1))
}
