import { Memo } from '../market/memo.ts'
import { findFactor, writeFactor } from './factors.ts'
import { createLivePanel, type FactorPanel } from './panel.ts'
import { priceReturn } from './portfolioReturns.ts'
import type { PortfolioVariant, MarketStudy } from './study.ts'
import { smoothWeights, WeightMaker } from './weights.ts'

/** Values of the current day at the start of an hour; they continue the end-of-day values of the days before. */
export class LiveView {
  readonly #study: MarketStudy
  readonly #panel: FactorPanel
  readonly #factors = new Memo<string, Float64Array>(32)
  /** Number of the current day's row in the study. */
  readonly todayRow: number

  constructor(study: MarketStudy, day: number, hour: number) {
    this.#study = study
    this.#panel = createLivePanel(study.market, day, hour)
    this.todayRow = study.indexOf(day)
  }

  factorRow(id: string): Float64Array {
    return this.#factors.get(id, () => {
      const factor = findFactor(id)
      if (!factor) throw new RangeError(`no factor ${id}`)
      const row = new Float64Array(this.#panel.tickers.length)
      writeFactor(factor, this.#panel.series, this.#panel.dayCount - 1, row)
      return row
    })
  }

  weights({ portfolio, constraint, smoothing }: PortfolioVariant): Float64Array {
    const { template, size } = portfolio
    const factorRows = template.parts.map(({ factor }) => this.factorRow(factor))
    const width = this.#panel.tickers.length
    const row = new Float64Array(width)
    new WeightMaker(template, width).writeWeights(
      factorRows,
      this.#study.membersOn(size, constraint, this.todayRow),
      row,
    )
    const { start, rows } = this.#study.rawWeights(portfolio, constraint)
    const rowsBefore = rows.slice(0, Math.max(0, this.todayRow - start))
    const from = Math.max(0, rowsBefore.length + 1 - Math.max(1, smoothing))
    const smoothed = new Float64Array(width)
    const isTrading = (ticker: number) => this.#study.isTrading(ticker, this.todayRow)
    smoothWeights([...rowsBefore, row], from, rowsBefore.length + 1, isTrading, smoothed)
    return smoothed
  }

  /** Computes the return of the current day so far, with the weights of the day before. */
  returnOf(weights: Float64Array): number {
    return priceReturn(weights, this.#panel, this.#panel.dayCount - 1)
  }
}
