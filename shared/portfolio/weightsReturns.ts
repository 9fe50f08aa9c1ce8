import { dayFromNumber, type DayNumber } from '../time/periods.ts'
import { agree, plural } from '../units/plurals.ts'
import type { DailySeries } from './dailySeries.ts'
import type { FileWarning } from '#shared/contract/areas/returns.ts'
import type { WeightsContent } from './returnsFile.ts'

interface WeightsReturns {
  returns: DailySeries
  /** Fraction of the gross weight held that has prices; null if no weight was held from one day to the next. */
  coverage: number | null
  warnings: FileWarning[]
}

/** Returns the price of a ticker on a day; undefined if there is none. */
export type PriceOf = (ticker: string, day: DayNumber) => number | undefined

/**
 * Computes returns from weights: Σ w(t−1)·(P_t/P(t−1) − 1) from the second date on, minus the cost of the two-way
 * turnover. A missing price contributes 0 and is reported with the line of its weight.
 */
export function returnsOfWeights({ days }: WeightsContent, priceOf: PriceOf, costBps: number): WeightsReturns {
  const values = new Float64Array(Math.max(0, days.length - 1))
  const unpricedByTicker = new Map<string, { line: number; day: DayNumber; count: number }>()
  let [pricedGross, gross] = [0, 0]
  for (let at = 1; at < days.length; at++) {
    const [before, now] = [days[at - 1], days[at]]
    let value = 0
    for (const { ticker, weight, line } of before.cells) {
      if (weight === 0) continue
      gross += Math.abs(weight)
      const [first, last] = [priceOf(ticker, before.day), priceOf(ticker, now.day)]
      if (first !== undefined && last !== undefined && first > 0) {
        value += weight * (last / first - 1)
        pricedGross += Math.abs(weight)
        continue
      }
      const known = unpricedByTicker.get(ticker)
      if (known) known.count++
      else unpricedByTicker.set(ticker, { line, day: first === undefined ? before.day : now.day, count: 1 })
    }
    values[at - 1] = value - (costBps / 1e4) * turnover(before.cells, now.cells)
  }
  return {
    returns: { days: Int32Array.from(days.slice(1), ({ day }) => day), values, valid: null },
    coverage: gross === 0 ? null : pricedGross / gross,
    warnings: [...unpricedByTicker].map(([ticker, { line, day, count }]) => ({
      line,
      kind: 'price',
      detail: `${ticker} ${agree(count, 'has no price on', 'lacks prices, first on')} ${dayFromNumber(day)}, so it contributes 0 on ${plural(count, 'day')}`,
    })),
  }
}

type Cells = WeightsContent['days'][number]['cells']

/** Computes the two-way turnover between two days. */
function turnover(before: Cells, after: Cells): number {
  const weightByTicker = new Map(before.map(({ ticker, weight }) => [ticker, weight]))
  let traded = 0
  for (const { ticker, weight } of after) {
    traded += Math.abs(weight - (weightByTicker.get(ticker) ?? 0))
    weightByTicker.delete(ticker)
  }
  for (const weight of weightByTicker.values()) traded += Math.abs(weight)
  return traded
}
