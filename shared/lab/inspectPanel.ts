import { leastCells } from './crossSections.ts'
import { type Panel, timeAt } from './panel.ts'
import { type ColumnRules, evaluateOnPanel, type Matrix } from './panelFormula.ts'
import { findEvents } from './eventStudy.ts'
import { assignGroups } from './quantileGroups.ts'
import { coverageOf, positive } from './signalCells.ts'
import { type EventStudy, formulasOf, type SignalStudy, type Study, StudyError } from './studyDocument.ts'

/** Reasons for which a cell of a signal study is lost, in the order in which they are looked for. */
export const lostReasons = [
  'notMember',
  'noRow',
  'warmUp',
  'noSignal',
  'noEntryPrice',
  'noExitPrice',
  'beyondEnd',
  'thinTime',
] as const
export type CellReason = (typeof lostReasons)[number] | 'used'

/** One symbol at one time of a signal study. */
export interface SectionRow {
  symbol: string
  reason: CellReason
  /** Quantile group, 1 for the lowest signal; null for a cell that is not used. */
  group: number | null
  signal: number | null
  entry: number | null
  exit: number | null
  change: number | null
}

/** Every symbol at one time of a study; entry, exit and return are those of a signal study. */
export interface Section {
  timeMs: number
  entryMs: number
  exitMs: number
  rows: SectionRow[]
}

/** Values of the formulas of a study, by field. */
export type StudyMatrices = ReadonlyMap<string, Matrix>

export const evaluateStudy = (panel: Panel, study: Study, rules?: ColumnRules): StudyMatrices =>
  new Map(formulasOf(study).map(({ field, formula }) => [field, evaluateOnPanel(panel, field, formula, rules)]))

const orNull = (value: number | undefined): number | null => (value === undefined || Number.isNaN(value) ? null : value)

/** Finds the row of the grid nearest to a time. */
function rowOfTime({ firstSlot, intervalMs, times }: Panel, timeMs: number): number {
  return Math.max(0, Math.min(times - 1, Math.round(timeMs / intervalMs) - firstSlot))
}

/** Lists every symbol at the row nearest to a time, with the first reason for which it is lost. */
export function sectionOf(
  panel: Panel,
  study: SignalStudy,
  matrices: StudyMatrices,
  at: { horizon: number; timeMs: number },
): Section {
  const time = rowOfTime(panel, at.timeMs)
  const entryTime = time + study.delayBars
  const rows = sectionRows(panel, matrices, { time, entryTime, exitTime: entryTime + at.horizon })
  assignSectionGroups(rows, study.quantiles)
  return {
    timeMs: timeAt(panel, time),
    entryMs: timeAt(panel, entryTime),
    exitMs: timeAt(panel, entryTime + at.horizon),
    rows,
  }
}

/** Lists the value of every symbol at the row nearest to a time, for a study without entries. */
export function valueSectionOf(panel: Panel, matrices: StudyMatrices, timeMs: number): Section {
  const time = rowOfTime(panel, timeMs)
  const values = matrixOf(matrices, 'value')
  const atMs = timeAt(panel, time)
  const rows = panel.symbols.map((symbol, place) => ({
    symbol,
    reason: lostBeforeReturn(panel, values, time, place) ?? ('used' as const),
    group: null,
    signal: orNull(values[time * panel.symbols.length + place]),
    entry: null,
    exit: null,
    change: null,
  }))
  return { timeMs: atMs, entryMs: atMs, exitMs: atMs, rows }
}

interface SectionTimes {
  time: number
  entryTime: number
  exitTime: number
}

function sectionRows(panel: Panel, matrices: StudyMatrices, at: SectionTimes): SectionRow[] {
  const { symbols, times } = panel
  const width = symbols.length
  const signal = matrixOf(matrices, 'signal')
  const price = positive(matrixOf(matrices, 'price'))
  const priceAt = (time: number, place: number) => (time < times ? price[time * width + place] : NaN)
  return symbols.map((symbol, place) => {
    const value = signal[at.time * width + place]
    const [entry, exit] = [priceAt(at.entryTime, place), priceAt(at.exitTime, place)]
    const change = exit / entry - 1
    const reason = lostBeforeReturn(panel, signal, at.time, place) ?? lostReturn(times, at, entry, change)
    return {
      symbol,
      reason: reason ?? 'used',
      group: null,
      signal: orNull(value),
      entry: orNull(entry),
      exit: orNull(exit),
      change: Number.isFinite(change) ? change : null,
    }
  })
}

const matrixOf = (matrices: StudyMatrices, field: string): Matrix => matrices.get(field) ?? new Float64Array(0)

/** Finds why a cell has no usable signal; null where it has one. */
function lostBeforeReturn(
  { symbols: { length: width }, hasRow, member }: Panel,
  signal: Matrix,
  time: number,
  symbol: number,
): CellReason | null {
  const cell = time * width + symbol
  if (member && !member[cell]) return 'notMember'
  if (!Number.isNaN(signal[cell])) return null
  if (!hasRow[cell]) return 'noRow'
  for (let before = cell - width; before >= 0; before -= width) if (!Number.isNaN(signal[before])) return 'noSignal'
  return 'warmUp'
}

function lostReturn(times: number, { entryTime, exitTime }: SectionTimes, entry: number, change: number) {
  if (entryTime >= times) return 'beyondEnd'
  if (Number.isNaN(entry)) return 'noEntryPrice'
  if (exitTime >= times) return 'beyondEnd'
  return Number.isFinite(change) ? null : 'noExitPrice'
}

