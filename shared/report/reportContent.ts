import type { ChartChoice } from '#shared/contract/areas/reportQueries.ts'
import type { Flags } from '#shared/overview/flags.ts'
import type { Shade } from '#shared/overview/shade.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import type { PlanMode } from '#shared/portfolio/book/plan.ts'
import type { WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { wholeTime } from '#shared/units/instants.ts'
import { exactNumber, formatNumber, powerText, roundToDigits } from '#shared/units/numbers.ts'
import { figureKind, type NumberKind, shownFigure } from '#shared/units/numberKinds.ts'

/** User's file of returns or weights that a tear sheet is made from. */
interface ReportedReturns {
  /** Path relative to the folder of the report. */
  file: string
  unit: 'percent' | 'fraction' | null
  /** Trading cost in basis points as typed. */
  cost: string | null
}

export interface TearSheetQuery {
  kind: 'tearsheet'
  portfolio: string | null
  smoothing: string | null
  exchange: string | null
  benchmark: string | null
  /** Annual risk-free rate, as a fraction. */
  riskFree: number
  rolling: number | null
  /** Inclusive UTC days; null for open ends. */
  start: string | null
  end: string | null
  returns: ReportedReturns | null
}

export interface WorkbenchQuery {
  kind: 'workbench'
  name: string
  document: WorkspaceDocument
  startMs: number
  endMs: number
}

export interface StudyQuery {
  kind: 'study'
  document: unknown
  /** Paths relative to the folder of the report. */
  panel: string | null
  against: string | null
  /** Funding periods of the run, with which it is run again; absent if it did not depend on them. */
  funding?: FundingRow[] | undefined
}

export interface SqlReportQuery {
  kind: 'sql'
  /** Name of the query, if it has one. */
  name?: string | undefined
  sql: string
  parameters: Record<string, string>
  /** Chart of the result; without it, its numbers are drawn over its times. */
  chart?: ChartChoice | undefined
}

/** A CSV of the user's own with its name. */
interface ReportedCsv {
  file: string
  text: string
}

/** A plan of trades; the report contains the user's files, which are short and change every day. */
export interface PlanReportQuery {
  kind: 'plan'
  weights: string | ReportedCsv
  capital: number
  positions: ReportedCsv | null
  aliases: ReportedCsv | null
  prices: ReportedCsv | null
  lots: ReportedCsv | null
  band: number
  mode: PlanMode
  minOrder: number
  cap: number | null
  costBps: number | null
}

/** What recorded tests promised and what came, of the tests that counted when the report was made. */
interface CalibrationReportQuery {
  kind: 'calibration'
}

/** Query of a single part of a report, from which the part can be computed again. */
export type PartQuery =
  | TearSheetQuery
  | WorkbenchQuery
  | StudyQuery
  | SqlReportQuery
  | PlanReportQuery
  | CalibrationReportQuery

/** Query of a complete report. The file contains the query, so that the report can be computed again. */
export type ReportQuery = PartQuery | BoardQuery

export interface BoardQuery {
  kind: 'board'
  name: string
  parts: BoardPartQuery[]
}

export type BoardPartQuery = PartQuery | { kind: 'text'; markdown: string } | AbsentPart

/** A part that could not be computed when the report was created, and the reason. */
export interface AbsentPart {
  kind: 'absent'
  name: string
  why: string
}

/** A number with all digits, and as the page shows it. */
interface ReportNumber {
  value: number
  text: string
}

/** Cell of a table; null is shown as a dash. */
export type ReportCell = string | ReportNumber | null

export interface ReportTable {
  kind: 'table'
  title: string
  columns: readonly string[]
  rows: readonly (readonly ReportCell[])[]
  /** Sentence below the table; for example, that rows were left out. */
  note?: string
  /** True for the user's own texts, which a replay cannot check. */
  isOwnText?: boolean
}

export interface ReportSeries {
  label: string
  /** Index in the palette; by default that of its place among the series of the chart. */
  colour?: number
  numberKind: NumberKind
  unit?: string
  /** NaN if a value is missing. */
  values: Float64Array
  /** Milliseconds, or indexes on an axis of names. */
  x: Float64Array
  /** Shape in which a chart of lines draws the values, as the workbench does; a plain line by default. */
  style?: 'step' | 'area' | 'bar' | 'points'
  /** Duration of a step or bar. */
  stepMs?: number
  /** What the area between the line and this is filled to: a level, or another series of the chart by its place. */
  fill?: { level: number } | { series: number }
  /** Ends of the interval around each value of a chart of bars, NaN where there is none. */
  interval?: Readonly<Record<'low' | 'high', Float64Array>>
  /** Boxes that are drawn in place of the values, which are their medians. */
  boxes?: ReportBoxes
  /** Candles that are drawn in place of the values. */
  candles?: ReportCandles
}

/** Whiskers (`low` to `high`) and boxes (`lower` to `upper`) around medians. */
type ReportBoxes = Readonly<Record<'low' | 'lower' | 'upper' | 'high', Float64Array>>

/** Prices of candles, by the times at which they begin. */
export interface ReportCandles extends Readonly<Record<'x' | 'open' | 'high' | 'low' | 'close', Float64Array>> {
  widthMs: number
}

export interface ReportChart {
  kind: 'chart'
  title: string
  style: 'line' | 'bars' | 'points'
  /** Labels of an axis of names; null for an axis of times or numbers. */
  names: readonly string[] | null
  /** True for an axis of numbers. */
  numberAxis?: true
  /** What the names or numbers of the axis are. */
  xTitle?: string
  series: readonly ReportSeries[]
  isLog?: boolean
  /** Events over the chart; their lines have the colours that follow those of the series. */
  flags?: readonly ReportFlags[]
  /** States behind the chart; each has its colour, or one that follows those of the series and the events. */
  shades?: readonly ReportShade[]
}

/** A state; without a colour it has the one that follows those of the series and the events. */
export type ReportShade = Omit<Shade, 'id' | 'colour'> & Partial<Pick<Shade, 'colour'>>

/** Events of a series, drawn as flags. */
export interface ReportFlags extends Flags {
  label: string
}

interface ReportText {
  kind: 'text'
  title: string
  lines: readonly string[]
}

/** Text to be read by programs, such as a formula, a query or a document. */
interface ReportCode {
  kind: 'code'
  title: string
  text: string
}

/** User's note in Markdown. */
interface ReportNote {
  kind: 'note'
  title: string
  markdown: string
}

export type ReportPart = ReportTable | ReportChart | ReportText | ReportCode | ReportNote

/** A file from which numbers of the report were computed. */
export interface ReportSource {
  /** Path relative to the data folder; for a file outside of that, relative to the report's folder. */
  path: string
  sha256: string
  /** Service or origin of the file. */
  service: string
  /** Milliseconds since the epoch; null if unknown. */
  fetchedAt: number | null
}

/** Where a long list of files stands, in place of the list. */
export interface FileListReference {
  files: number
  /** Hash of the list, which is also its name. */
  sha256: string
  /** Path of the list below the data folder. */
  path: string
}

/** Computed content of a report or of one of its parts. */
export interface ReportContent {
  title: string
  subtitle: string
  /** True if any number comes from the sandbox. */
  isSynthetic: boolean
  parts: readonly ReportPart[]
  /** Versions of the definitions behind the numbers, by id. */
  definitions: Readonly<Record<string, number>>
  sources: readonly ReportSource[]
  warnings: readonly string[]
  /** True if files that could not be read were left out. */
  isPartial?: boolean
  /** Number of rows of a query's result, or of the tables of a board, which its files may outnumber; else absent. */
  resultRows?: number
  /** Funding periods of a study, if its numbers depend on them. */
  funding?: FundingRow[]
}

/** Formats a number by its kind, as cards in the window do. */
export function reportNumber(value: number | null | undefined, numberKind: NumberKind, counted?: string): ReportCell {
  if (value === null || value === undefined || !Number.isFinite(value)) return null
  const { text, unit } = shownFigure(figureKind(numberKind), value, counted)
  return { value, text: unit ? `${text} ${unit}` : (text ?? exactNumber(value)) }
}

const PLAIN_DIGITS = 6

/** Formats a number of unknown kind with six digits, and the part before the point with all of them. */
export const plainNumber = (value: number): ReportNumber => ({
  value,
  text: plainText(roundToDigits(value, PLAIN_DIGITS)),
})

function plainText(rounded: number): string {
  const digits = exactNumber(rounded)
  if (digits.includes('e')) return powerText(digits)
  return formatNumber(rounded, digits.split('.').at(1)?.length ?? 0)
}

/**
 * Formats an instant in UTC.
 * @param stepMs time between neighbouring instants; if it is whole days, an instant at midnight is shown as a date
 */
export const reportTime = (timeMs: number, stepMs?: number): ReportNumber => ({
  value: timeMs,
  text: wholeTime(timeMs, 'utc', stepMs),
})

/** Converts any value of a result to a cell. */
export const plainCell = (value: string | number | null | undefined): ReportCell =>
  typeof value === 'number' ? (Number.isFinite(value) ? plainNumber(value) : exactNumber(value)) : (value ?? null)

/** Versions of definitions that changed since the first release; all others have version 1. */
const changedDefinitions: Readonly<Record<string, number>> = {
  // 0.3.0: values far from 0 keep all digits, so that last digits of any result may differ.
  ...Object.fromEntries(
    'std zscore skew kurt rollcorr rollbeta resid ewmstd'.split(' ').map((name) => [`formula.${name}`, 2]),
  ),
}

/** Lists definitions with their versions, sorted by id. */
export const definitionVersions = (ids: Iterable<string>): Record<string, number> =>
  Object.fromEntries([...new Set(ids)].sort().map((id) => [id, changedDefinitions[id] ?? 1]))

/** Labels for those keys of a result from which no label can be derived. */
const keyNames: Readonly<Record<string, string>> = {
  rankIc: 'Rank IC',
  pearsonIc: 'Pearson IC',
  nonOverlapping: 'non-overlapping samples',
  all: 'all times',
  n: 'Samples',
  sd: 'Standard deviation',
  se: 'Standard error',
  low: '95 % interval from',
  high: '95 % interval to',
  ratio: 'Mean over deviation',
  pbo: 'Probability of backtest overfitting',
}

/** Returns the name of a figure by its key path: `rankIc.all.sd` is “Rank IC, all times: standard deviation”. */
export function figureName(key: string): string {
  const parts = key.split('.')
  const last = parts[parts.length - 1]
  // Columns of a list of lists are numbered.
  if (parts.length > 1 && /^\d+$/.test(last)) return `${figureName(parts[0]).replace(/s$/, '')} ${last}`
  const named = parts.map(keyName)
  if (named.length === 1) return capitalised(named[0])
  const figure = named[named.length - 1]
  const isSymbol = figure.length === 1
  return `${capitalised(named.slice(0, -1).join(', '))}: ${isSymbol ? figure : figure.charAt(0).toLowerCase() + figure.slice(1)}`
}

const keyName = (key: string): string =>
  Object.hasOwn(keyNames, key)
    ? keyNames[key]
    : key.replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)

const capitalised = (text: string): string => (text.length === 1 ? text : text.charAt(0).toUpperCase() + text.slice(1))
