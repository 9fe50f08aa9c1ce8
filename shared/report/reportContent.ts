import type { WorkspaceDocument } from '#shared/workspace/workspace.ts'
import { wholeTime } from '#shared/units/instants.ts'
import { exactNumber, formatNumber, MINUS } from '#shared/units/numbers.ts'
import { figureKind, type NumberKind, shownFigure } from '#shared/units/numberKinds.ts'

/** Kinds of reports, as `perpscope report` names them. */
export const reportKinds = ['workbench', 'tearsheet', 'study', 'sql', 'board'] as const
export type ReportKind = (typeof reportKinds)[number]

/** A file of returns or weights that a tear sheet is made of. */
export interface OwnReturns {
  /** Path relative to the folder of the report. */
  file: string
  unit: 'percent' | 'fraction' | null
  /** Cost of trading in basis points as it was typed. */
  cost: string | null
}

export interface TearSheetQuery {
  kind: 'tearsheet'
  portfolio: string | null
  smoothing: string | null
  exchange: string | null
  benchmark: string | null
  /** Annual, as a fraction. */
  riskFree: number
  rolling: number | null
  /** Inclusive UTC days; null for open ends. */
  start: string | null
  end: string | null
  returns: OwnReturns | null
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
}

export interface SqlReportQuery {
  kind: 'sql'
  /** Name of the query, where it has one. */
  name?: string | undefined
  sql: string
  parameters: Record<string, string>
}

/** A query about one thing, from which its part of a report is computed again. */
export type PartQuery = TearSheetQuery | WorkbenchQuery | StudyQuery | SqlReportQuery

/** A query about a whole report; it is in the file, so that the report can be computed again. */
export type ReportQuery = PartQuery | BoardQuery

export interface BoardQuery {
  kind: 'board'
  name: string
  parts: BoardPartQuery[]
}

export type BoardPartQuery = PartQuery | { kind: 'text'; markdown: string } | AbsentPart

/** A part that could not be computed when the report was made, and why. */
export interface AbsentPart {
  kind: 'absent'
  name: string
  why: string
}

/** A number with all its digits and as the page shows it. */
export interface ReportNumber {
  value: number
  text: string
}

/** Null is shown as a dash. */
export type ReportCell = string | ReportNumber | null

export interface ReportTable {
  kind: 'table'
  title: string
  columns: readonly string[]
  rows: readonly (readonly ReportCell[])[]
  /** Sentence below the table, such as that rows are left out. */
  note?: string
}

export interface ReportSeries {
  label: string
  numbers: NumberKind
  unit?: string
  /** NaN where a value is missing. */
  values: Float64Array
  /** Milliseconds, or places on an axis of names. */
  x: Float64Array
}

export interface ReportChart {
  kind: 'chart'
  title: string
  style: 'line' | 'bars'
  /** Labels of an axis of names; null for an axis of times. */
  names: readonly string[] | null
  series: readonly ReportSeries[]
  isLog?: boolean
}

export interface ReportText {
  kind: 'text'
  title: string
  lines: readonly string[]
}

/** A text for machines, such as a formula, a query or a document. */
export interface ReportCode {
  kind: 'code'
  title: string
  text: string
}

/** A text of the user in Markdown. */
export interface ReportNote {
  kind: 'note'
  title: string
  markdown: string
}

export type ReportPart = ReportTable | ReportChart | ReportText | ReportCode | ReportNote

/** A file that numbers of the report come from. */
export interface ReportSource {
  /** Path below the data folder, or relative to the folder of the report for a file outside. */
  path: string
  sha256: string
  /** Service or origin of the file. */
  service: string
  /** Milliseconds; null if it is unknown. */
  fetchedAt: number | null
}

/** Computed content of a report or of a part of it. */
export interface ReportContent {
  title: string
  subtitle: string
  /** True where any number is made up by the sandbox. */
  isSynthetic: boolean
  parts: readonly ReportPart[]
  /** Versions of the definitions behind the numbers, by their ids. */
  definitions: Readonly<Record<string, number>>
  sources: readonly ReportSource[]
  warnings: readonly string[]
}

/** Writes a number in the format of its kind, as cards of the window do. */
export function reportNumber(value: number | null | undefined, numbers: NumberKind, counted?: string): ReportCell {
  if (value === null || value === undefined || !Number.isFinite(value)) return null
  const { text, unit } = shownFigure(figureKind(numbers), value, counted)
  return { value, text: unit ? `${text} ${unit}` : (text ?? exactNumber(value)) }
}

const PLAIN_DIGITS = 6

/** Writes a number of no known kind with six digits. */
export const plainNumber = (value: number): ReportNumber => ({
  value,
  text: plainText(Number.isInteger(value) && Math.abs(value) < 1e15 ? value : Number(value.toPrecision(PLAIN_DIGITS))),
})

function plainText(rounded: number): string {
  const digits = exactNumber(rounded)
  if (digits.includes('e')) return digits.replaceAll('-', MINUS)
  return formatNumber(rounded, digits.split('.').at(1)?.length ?? 0)
}

/** Writes an instant with its zone. @param stepMs between neighbours; from a day on, dates */
export const reportTime = (timeMs: number, stepMs?: number): ReportNumber => ({
  value: timeMs,
  text: wholeTime(timeMs, 'utc', stepMs),
})

/** Makes a cell of any value of a result. */
export const plainCell = (value: string | number | null | undefined): ReportCell =>
  typeof value === 'number' ? (Number.isFinite(value) ? plainNumber(value) : exactNumber(value)) : (value ?? null)

/** Versions of definitions that were changed since the first release; every other one has version 1. */
const changedDefinitions: Readonly<Record<string, number>> = {}

/** Lists definitions with their versions, in the order of their ids. */
export const definitionVersions = (ids: Iterable<string>): Record<string, number> =>
  Object.fromEntries([...new Set(ids)].sort().map((id) => [id, changedDefinitions[id] ?? 1]))

/** Words for the keys of a result, as a reader of a report knows them. */
const keyNames: Readonly<Record<string, string>> = {
  rankIc: 'Rank IC',
  pearsonIc: 'Pearson IC',
  nonOverlapping: 'non-overlapping samples',
  all: 'all times',
  naive: 'naive',
  n: 'Samples',
  sd: 'Standard deviation',
  se: 'Standard error',
  t: 't',
  p: 'p',
  q: 'q',
  low: '95 % interval from',
  high: '95 % interval to',
  ratio: 'Mean over deviation',
  pbo: 'Probability of backtest overfitting',
}

/** Names a figure by the path of its key: `rankIc.all.sd` is “Rank IC, all times: standard deviation”. */
export function figureName(key: string): string {
  const parts = key.split('.')
  const last = parts[parts.length - 1]
  // A list of lists has a number for each of its columns.
  if (parts.length > 1 && /^\d+$/.test(last)) return `${figureName(parts[0]).replace(/s$/, '')} ${last}`
  const named = parts.map(wordOf)
  if (named.length === 1) return capital(named[0])
  const figure = named[named.length - 1]
  const isSymbol = figure.length === 1
  return `${capital(named.slice(0, -1).join(', '))}: ${isSymbol ? figure : figure.charAt(0).toLowerCase() + figure.slice(1)}`
}

const wordOf = (key: string): string =>
  Object.hasOwn(keyNames, key)
    ? keyNames[key]
    : key.replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)

const capital = (text: string): string => (text.length === 1 ? text : text.charAt(0).toUpperCase() + text.slice(1))
