import { coverageOf, type ValueCoverage } from '../signalCells.ts'
import type { CellRows, StudyPanel } from '../studyPanel.ts'

/** Values of one symbol of a study along time. */
export interface SymbolCells {
  symbol: string
  timeCount: number
  /** Values of the study's formula, NaN if missing, also at times at which the symbol is no member. */
  values: Float64Array
  /** Positive prices, NaN if missing. */
  price: Float64Array
  /** Flags of the times: 1 if the symbol is a member and has a value. */
  isOpen: Uint8Array
  /** Number of cells that are excluded whatever the horizon. */
  lost: { notMember: number; noRow: number; warmUp: number; noSignal: number }
  coverage: ValueCoverage
}

interface AlongMatrices {
  values: CellRows<Float64Array>
  price: CellRows<Float64Array>
}

/** Reads a symbol, and counts the cells in which it is no member or has no value. */
export function readSymbol(panel: StudyPanel, matrices: AlongMatrices, place: number): SymbolCells {
  const { timeCount, symbols } = panel
  const values = matrices.values.symbol(place)
  const hasRow = panel.hasRow.symbol(place)
  const members = panel.member?.symbol(place)
  const isOpen = new Uint8Array(timeCount)
  const lost = { notMember: 0, noRow: 0, warmUp: 0, noSignal: 0 }
  let present = 0
  let isWarm = false
  for (let time = 0; time < timeCount; time++) {
    const isPresent = values[time] === values[time]
    if (members && members[time] === 0) lost.notMember++
    else if (isPresent) {
      isOpen[time] = 1
      present++
    } else if (hasRow[time] === 0) lost.noRow++
    else if (isWarm) lost.noSignal++
    else lost.warmUp++
    if (isPresent) isWarm = true
  }
  const coverage = coverageOf(timeCount - lost.notMember, present)
  return { symbol: symbols[place], timeCount, values, price: matrices.price.symbol(place), isOpen, lost, coverage }
}

/** Lists the times at which a symbol is a member and has a value, ascending. */
export function openTimes(isOpen: Uint8Array): Int32Array {
  const times = new Int32Array(isOpen.length)
  let count = 0
  for (let time = 0; time < isOpen.length; time++) if (isOpen[time] === 1) times[count++] = time
  return times.slice(0, count)
}

/** Used cells of one symbol and horizon, and the number of the others by reason. */
export interface UsedCells {
  attrition: SymbolCells['lost'] & {
    cells: number
    noEntryPrice: number
    noExitPrice: number
    beyondEnd: number
    used: number
  }
  /** Times of the used cells, ascending. */
  times: Int32Array
  /** Flags of the times: 1 for a sample that overlaps no other, counted from the first used cell. */
  isSample: Uint8Array
}

interface Entry {
  delay: number
  horizon: number
  /** Returns by the time of the signal, NaN if there is none. */
  returns: Float64Array
}

/** Counts each cell of a symbol once, under the first reason that applies. */
export function usedCells(
  { timeCount, price, isOpen, lost }: SymbolCells,
  { delay, horizon, returns }: Entry,
): UsedCells {
  const counts = { noEntryPrice: 0, noExitPrice: 0, beyondEnd: 0, used: 0 }
  const times = new Int32Array(timeCount)
  const isSample = new Uint8Array(timeCount)
  for (let time = 0; time < timeCount; time++) {
    if (isOpen[time] === 0) continue
    const entry = time + delay
    if (returns[time] === returns[time]) {
      times[counts.used++] = time
      isSample[time] = (time - times[0]) % horizon === 0 ? 1 : 0
    } else if (entry >= timeCount) counts.beyondEnd++
    else if (price[entry] !== price[entry]) counts.noEntryPrice++
    else if (entry + horizon >= timeCount) counts.beyondEnd++
    else counts.noExitPrice++
  }
  const { notMember, noRow, warmUp, noSignal } = lost
  const { noEntryPrice, noExitPrice, beyondEnd, used } = counts
  const reasons = { notMember, noRow, warmUp, noSignal, noEntryPrice, noExitPrice, beyondEnd, used }
  return { attrition: { cells: timeCount, ...reasons }, times: times.slice(0, used), isSample }
}
