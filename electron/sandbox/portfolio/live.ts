import { Memo } from '../market/memo.ts'
import { factorOn, findFactor } from './factors.ts'
import { createLivePanel, type Panel } from './panel.ts'
import { priceReturn } from './portfolioReturns.ts'
import type { Holding, Study } from './study.ts'
import { smoothedWeights, weightsOfDay } from './weights.ts'

/** The running day as it stands at a full hour, on top of the end-of-day values before it. */
export class LiveView {
  readonly #study: Study
  readonly #panel: Panel
  readonly #factors = new Memo<string, Float64Array>(32)
  /** The running day's place in rows of the study. */
  readonly today: number

  constructor(study: Study, day: number, hour: number) {
    this.#study = study
    this.#panel = createLivePanel(study.market, day, hour)
    this.today = study.indexOf(day)
  }

  factorRow(id: string): Float64Array {
    return this.#factors.get(id, () => {
      const factor = findFactor(id)
      if (!factor) throw new RangeError(`no factor ${id}`)
      return factorOn(factor, this.#panel.series, this.#panel.dayCount - 1)
    })
  }

  weights({ portfolio, constraint, smoothing }: Holding): Float64Array {
    const { template, size } = portfolio
    const factorRows = template.parts.map(({ factor }) => this.factorRow(factor))
    const row = weightsOfDay(template, factorRows, this.#study.isMember(size, constraint, this.today))
    const { start, rows } = this.#study.rawWeights(portfolio, constraint)
    const count = Math.max(0, this.today - start)
    const before = rows.slice(Math.max(0, count + 1 - Math.max(1, smoothing)), count)
    return smoothedWeights([...before, row], (ticker) => this.#study.isTrading(ticker, this.today))
  }

  /** What the running day has brought so far to weights of the day before. */
  returnOf(weights: Float64Array): number {
    return priceReturn(weights, this.#panel, this.#panel.dayCount - 1)
  }
}
