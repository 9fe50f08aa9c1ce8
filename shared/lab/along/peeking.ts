import { type StudyWarning, warning } from '../studyWarnings.ts'
import { CellCorrelations } from './cellCorrelations.ts'
import { returnsAhead } from './lookAhead.ts'
import type { SymbolCells } from './symbolCells.ts'

const SUSPICIOUS_IC = 0.9
const LEAST_CELLS = 30
const LEAST_EQUAL_RETURNS = 3

/** Detects signals of single symbols that know the return that follows them. */
export class AlongGuard {
  readonly #horizons: readonly number[]
  readonly #delays: readonly number[]
  #tellsTooWell: string | null = null
  #equals: string | null = null

  constructor({ horizons, delayBars }: { horizons: readonly number[]; delayBars: number }) {
    this.#horizons = horizons
    this.#delays = [...new Set([0, delayBars])]
  }

  /** @param bySignal times at which the symbol is a member with a signal, in ascending order of the signal */
  add(cells: SymbolCells, bySignal: Int32Array): void {
    if (this.#tellsTooWell === null && tellsTooWell(cells, bySignal, this.#horizons[0]))
      this.#tellsTooWell = cells.symbol
    if (this.#equals === null && this.#equalsReturn(cells)) this.#equals = cells.symbol
  }

  warnings(): StudyWarning[] {
    return [
      ...(this.#tellsTooWell === null ? [] : [warning('peek-ic', `It is so for ${this.#tellsTooWell}.`)]),
      ...(this.#equals === null ? [] : [warning('peek-equal', `It is so for ${this.#equals}.`)]),
    ]
  }

  #equalsReturn(cells: SymbolCells): boolean {
    return this.#horizons.some((horizon) =>
      this.#delays.some((delay) => equalReturns(cells, delay, horizon) >= LEAST_EQUAL_RETURNS),
    )
  }
}

/** Tells whether, without a delay, the rank correlation with the return is too good to be true. */
function tellsTooWell({ values, price }: SymbolCells, bySignal: Int32Array, horizon: number): boolean {
  const correlations = new CellCorrelations(values, returnsAhead(price, 0, horizon), bySignal)
  if (correlations.count < LEAST_CELLS) return false
  return Math.abs(correlations.correlation().spearman ?? 0) > SUSPICIOUS_IC
}

/** Counts the returns that equal the signal; −1 if one differs. */
function equalReturns({ values, price, isOpen, timeCount }: SymbolCells, delay: number, horizon: number): number {
  let equal = 0
  for (let time = 0; time + delay + horizon < timeCount; time++) {
    if (isOpen[time] === 0) continue
    const change = price[time + delay + horizon] / price[time + delay] - 1
    if (change - change !== 0) continue
    if (!(Math.abs(values[time] - change) <= 1e-12 + 1e-9 * Math.abs(change))) return -1
    equal++
  }
  return equal
}
