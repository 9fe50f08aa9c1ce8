import { isPlausibleTime, qualityLimits, type RowFinding } from './findings.ts'

/** Rows of one origin in any order: times, and values by column. */
export interface ComparedRows {
  times: Float64Array
  columns: ReadonlyMap<string, Float64Array>
}

const isSame = (a: number, b: number) =>
  a === b ||
  (Number.isNaN(a) && Number.isNaN(b)) ||
  Math.abs(a - b) <= qualityLimits.sameValue * Math.max(Math.abs(a), Math.abs(b), 1e-9)

const MS_PER_DAY = 86_400_000

/** Finds where rows differ from those that are expected at the same time, one finding a column and day. */
export function compareRows(
  kind: 'overlap' | 'computed',
  rows: ComparedRows,
  expected: ComparedRows,
  intervalMs: number,
): RowFinding[] {
  const places = new Map(Array.from(expected.times, (time, row) => [time, row]))
  const detail =
    kind === 'overlap'
      ? 'the monthly file differs from the daily one'
      : 'the service differs from what is computed here'
  const findings: RowFinding[] = []
  for (const [column, values] of rows.columns) {
    const other = expected.columns.get(column)
    if (!other) continue
    const days = new Map<number, RowFinding>()
    rows.times.forEach((time, row) => {
      const place = places.get(time)
      if (place === undefined || !isPlausibleTime(time) || isSame(values[row], other[place])) return
      const day = Math.floor(time / MS_PER_DAY)
      const known = days.get(day)
      if (known) {
        known.count++
        // Rows of a file may stand in any order.
        known.from = Math.min(known.from, time)
        known.to = Math.max(known.to, time + intervalMs)
        return
      }
      const [value, wanted] = [values[row], other[place]].map((each) => (Number.isFinite(each) ? each : null))
      days.set(day, { kind, column, from: time, to: time + intervalMs, count: 1, value, expected: wanted, detail })
    })
    findings.push(...days.values())
  }
  return findings
}

/** Values of one venue by time. */
export interface VenueRows {
  exchange: string
  symbol: string
  valueAt: ReadonlyMap<number, number>
}

export interface VenueFinding extends RowFinding {
  exchange: string
  symbol: string
}

const median = (sorted: readonly number[]) => {
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

/** Finds where venues disagree on one base: the venue farthest from the median, of two the later in the alphabet. */
export function compareVenues(
  column: 'midprice' | 'funding_rate',
  venues: readonly VenueRows[],
  intervalMs: number,
): VenueFinding[] {
  const isPrice = column === 'midprice'
  const limit = isPrice ? qualityLimits.venuePrice : qualityLimits.venueFunding
  const ordered = venues.toSorted((a, b) => (a.exchange < b.exchange ? -1 : 1))
  const times = [...new Set(ordered.flatMap(({ valueAt }) => [...valueAt.keys()].filter(isPlausibleTime)))].sort(
    (a, b) => a - b,
  )
  const open = new Map<string, VenueFinding>()
  const found: VenueFinding[] = []
  for (const time of times) {
    const there = ordered.flatMap((venue) => {
      const value = venue.valueAt.get(time)
      return value === undefined || (isPrice && value <= 0) ? [] : [{ venue, value }]
    })
    if (there.length < 2) continue
    const sorted = there.map(({ value }) => value).sort((a, b) => a - b)
    const spread = isPrice ? sorted.at(-1)! / sorted[0] - 1 : sorted.at(-1)! - sorted[0]
    if (spread <= limit) continue
    const middle = median(sorted)
    // With two venues both are as far away, and the last one stands.
    const { venue, value } = there.reduce((far, each) =>
      Math.abs(each.value - middle) >= Math.abs(far.value - middle) * (1 - 1e-12) ? each : far,
    )
    const others = there.filter((each) => each.venue !== venue).map((each) => each.value)
    const key = `${venue.exchange} ${venue.symbol} ${Math.floor(time / MS_PER_DAY)}`
    const known = open.get(key)
    if (known) {
      known.count++
      known.to = time + intervalMs
      continue
    }
    const finding: VenueFinding = {
      kind: 'venue',
      exchange: venue.exchange,
      symbol: venue.symbol,
      column,
      from: time,
      to: time + intervalMs,
      count: 1,
      value,
      expected: median(others.sort((a, b) => a - b)),
      detail: `differs from ${others.length === 1 ? 'the other venue' : `${others.length} other venues`}`,
    }
    open.set(key, finding)
    found.push(finding)
  }
  return found
}
