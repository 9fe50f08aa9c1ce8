import { RankCorrelator } from './correlations.ts'
import type { CrossSectionCells } from './crossSections.ts'
import { type StudyGrid, timeAt } from './panel.ts'
import { sampleMomentsOf } from './samples.ts'
import type { StudyBreakdown } from './kinds/sourceFields.ts'
import { type DailyValues, lastBefore } from './universe.ts'

/** Optional breakdowns of the rank IC that a study requests, with the values they need. */
export interface BreakdownInput extends StudyBreakdown {
  /** Values of the risk regime by day; null if no regime is requested. */
  regimeValues: DailyValues | null
}

/** Mean and sample standard deviation of the rank ICs of one regime or symbol group. */
interface KeyedMoments<Key> {
  key: Key
  n: number
  mean: number | null
  sd: number | null
}

/** Results of the optional breakdowns. */
interface BreakdownResult {
  byRegime?: KeyedMoments<number>[]
  byGroup?: KeyedMoments<string>[]
}

/** Collects the rank IC of one horizon by regime and by symbol group. */
export class BreakdownCollector {
  readonly #panel: StudyGrid
  readonly #breakdowns: BreakdownInput
  readonly #groups: { key: string; isIn: Uint8Array; coefficients: number[] }[]
  readonly #correlator: RankCorrelator
  readonly #x: Float64Array
  readonly #y: Float64Array

  constructor(panel: StudyGrid, breakdowns: BreakdownInput) {
    this.#panel = panel
    this.#breakdowns = breakdowns
    const width = panel.symbols.length
    this.#correlator = new RankCorrelator(width)
    this.#x = new Float64Array(width)
    this.#y = new Float64Array(width)
    this.#groups = Object.entries(breakdowns.groups ?? {}).map(([key, symbols]) => {
      const groupSymbols = new Set(symbols)
      const isIn = Uint8Array.from(panel.symbols, (name) =>
        Number(groupSymbols.has(name) || groupSymbols.has(name.slice(name.indexOf('/') + 1))),
      )
      return { key, isIn, coefficients: [] }
    })
  }

  /** Adds the rank correlation of signal and return within each symbol group at a valid time. */
  add({ count, symbols, signal, returns }: CrossSectionCells): void {
    for (const { isIn, coefficients } of this.#groups) {
      let memberCount = 0
      for (let i = 0; i < count; i++) {
        if (!isIn[symbols[i]]) continue
        this.#x[memberCount] = signal[i]
        this.#y[memberCount++] = returns[i]
      }
      const coefficient = memberCount < 2 ? NaN : this.#correlator.spearmanOfAscending(this.#x, this.#y, memberCount)
      if (!Number.isNaN(coefficient)) coefficients.push(coefficient)
    }
  }

  /** @param rank rank IC by time, NaN if there is none */
  result(rank: Float64Array): BreakdownResult {
    const { regime, groups } = this.#breakdowns
    return {
      ...(regime && { byRegime: this.#byRegime(rank, regime.cuts) }),
      ...(groups && {
        byGroup: this.#groups.map(({ key, coefficients }) => ({
          key,
          ...sampleMomentsOf(Float64Array.from(coefficients)),
        })),
      }),
    }
  }

  /**
   * Groups times by the number of cuts that the last regime value before their day reaches; times without such a value
   * are left out.
   */
  #byRegime(rank: Float64Array, cuts: readonly number[]): KeyedMoments<number>[] {
    const { days, values } = this.#breakdowns.regimeValues ?? { days: new Int32Array(0), values: new Float64Array(0) }
    const coefficientsByKey = new Map<number, number[]>()
    rank.forEach((coefficient, time) => {
      if (Number.isNaN(coefficient)) return
      const at = lastBefore(days, timeAt(this.#panel, time))
      if (at < 0) return
      const key = cuts.filter((cut) => cut <= values[at]).length
      const coefficients = coefficientsByKey.get(key) ?? []
      coefficients.push(coefficient)
      coefficientsByKey.set(key, coefficients)
    })
    return [...coefficientsByKey]
      .sort(([a], [b]) => a - b)
      .map(([key, coefficients]) => ({ key, ...sampleMomentsOf(Float64Array.from(coefficients)) }))
  }
}
