import { leastCells } from './crossSections.ts'
import { type StudyGrid, timeAt } from './panel.ts'
import { alignSeries } from '#shared/formula/alignSeries.ts'
import { type ColumnRules, evaluateField } from './panelFormula.ts'
import { eventChanges, exclusionOfLast, findEvents } from './kinds/events/run.ts'
import { assignGroups } from './quantileGroups.ts'
import { coverageOf } from './signalCells.ts'
import { type Study, valueFormulasOf } from './kinds.ts'
import type { EventStudy } from './kinds/events/fields.ts'
import { type BucketQuery, type BucketTimes, bucketTimesOf } from './kinds/series/bucketTimes.ts'
import type { SeriesStudy } from './kinds/series/fields.ts'
import type { SignalStudy } from './kinds/signal/fields.ts'
import type { SpellsStudy } from './kinds/spells/fields.ts'
import { StudyError } from './studyError.ts'
import { type CellRows, type StudyMatrix, type StudyPanel, timeBlocks } from './studyPanel.ts'

/** Reasons for which a signal study excludes a cell. */
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

/** Reasons for which a cell of an event study is not an event, in addition to those of a signal study. */
type NoEventReason = 'notTrue' | 'notEdge' | 'cooldown'
type CellReason = (typeof lostReasons)[number] | NoEventReason | 'used'

/** One symbol at one time of a study. */
interface SectionRow {
  symbol: string
  reason: CellReason
  /** Quantile group, 1 for the lowest signal; null for an unused cell. */
  group: number | null
  signal: number | null
  entry: number | null
  exit: number | null
  change: number | null
}

/** All symbols of a study at one time. Studies other than signal studies leave group, exit and change null. */
export interface Section {
  timeMs: number
  entryMs: number
  exitMs: number
  rows: SectionRow[]
}

/** Values of the formulas of a study, by field. */
export type StudyMatrices = ReadonlyMap<string, StudyMatrix>

export const evaluateStudy = (panel: StudyPanel, study: Study, rules?: ColumnRules): StudyMatrices =>
  new Map(
    valueFormulasOf(study).map(({ field, formula }) => [
      field,
      evaluateField(panel, { field, formula, isPrice: field === 'price' }, rules),
    ]),
  )

const orNull = (value: number | undefined): number | null => (value === undefined || Number.isNaN(value) ? null : value)

/** Finds the grid row nearest to a time. */
function rowOfTime({ firstSlot, intervalMs, timeCount }: StudyGrid, timeMs: number): number {
  return Math.max(0, Math.min(timeCount - 1, Math.round(timeMs / intervalMs) - firstSlot))
}

