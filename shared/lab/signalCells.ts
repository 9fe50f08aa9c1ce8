import { ValueSorter } from '#shared/statistics/orderValues.ts'
import { TIMES_PER_CHECKPOINT, type Checkpoint, noCheckpoint } from './checkpoint.ts'
import type { Matrix } from './panelFormula.ts'
import { type CellRows, type StudyMatrix, type StudyPanel, type TimeBlock, timeBlocks } from './studyPanel.ts'

/** Values of a signal study's formulas on its panel. */
interface SignalMatrices {
  signal: StudyMatrix
  /** Positive prices; NaN if missing. */
  price: StudyMatrix
}

/** Cells of a signal study in a block of times, as far as they do not depend on the horizon. */
export interface SignalBlock extends TimeBlock {
  /** Number of grid times in the study. */
  timeCount: number
  symbolCount: number
  signal: Matrix
  /** Prices from the first time of the block to the last exit of its last time. */
  price: Matrix
  /**
   * Members with a signal at each time, sorted by the signal; the members at time t start at `(t − from) · symbols`.
   */
  ranked: Int32Array
  /** Number of members with a signal, by time. */
  rankedCounts: Int32Array
  /** Throws once the study is cancelled; every loop over the cells calls it. */
  checkpoint: Checkpoint
}

/**
 * Reads the cells of a signal study block by block, and sorts the signal once, because every horizon needs the same
 * order.
 */
export class SignalBlocks {
  /** Number of cells read so far that are excluded whatever the horizon. */
  readonly lost = { notMember: 0, noRow: 0, warmUp: 0, noSignal: 0 }
  readonly #panel: StudyPanel
  readonly #matrices: SignalMatrices
  readonly #checkpoint: Checkpoint
  readonly #isWarm: Uint8Array
  readonly #sorter: ValueSorter
  #presentCount = 0

  constructor(panel: StudyPanel, matrices: SignalMatrices, checkpoint: Checkpoint = noCheckpoint) {
    const width = panel.symbols.length
    this.#panel = panel
    this.#matrices = matrices
    this.#checkpoint = checkpoint
    this.#isWarm = new Uint8Array(width)
    this.#sorter = new ValueSorter(width)
  }

  /** @param reach number of times from a signal to the last price that it is compared with */
  *read(reach: number): Generator<SignalBlock> {
    const { timeCount, symbols } = this.#panel
    const width = symbols.length
    const size = Math.min(timeCount, this.#panel.blockTimes)
    const ranked = new Int32Array(size * width)
    const rankedCounts = new Int32Array(size)
    for (const { from, to } of timeBlocks(this.#panel)) {
      const signal = this.#matrices.signal.rows(from, to)
      this.#rank({ from, to }, signal, { ranked, rankedCounts })
      const price = this.#matrices.price.rows(from, Math.min(timeCount, to + reach))
      yield {
        from,
        to,
        timeCount,
        symbolCount: width,
        signal,
        price,
        ranked,
        rankedCounts,
        checkpoint: this.#checkpoint,
      }
    }
  }

  #rank(
    { from: firstTime, to }: TimeBlock,
    signal: Matrix,
    { ranked, rankedCounts }: Pick<SignalBlock, 'ranked' | 'rankedCounts'>,
  ): void {
    const width = this.#panel.symbols.length
    const hasRow = this.#panel.hasRow.rows(firstTime, to)
    const member = this.#panel.member?.rows(firstTime, to)
    const values = new Float64Array(width)
    const places = new Int32Array(width)
    const { lost } = this
    const isWarm = this.#isWarm
    for (let time = 0, from = 0; time < to - firstTime; time++, from += width) {
      if (time % TIMES_PER_CHECKPOINT === 0) this.#checkpoint()
      let count = 0
      for (let symbol = 0; symbol < width; symbol++) {
        const value = signal[from + symbol]
        const isPresent = value === value
        if (member && !member[from + symbol]) lost.notMember++
        else if (isPresent) {
          values[count] = value
          places[count++] = symbol
        } else if (!hasRow[from + symbol]) lost.noRow++
        else if (!isWarm[symbol]) lost.warmUp++
        else lost.noSignal++
        if (isPresent) isWarm[symbol] = 1
      }
      const order = this.#sorter.sort(values, count)
      for (let i = 0; i < count; i++) ranked[from + i] = places[order[i]]
      rankedCounts[time] = count
      this.#presentCount += count
    }
  }

  /** Frees the memory or disk space of the formulas' values. */
  close(): void {
    this.#matrices.signal.close()
    this.#matrices.price.close()
  }

  /** Counts the member cells, and how many of them have a signal. Call it only after all blocks are read. */
  coverage(): ValueCoverage {
    const { timeCount, symbols } = this.#panel
    return coverageOf(timeCount * symbols.length - this.lost.notMember, this.#presentCount)
  }
}

/** Share of the member cells that have a value. */
export interface ValueCoverage {
  /** Number of member cells. */
  members: number
  /** Number of member cells with a value. */
  present: number
  share: number | null
}

export const coverageOf = (members: number, present: number): ValueCoverage => ({
  members,
  present,
  share: members === 0 ? null : present / members,
})

/** Keeps positive prices; the others are missing. */
export function onlyPositivePrices(price: Matrix): Matrix {
  const positivePrices = new Float64Array(price.length)
  for (let cell = 0; cell < price.length; cell++) positivePrices[cell] = price[cell] > 0 ? price[cell] : NaN
  return positivePrices
}

/** Counts every cell of a study with one formula by its reason for exclusion. */
export function valueAttrition(panel: StudyPanel, matrix: CellRows<Float64Array>) {
  const attrition = { cells: panel.timeCount * panel.symbols.length, notMember: 0, noValue: 0, used: 0 }
  for (const { from, to } of timeBlocks(panel)) {
    const values = matrix.rows(from, to)
    const member = panel.member?.rows(from, to)
    for (let cell = 0; cell < values.length; cell++) {
      if (member && !member[cell]) attrition.notMember++
      else if (Number.isNaN(values[cell])) attrition.noValue++
      else attrition.used++
    }
  }
  return attrition
}
