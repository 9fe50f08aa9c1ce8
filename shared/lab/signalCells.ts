import { ValueOrder } from '#shared/statistics/orderValues.ts'
import { CHECKED_TIMES, type Checkpoint, neverCancelled } from './checkpoint.ts'
import type { Panel } from './panel.ts'
import type { Matrix } from './panelFormula.ts'

/** Cells of a signal study that do not depend on the horizon. */
export interface SignalCells {
  times: number
  symbols: number
  signal: Matrix
  /** Prices above 0; NaN where there is none. */
  price: Matrix
  /** Symbols of the members that have a signal, in ascending order of it; those of time t begin at `t · symbols`. */
  ranked: Int32Array
  /** Number of members that have a signal, by time. */
  rankedCount: Int32Array
  /** Number of cells that are lost whatever the horizon is. */
  lost: { notMember: number; noRow: number; warmUp: number; noSignal: number }
  /** Throws once the study is cancelled; every walk over the cells calls it. */
  checkpoint: Checkpoint
}

/** Sorts the signal of every time once, because every horizon needs the same order. */
export function signalCellsOf(
  { times, symbols: { length: symbols }, hasRow, member }: Panel,
  signal: Matrix,
  price: Matrix,
  checkpoint: Checkpoint = neverCancelled,
) {
  const ranked = new Int32Array(times * symbols)
  const rankedCount = new Int32Array(times)
  const lost = { notMember: 0, noRow: 0, warmUp: 0, noSignal: 0 }
  const isWarm = new Uint8Array(symbols)
  const sorter = new ValueOrder(symbols)
  const values = new Float64Array(symbols)
  const places = new Int32Array(symbols)
  for (let time = 0, from = 0; time < times; time++, from += symbols) {
    if (time % CHECKED_TIMES === 0) checkpoint()
    let count = 0
    for (let symbol = 0; symbol < symbols; symbol++) {
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
    const order = sorter.sort(values, count)
    for (let i = 0; i < count; i++) ranked[from + i] = places[order[i]]
    rankedCount[time] = count
  }
  return { times, symbols, signal, price: positive(price), ranked, rankedCount, lost, checkpoint } satisfies SignalCells
}

/** Keeps the prices above 0; the others are missing. */
export function positive(price: Matrix): Matrix {
  const kept = new Float64Array(price.length)
  for (let cell = 0; cell < price.length; cell++) kept[cell] = price[cell] > 0 ? price[cell] : NaN
  return kept
}

/** Counts the member cells, and those among them that have a value. */
export function coverageOf({ times, symbols, member }: Panel, values: Matrix) {
  const cells = times * symbols.length
  let members = 0
  let present = 0
  for (let cell = 0; cell < cells; cell++) {
    if (member !== null && member[cell] === 0) continue
    const value = values[cell]
    members++
    if (value === value) present++
  }
  return { members, present, share: members === 0 ? null : present / members }
}
