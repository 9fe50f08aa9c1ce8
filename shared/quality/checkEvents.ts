import type { TimeRange } from '../time/ranges.ts'
import { formatDuration } from '../units/durations.ts'
import { impossibleRows, inOrder, spikes, type FileRows } from './checkRows.ts'
import { isPlausibleTime, qualityLimits, type RowFinding, splitByDay } from './findings.ts'

/** Columns of the raw datasets that are checked. */
const pricesByDataset: Readonly<Record<string, readonly string[]>> = {
  trades: ['price'],
  quotes: ['bid_price', 'ask_price'],
  mark_price: ['mark_price'],
  index_price: ['index_price'],
  open_interest: ['open_interest'],
}
const amounts = ['amount', 'bid_amount', 'ask_amount']
/** Datasets whose events come steadily; the others have a row for each change, and a value may stay for hours. */
const steadyDatasets: readonly string[] = ['trades', 'quotes']

/** Lists the number columns that the checks of a raw dataset read. */
export const checkedEventColumns = (dataset: string): string[] => [...(pricesByDataset[dataset] ?? []), ...amounts]

/** Rows of one file of raw events, in file order, with times in milliseconds. */
type EventRows = Pick<FileRows, 'dataset' | 'times' | 'columns'>

interface CheckedEvents {
  findings: RowFinding[]
  /** First and last time of the events; null if there are none, or if they do not come steadily. */
  range: TimeRange | null
  /** Longest silence that does not count as missing events. */
  silenceLimitMs: number
}

const EVENT_MS = 1
const MS_PER_MINUTE = 60_000

/** Checks one file of raw events: prices that jump and come back, values that cannot be, and long silences. */
export function checkEvents({ dataset, times, columns }: EventRows): CheckedEvents {
  const rows = inTimeOrder({ dataset, times, columns, intervalMs: EVENT_MS })
  const prices = pricesByDataset[dataset] ?? []
  const isSteady = steadyDatasets.includes(dataset) && rows.times.length > 0
  const silenceLimitMs = isSteady ? silenceLimit(rows.times) : 0
  // A quote without a bid or ask has the price 0.
  const rules = {
    nonNegative: [...amounts, ...(dataset === 'quotes' ? prices : [])],
    prices: dataset === 'quotes' || dataset === 'open_interest' ? [] : prices,
    shares: [],
  }
  const withoutEmptySides = dataset === 'quotes' ? withTwoSides(rows) : rows
  const findings = [
    ...(isSteady ? silences(rows.times, silenceLimitMs) : []),
    ...impossibleRows(withoutEmptySides, rules),
    ...spikes(rows, prices),
  ]
  return {
    findings: findings.sort((a, b) => a.from - b.from),
    range: isSteady ? { startMs: rows.times[0], endMs: rows.times[rows.times.length - 1] } : null,
    silenceLimitMs,
  }
}

/** Sorts events by time and drops those without a plausible time; events may share a time. */
function inTimeOrder(rows: FileRows): FileRows {
  const { times } = rows
  let isOrdered = times.length === 0 || isPlausibleTime(times[0])
  for (let row = 1; row < times.length && isOrdered; row++) isOrdered = times[row] >= times[row - 1]
  if (isOrdered && (times.length === 0 || isPlausibleTime(times[times.length - 1]))) return rows
  const plausible = Uint32Array.from(times.keys()).filter((row) => isPlausibleTime(times[row]))
  return inOrder(
    rows,
    plausible.sort((a, b) => times[a] - times[b] || a - b),
  )
}

/** Replaces the prices of quotes without a bid or an ask by missing ones, because nothing can be compared there. */
function withTwoSides(rows: FileRows): FileRows {
  const [bid, ask] = [rows.columns.get('bid_price'), rows.columns.get('ask_price')]
  if (!bid || !ask) return rows
  const hasBoth = (row: number) => bid[row] !== 0 && ask[row] !== 0
  const both = (values: Float64Array) => values.map((value, row) => (hasBoth(row) ? value : NaN))
  return { ...rows, columns: new Map([...rows.columns, ['bid_price', both(bid)], ['ask_price', both(ask)]]) }
}

/** Returns the longest silence that is usual for a file, from the times between its events. */
function silenceLimit(times: Float64Array): number {
  const { silenceLeastMs, silenceQuantile, silenceFactor } = qualityLimits
  const gaps = new Float64Array(Math.max(0, times.length - 1))
  for (let at = 0; at < gaps.length; at++) gaps[at] = times[at + 1] - times[at]
  gaps.sort()
  const usual = gaps[Math.floor(silenceQuantile * (gaps.length - 1))] ?? Infinity
  return Math.max(silenceLeastMs, silenceFactor * usual)
}

function silences(times: Float64Array, limitMs: number): RowFinding[] {
  const findings: RowFinding[] = []
  const minutesIn = (from: number, to: number) => Math.floor((to - from) / MS_PER_MINUTE)
  for (let row = 1; row < times.length; row++) {
    const [from, to] = [Math.floor(times[row - 1]) + EVENT_MS, Math.floor(times[row])]
    if (to - from <= limitMs) continue
    const detail = `no events for ${formatDuration(to - from)}, where up to ${formatDuration(limitMs)} are usual`
    const finding = { kind: 'missing' as const, column: null, from, to, count: 0, value: null, expected: null, detail }
    findings.push(...splitByDay(finding, minutesIn))
  }
  return findings
}
