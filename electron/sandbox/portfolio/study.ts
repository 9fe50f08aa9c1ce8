import type { DailyMarket } from '../market/daily.ts'
import { WORLD_START } from '../market/days.ts'
import { Memo } from '../market/memo.ts'
import { findFactor, writeFactor } from './factors.ts'
import { createPanel, type FactorPanel } from './panel.ts'
import { createReturns, priceReturn } from './portfolioReturns.ts'
import type { PortfolioDefinition, UniverseSize } from './templates.ts'
import { type Constraint, createMembership } from './universe.ts'
import { smoothWeights, WeightMaker } from './weights.ts'

/** Rows of values by ticker, one per day from day `start` of the panel on. */
interface DailyRows {
  start: number
  rows: readonly Float64Array[]
}

/** A portfolio with the parameters of a request that change its weights. */
export interface PortfolioVariant {
  portfolio: PortfolioDefinition
  constraint: Constraint
  smoothing: number
}

/**
 * Results computed once for all days up to a horizon. Callers cut off days beyond the clock; no value depends on a
 * later day.
 */
export class MarketStudy {
  readonly market: DailyMarket
  readonly panel: FactorPanel
  readonly #factors = new Memo<string, readonly Float64Array[]>(4)
  readonly #members = new Memo<string, Uint8Array>(12)
  readonly #raw = new Memo<string, DailyRows>(2)
  readonly #weights = new Memo<string, DailyRows>(3)
  readonly #returns = new Memo<string, Float64Array>(24)
  #marketReturns: Float64Array | null = null

  /** @param endDay first day after the study */
  constructor(market: DailyMarket, endDay: number) {
    this.market = market
    this.panel = createPanel(market, WORLD_START, endDay)
  }

  /** Returns the row of a day in the panel. */
  indexOf(day: number): number {
    return day - this.panel.startDay
  }

  /** Computes a factor's value for every ticker, one row per day of the panel. */
  factorRows(id: string): readonly Float64Array[] {
    return this.#factors.get(id, () => {
      const factor = findFactor(id)
      if (!factor) throw new RangeError(`no factor ${id}`)
      const rows = createRows(this.panel.dayCount, this.panel.tickers.length)
      rows.forEach((row, i) => writeFactor(factor, this.panel.series, i, row))
      return rows
    })
  }

  /** Marks the tickers of the universe with 1, row by row. */
  members(size: UniverseSize, constraint: Constraint): Uint8Array {
    return this.#members.get(`${size} ${constraint?.id}`, () =>
      createMembership(this.market.seed, this.panel, size, constraint),
    )
  }

  membersOn(size: UniverseSize, constraint: Constraint, i: number): Uint8Array {
    const width = this.panel.tickers.length
    return i < 0 ? new Uint8Array(width) : this.members(size, constraint).subarray(i * width, (i + 1) * width)
  }

  /** Computes the weights before smoothing, from the first day with weights. */
  rawWeights(portfolio: PortfolioDefinition, constraint: Constraint): DailyRows {
    return this.#raw.get(`${portfolio.id} ${constraint?.id}`, () => {
      const { template, size } = portfolio
      const parts = template.parts.map(({ factor }) => this.factorRows(factor))
      const rows = createRows(this.panel.dayCount, this.panel.tickers.length)
      const maker = new WeightMaker(template, this.panel.tickers.length)
      rows.forEach((row, i) => {
        const factorRows = parts.map((part) => part[i])
        maker.writeWeights(factorRows, this.membersOn(size, constraint, i), row)
      })
      const first = rows.findIndex((row) => row.some((weight) => weight !== 0))
      return { start: first < 0 ? rows.length : first, rows: first < 0 ? [] : rows.slice(first) }
    })
  }

  weights({ portfolio, constraint, smoothing }: PortfolioVariant): DailyRows {
    return this.#weights.get(`${portfolio.id} ${constraint?.id} ${smoothing}`, () => {
      const raw = this.rawWeights(portfolio, constraint)
      const rows = createRows(raw.rows.length, this.panel.tickers.length)
      rows.forEach((row, k) => {
        const from = Math.max(0, k + 1 - Math.max(1, smoothing))
        smoothWeights(raw.rows, from, k + 1, (ticker) => this.isTrading(ticker, raw.start + k), row)
      })
      return { start: raw.start, rows }
    })
  }

  isTrading(ticker: number, i: number): boolean {
    return this.panel.series[ticker].close[i] > 0
  }

  /** Computes the returns of a portfolio; the first one is for the day after the first weights. */
  returns(variant: PortfolioVariant): Float64Array {
    return this.#returns.get(`${variant.portfolio.id} ${variant.constraint?.id} ${variant.smoothing}`, () => {
      const { start, rows } = this.weights(variant)
      return createReturns(rows, this.panel, start)
    })
  }

  /**
   * Computes the returns of the market, the 20 largest assets equally weighted; the first one is for the panel's second
   * day.
   */
  marketReturns(): Float64Array {
    this.#marketReturns ??= Float64Array.from({ length: this.panel.dayCount - 1 }, (_, k) =>
      priceReturn(this.marketWeights(k), this.panel, k + 1),
    )
    return this.#marketReturns
  }

  marketWeights(i: number): Float64Array {
    const weights = Float64Array.from(this.membersOn(20, null, i))
    const count = weights.reduce((sum, weight) => sum + weight, 0)
    return weights.map((weight) => (count > 0 ? weight / count : 0))
  }
}

/** Creates `count` rows of `width` zeros in one block of memory. */
function createRows(count: number, width: number): Float64Array[] {
  const values = new Float64Array(count * width)
  return Array.from({ length: count }, (_, i) => values.subarray(i * width, (i + 1) * width))
}