/** Lists every symbol at the row nearest to a time, with the first reason for its exclusion. */
export function sectionOf(
  panel: StudyPanel,
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

/** Lists every symbol of a study along time at the row nearest to a time, without groups. */
export function alongSectionOf(
  panel: StudyPanel,
  study: SeriesStudy | SpellsStudy,
  matrices: StudyMatrices,
  at: { horizon: number; timeMs: number },
): Section {
  const time = rowOfTime(panel, at.timeMs)
  const entryTime = time + study.delayBars
  const exitTime = entryTime + at.horizon
  const field = study.kind === 'series' ? 'signal' : 'when'
  return {
    timeMs: timeAt(panel, time),
    entryMs: timeAt(panel, entryTime),
    exitMs: timeAt(panel, exitTime),
    rows: sectionRows(panel, matrices, { time, entryTime, exitTime }, field),
  }
}

/** Lists the times behind a bucket of a series. */
export const bucketTimesIn = (
  panel: StudyPanel,
  study: SeriesStudy,
  matrices: StudyMatrices,
  query: BucketQuery,
): BucketTimes =>
  bucketTimesOf(panel, study, { signal: matrixOf(matrices, 'signal'), price: matrixOf(matrices, 'price') }, query)

/** Lists the value of every symbol at the row nearest to a time, for studies without entries. */
export function valueSectionOf(panel: StudyPanel, matrices: StudyMatrices, timeMs: number): Section {
  const time = rowOfTime(panel, timeMs)
  const matrix = matrixOf(matrices, 'value')
  const values = matrix.rows(time, time + 1)
  const reasonOf = signalExclusionFinder(panel, matrix, time)
  const atMs = timeAt(panel, time)
  const rows = panel.symbols.map((symbol, place) => ({
    symbol,
    reason: reasonOf(values[place], place) ?? ('used' as const),
    group: null,
    signal: orNull(values[place]),
    entry: null,
    exit: null,
    change: null,
  }))
  return { timeMs: atMs, entryMs: atMs, exitMs: atMs, rows }
}

/** Lists the condition of an event study at the row nearest to a time, and why a cell is not an event. */
export function eventSectionOf(panel: StudyPanel, study: EventStudy, matrices: StudyMatrices, timeMs: number): Section {
  const { symbols, member } = panel
  const time = rowOfTime(panel, timeMs)
  const entryTime = time + study.delayBars
  const [whenMatrix, priceMatrix] = [matrixOf(matrices, 'when'), matrixOf(matrices, 'price')]
  const values = whenMatrix.rows(time, time + 1)
  const entries = entryTime < panel.timeCount ? priceMatrix.rows(entryTime, entryTime + 1) : null
  const exclusionOf = signalExclusionFinder(panel, whenMatrix, time)
  const reasonAt = (value: number, place: number): CellReason => {
    if (value === 0 || Number.isNaN(value)) return exclusionOf(value, place) ?? 'notTrue'
    const cells = { when: whenMatrix.symbol(place, 0, time + 1), member: member && member.symbol(place, 0, time + 1) }
    const exclusion = exclusionOfLast(study, cells)
    if (exclusion !== null) return exclusion
    if (entries === null) return 'beyondEnd'
    return Number.isNaN(entries[place]) ? 'noEntryPrice' : 'used'
  }
  const rows = symbols.map((symbol, place) => ({
    symbol,
    reason: reasonAt(values[place], place),
    group: null,
    signal: orNull(values[place]),
    entry: orNull(entries?.[place]),
    exit: null,
    change: null,
  }))
  const entryMs = timeAt(panel, entryTime)
  return { timeMs: timeAt(panel, time), entryMs, exitMs: entryMs, rows }
}

interface SectionTimes {
  time: number
  entryTime: number
  exitTime: number
}

function sectionRows(panel: StudyPanel, matrices: StudyMatrices, at: SectionTimes, field = 'signal'): SectionRow[] {
  const { symbols, timeCount } = panel
  const signalMatrix = matrixOf(matrices, field)
  const signal = signalMatrix.rows(at.time, at.time + 1)
  const reasonOf = signalExclusionFinder(panel, signalMatrix, at.time)
  const priceMatrix = matrixOf(matrices, 'price')
  const pricesAt = (time: number) =>
    time < timeCount ? priceMatrix.rows(time, time + 1).slice() : new Float64Array(symbols.length).fill(NaN)
  const [entries, exits] = [pricesAt(at.entryTime), pricesAt(at.exitTime)]
  return symbols.map((symbol, place) => {
    const value = signal[place]
    const [entry, exit] = [entries[place], exits[place]]
    const change = exit / entry - 1
    const reason = reasonOf(value, place) ?? returnExclusion(timeCount, at, entry, change)
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

function matrixOf(matrices: StudyMatrices, field: string): StudyMatrix {
  const matrix = matrices.get(field)
  if (!matrix) throw new Error(`The study has no formula ${field}.`)
  return matrix
}

/** Returns a function that tells why a symbol has no usable signal at the given time; null if it has one. */
function signalExclusionFinder({ hasRow, member }: StudyPanel, signal: CellRows<Float64Array>, time: number) {
  const rows = hasRow.rows(time, time + 1)
  const members = member?.rows(time, time + 1)
  return (value: number, symbol: number): CellReason | null => {
    if (members && !members[symbol]) return 'notMember'
    if (!Number.isNaN(value)) return null
    if (!rows[symbol]) return 'noRow'
    return signal.symbol(symbol, 0, time).some((before) => !Number.isNaN(before)) ? 'noSignal' : 'warmUp'
  }
}

function returnExclusion(timeCount: number, { entryTime, exitTime }: SectionTimes, entry: number, change: number) {
  if (entryTime >= timeCount) return 'beyondEnd'
  if (Number.isNaN(entry)) return 'noEntryPrice'
  if (exitTime >= timeCount) return 'beyondEnd'
  return Number.isFinite(change) ? null : 'noExitPrice'
}

/** Assigns the quantile groups of the complete cells, or marks these cells if the time has too few of them. */
function assignSectionGroups(rows: SectionRow[], quantiles: number): void {
  const completeCells = rows
    .map((row, symbol) => ({ row, symbol }))
    .filter(({ row }) => row.reason === 'used')
    .sort((a, b) => (a.row.signal ?? 0) - (b.row.signal ?? 0))
  if (completeCells.length < leastCells(quantiles)) {
    for (const { row } of completeCells) row.reason = 'thinTime'
    return
  }
  const { ofSymbol } = assignGroups(
    {
      time: 0,
      count: completeCells.length,
      symbols: Int32Array.from(completeCells, ({ symbol }) => symbol),
      signal: Float64Array.from(completeCells, ({ row }) => row.signal ?? NaN),
      returns: Float64Array.from(completeCells, ({ row }) => row.change ?? NaN),
    },
    quantiles,
    rows.length,
  )
  for (const { row, symbol } of completeCells) row.group = ofSymbol[symbol]
}

/** Maximum number of events whose own paths are drawn. */
const MOST_PATHS = 500

/** Paths around individual events, sampled evenly. */
export interface EventPaths {
  offsets: number[]
  paths: { timeMs: number; symbol: string; values: (number | null)[] }[]
  /** Number of events of the study. */
  events: number
}

/** Computes the paths of individual events, adjusted like the average. */
export function eventPathsOf(panel: StudyPanel, study: EventStudy, matrices: StudyMatrices): EventPaths {
  const [when, price] = [matrixOf(matrices, 'when'), matrixOf(matrices, 'price')]
  const { events } = findEvents(panel, study, { when, price })
  const offsets = Array.from({ length: study.before + study.after + 1 }, (_, at) => at - study.before)
  const every = Math.max(1, Math.ceil(events.times.length / MOST_PATHS))
  const isSampled = (_place: number, at: number) => at % every === 0
  const sampled = { times: events.times.filter(isSampled), symbols: events.symbols.filter(isSampled) }
  const paths = eventChanges(panel, study, price, sampled).map((values, at) => ({
    timeMs: timeAt(panel, sampled.times[at]),
    symbol: panel.symbols[sampled.symbols[at]],
    values,
  }))
  return { offsets, paths, events: events.times.length }
}

/** Rows of one symbol: its columns, the values of the formulas, and its membership. */
export interface SymbolRows {
  times: number[]
  columns: { name: string; isFormula: boolean; values: (number | null)[] }[]
  hasRow: boolean[]
  member: boolean[]
  /** Number of rows in the range beyond those returned. */
  left: number
}

/** Maximum number of rows returned for a symbol. */
const MOST_ROWS = 5000

/** Reads the rows of a symbol with a time in [startMs, endMs). */
export function symbolRowsOf(
  panel: StudyPanel,
  matrices: StudyMatrices,
  query: { symbol: string; startMs: number; endMs: number },
): SymbolRows {
  const { firstSlot, intervalMs, hasRow, member } = panel
  const { place, from, to } = cellsIn(panel, query)
  const end = Math.min(to, from + MOST_ROWS)
  const grid = { intervalMs, firstSlot: firstSlot + from, rows: end - from }
  const columns = panel.seriesNames.map((name) => {
    const series = panel.series(name, place)
    const { values, valid } = series ? alignSeries(series, grid) : { values: new Float64Array(0), valid: null }
    const columnValues = Array.from(values, (value, row) => (valid === null || valid[row] ? value : null))
    return { name, isFormula: false, values: columnValues }
  })
  const formulas = [...matrices].map(([name, matrix]) => ({
    name,
    isFormula: true,
    values: Array.from(matrix.symbol(place, from, end), orNull),
  }))
  const members = member?.symbol(place, from, end)
  return {
    times: Array.from({ length: end - from }, (_, row) => timeAt(panel, from + row)),
    columns: [...formulas, ...columns],
    hasRow: Array.from(hasRow.symbol(place, from, end), (one) => one === 1),
    member: Array.from({ length: end - from }, (_, row) => !members || members[row] === 1),
    left: to - end,
  }
}

/** The price of a symbol; in a long range, each entry is the last price of several bars. */
export interface PricePath {
  times: number[]
  price: (number | null)[]
  /** Number of bars per entry. */
  bars: number
}

export interface PriceQuery {
  symbol: string
  /** Part of the range; all of it if there are no ends. */
  startMs?: number | undefined
  endMs?: number | undefined
}

/** Reads the price of a symbol with a time in [startMs, endMs), thinned. */
export function pricePathOf(
  panel: StudyPanel,
  matrices: StudyMatrices,
  { symbol, startMs = -Infinity, endMs = Infinity }: PriceQuery,
): PricePath {
  const { place, from, to } = cellsIn(panel, { symbol, startMs, endMs })
  const values = matrixOf(matrices, 'price').symbol(place, from, to)
  const bars = Math.max(1, Math.ceil(values.length / MOST_TIMES))
  const ends = Array.from(
    { length: Math.ceil(values.length / bars) },
    (_, entry) => Math.min(values.length, (entry + 1) * bars) - 1,
  )
  return { times: ends.map((at) => timeAt(panel, from + at)), price: ends.map((at) => orNull(values[at])), bars }
}

/** Finds a symbol, and the rows with a time in [startMs, endMs). */
function cellsIn(
  { symbols, firstSlot, intervalMs, timeCount }: StudyPanel,
  { symbol, startMs, endMs }: { symbol: string; startMs: number; endMs: number },
) {
  const place = symbols.indexOf(symbol)
  if (place < 0) throw new StudyError('symbol', `${symbol} has no row among those that the study reads.`)
  const from = Math.min(timeCount, Math.max(0, Math.ceil(startMs / intervalMs) - firstSlot))
  return { place, from, to: Math.max(from, Math.min(timeCount, Math.ceil(endMs / intervalMs) - firstSlot)) }
}

/** Numbers of members and of present values by time; in a long study, each entry is the mean over several bars. */
export interface TimeCoverage {
  times: number[]
  members: number[]
  present: number[]
  share: number | null
  /** Number of bars per entry. */
  bars: number
}

/** Maximum number of entries of a coverage. */
const MOST_TIMES = 2000

/** Counts the members at each time, and how many of these have a value of the study's first formula. */
export function timeCoverageOf(panel: StudyPanel, study: Study, matrices: StudyMatrices): TimeCoverage {
  const matrix = matrixOf(matrices, valueFormulasOf(study)[0].field)
  const { timeCount, symbols } = panel
  const width = symbols.length
  const bars = Math.max(1, Math.ceil(timeCount / MOST_TIMES))
  const entryCount = Math.ceil(timeCount / bars)
  const members = new Float64Array(entryCount)
  const present = new Float64Array(entryCount)
  for (const { from, to } of timeBlocks(panel)) {
    const values = matrix.rows(from, to)
    const member = panel.member?.rows(from, to)
    for (let cell = 0; cell < values.length; cell++) {
      if (member && !member[cell]) continue
      const entry = Math.floor((from + Math.floor(cell / width)) / bars)
      members[entry]++
      if (!Number.isNaN(values[cell])) present[entry]++
    }
  }
  const barsOf = (entry: number) => Math.min(timeCount, (entry + 1) * bars) - entry * bars
  const sum = (counts: Float64Array) => counts.reduce((total, one) => total + one, 0)
  return {
    times: Array.from(members, (_, entry) => timeAt(panel, entry * bars)),
    members: Array.from(members, (count, entry) => count / barsOf(entry)),
    present: Array.from(present, (count, entry) => count / barsOf(entry)),
    share: coverageOf(sum(members), sum(present)).share,
    bars,
  }
}