/** Marks a thin time, or assigns the quantile groups of the complete cells. */
function assignSectionGroups(rows: SectionRow[], quantiles: number): void {
  const complete = rows
    .map((row, symbol) => ({ row, symbol }))
    .filter(({ row }) => row.reason === 'used')
    .sort((a, b) => (a.row.signal ?? 0) - (b.row.signal ?? 0))
  if (complete.length < leastCells(quantiles)) {
    for (const { row } of complete) row.reason = 'thinTime'
    return
  }
  const { ofSymbol } = assignGroups(
    {
      time: 0,
      count: complete.length,
      symbols: Int32Array.from(complete, ({ symbol }) => symbol),
      signal: Float64Array.from(complete, ({ row }) => row.signal ?? NaN),
      returns: Float64Array.from(complete, ({ row }) => row.change ?? NaN),
    },
    quantiles,
    rows.length,
  )
  for (const { row, symbol } of complete) row.group = ofSymbol[symbol]
}

/** Largest number of events whose single paths are drawn. */
const MOST_PATHS = 500

/** Single paths around events, evenly drawn from all of them. */
export interface EventPaths {
  offsets: number[]
  paths: { timeMs: number; symbol: string; values: (number | null)[] }[]
  /** Number of events of the study. */
  events: number
}

/** Computes the path of single events, without the adjustment for the market. */
export function eventPathsOf(panel: Panel, study: EventStudy, matrices: StudyMatrices): EventPaths {
  const price = positive(matrixOf(matrices, 'price'))
  const { events } = findEvents(panel, study, matrixOf(matrices, 'when'), price)
  const offsets = Array.from({ length: study.before + study.after + 1 }, (_, at) => at - study.before)
  const every = Math.max(1, Math.ceil(events.length / MOST_PATHS))
  const width = panel.symbols.length
  const paths = events
    .filter((_, at) => at % every === 0)
    .map(({ time, symbol }) => {
      const entry = time + study.delayBars
      const paid = price[entry * width + symbol]
      const values = offsets.map((offset) => {
        const row = entry + offset
        return row < 0 || row >= panel.times ? null : orNull(price[row * width + symbol] / paid - 1)
      })
      return { timeMs: timeAt(panel, time), symbol: panel.symbols[symbol], values }
    })
  return { offsets, paths, events: events.length }
}

/** Rows of one symbol: its columns, the values of the formulas, and whether it is a member. */
export interface SymbolRows {
  times: number[]
  columns: { name: string; isFormula: boolean; values: (number | null)[] }[]
  hasRow: boolean[]
  member: boolean[]
  /** Number of rows that the range has beyond those given. */
  left: number
}

const MOST_ROWS = 5000

/** Reads the rows of a symbol with a time in [startMs, endMs). */
export function symbolRowsOf(
  panel: Panel,
  matrices: StudyMatrices,
  { symbol, startMs, endMs }: { symbol: string; startMs: number; endMs: number },
): SymbolRows {
  const place = panel.symbols.indexOf(symbol)
  if (place < 0) throw new StudyError('symbol', `${symbol} is not a symbol of the panel.`)
  const { firstSlot, intervalMs, times, symbols, hasRow, member } = panel
  const from = Math.max(0, Math.ceil(startMs / intervalMs) - firstSlot)
  const to = Math.min(times, Math.ceil(endMs / intervalMs) - firstSlot)
  const rows = Array.from({ length: Math.max(0, Math.min(MOST_ROWS, to - from)) }, (_, at) => from + at)
  const cellOf = (time: number) => time * symbols.length + place
  const columns = [...panel.columns].map(([name, { values, valid }]) => ({
    name,
    isFormula: false,
    values: rows.map((time) => (valid[place * times + time] ? values[place * times + time] : null)),
  }))
  const formulas = [...matrices].map(([name, matrix]) => ({
    name,
    isFormula: true,
    values: rows.map((time) => orNull(matrix[cellOf(time)])),
  }))
  return {
    times: rows.map((time) => timeAt(panel, time)),
    columns: [...formulas, ...columns],
    hasRow: rows.map((time) => hasRow[cellOf(time)] === 1),
    member: rows.map((time) => !member || member[cellOf(time)] === 1),
    left: Math.max(0, to - from - rows.length),
  }
}

/** Members and present values by time; a long study is summed up over equal numbers of bars. */
export interface TimeCoverage {
  times: number[]
  members: number[]
  present: number[]
  share: number | null
  /** Number of bars in each entry. */
  bars: number
}

const MOST_TIMES = 2000

/** Counts the member cells of each time, and those with a value of the study's first formula. */
export function timeCoverageOf(panel: Panel, study: Study, matrices: StudyMatrices): TimeCoverage {
  const values = matrixOf(matrices, formulasOf(study)[0].field)
  const { times, symbols, member } = panel
  const width = symbols.length
  const bars = Math.max(1, Math.ceil(times / MOST_TIMES))
  const coverage: TimeCoverage = { times: [], members: [], present: [], share: coverageOf(panel, values).share, bars }
  for (let start = 0; start < times; start += bars) {
    const end = Math.min(times, start + bars)
    let members = 0
    let present = 0
    for (let cell = start * width; cell < end * width; cell++) {
      if (member && !member[cell]) continue
      members++
      if (!Number.isNaN(values[cell])) present++
    }
    coverage.times.push(timeAt(panel, start))
    coverage.members.push(members / (end - start))
    coverage.present.push(present / (end - start))
  }
  return coverage
}
