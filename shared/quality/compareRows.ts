import { isPlausibleTime, isRising, qualityLimits, type RowFinding } from './findings.ts'

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

/** Finds differences between rows and the expected rows at the same times, one finding per column and day. */
export function compareRows(
  kind: 'overlap' | 'computed',
  rows: ComparedRows,
  expected: ComparedRows,
  intervalMs: number,
): RowFinding[] {
  const places = placesOf(rows.times, expected.times)
  const detail =
    kind === 'overlap'
      ? 'the monthly file differs from the daily one'
      : 'the service differs from the values computed here'
  const findings: RowFinding[] = []
  for (const [column, values] of rows.columns) {
    const otherValues = expected.columns.get(column)
    if (!otherValues) continue
    const findingByDay = new Map<number, RowFinding>()
    rows.times.forEach((time, row) => {
      const place = places[row]
      if (place < 0 || isSame(values[row], otherValues[place])) return
      const day = Math.floor(time / MS_PER_DAY)
      const finding = findingByDay.get(day)
      if (finding) {
        finding.count++
        // Rows of a file may be in any order, so the range is extended at both ends.
        finding.from = Math.min(finding.from, time)
        finding.to = Math.max(finding.to, time + intervalMs)
        return
      }
      const [value, expectedValue] = [values[row], otherValues[place]].map((each) =>
        Number.isFinite(each) ? each : null,
      )
      findingByDay.set(day, {
        kind,
        column,
        from: time,
        to: time + intervalMs,
        count: 1,
        value,
        expected: expectedValue,
        detail,
      })
    })
    findings.push(...findingByDay.values())
  }
  return findings
}

/**
 * Finds, for each time, the last row of `otherTimes` with that time; -1 if there is none or the time is implausible.
 */
function placesOf(times: Float64Array, otherTimes: Float64Array): Int32Array {
  const lastRowAt = new Map(Array.from(otherTimes, (time, row) => [time, row]))
  return Int32Array.from(times, (time) => (isPlausibleTime(time) ? (lastRowAt.get(time) ?? -1) : -1))
}

/** Values of one venue in any order; of rows with the same time, the last one with a value counts. */
interface VenueRows {
  exchange: string
  symbol: string
  times: Float64Array
  values: Float64Array
}

export interface VenueFinding extends RowFinding {
  exchange: string
  symbol: string
}

const median = (sorted: readonly number[]) => {
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

/** Sorts the rows of a venue by time and drops those that cannot be compared. */
function inTimeOrder(venue: VenueRows, isPrice: boolean): VenueRows {
  const { times, values } = venue
  const isUsable = (row: number) =>
    isPlausibleTime(times[row]) && Number.isFinite(values[row]) && !(isPrice && values[row] <= 0)
  if (isRising(times)) {
    const rows = new Uint32Array(times.length)
    let count = 0
    for (let row = 0; row < times.length; row++) if (isUsable(row)) rows[count++] = row
    return count === times.length ? venue : withRows(venue, rows.subarray(0, count))
  }
  const lastRowAt = new Map<number, number>()
  for (let row = 0; row < times.length; row++) if (Number.isFinite(values[row])) lastRowAt.set(times[row], row)
  return withRows(venue, Uint32Array.from([...lastRowAt.values()].filter(isUsable).sort((a, b) => times[a] - times[b])))
}

function withRows(venue: VenueRows, rows: Uint32Array): VenueRows {
  const [times, values] = [new Float64Array(rows.length), new Float64Array(rows.length)]
  for (let at = 0; at < rows.length; at++) {
    times[at] = venue.times[rows[at]]
    values[at] = venue.values[rows[at]]
  }
  return { ...venue, times, values }
}

/** Iterates over the times at which venues differ by more than the limit, with each venue's row or -1. */
function* distantTimes(
  venues: readonly VenueRows[],
  isPrice: boolean,
  limit: number,
): Generator<{ time: number; rows: number[] }> {
  const nextRows = new Uint32Array(venues.length)
  for (;;) {
    let time = Infinity
    for (let at = 0; at < venues.length; at++) {
      const { times } = venues[at]
      if (nextRows[at] < times.length && times[nextRows[at]] < time) time = times[nextRows[at]]
    }
    if (time === Infinity) return
    let [low, high] = [Infinity, -Infinity]
    for (let at = 0; at < venues.length; at++) {
      const { times, values } = venues[at]
      if (nextRows[at] >= times.length || times[nextRows[at]] !== time) continue
      const value = values[nextRows[at]++]
      if (value < low) low = value
      if (value > high) high = value
    }
    const distance = isPrice ? high / low - 1 : high - low
    if (!(distance > limit)) continue
    yield {
      time,
      rows: venues.map(({ times }, at) =>
        nextRows[at] > 0 && times[nextRows[at] - 1] === time ? nextRows[at] - 1 : -1,
      ),
    }
  }
}

/**
 * Finds times at which venues disagree on one base asset, and reports the venue farthest from the median, or the
 * alphabetically later of two.
 */
export function compareVenues(
  column: 'midprice' | 'funding_rate',
  venues: readonly VenueRows[],
  intervalMs: number,
): VenueFinding[] {
  const isPrice = column === 'midprice'
  const limit = isPrice ? qualityLimits.venuePrice : qualityLimits.venueFunding
  const ordered = venues
    .toSorted((a, b) => (a.exchange < b.exchange ? -1 : 1))
    .map((venue) => inTimeOrder(venue, isPrice))
  const findingByVenueDay = new Map<string, VenueFinding>()
  const findings: VenueFinding[] = []
  for (const { time, rows } of distantTimes(ordered, isPrice, limit)) {
    const presentVenues = rows
      .map((row, at) => ({ venue: ordered[at], value: row < 0 ? NaN : ordered[at].values[row] }))
      .filter(({ value }) => value === value)
    const sorted = presentVenues.map(({ value }) => value).sort((a, b) => a - b)
    const middle = median(sorted)
    // With two venues both are equally far from the median, and the last one is reported.
    const { venue, value } = presentVenues.reduce((far, each) =>
      Math.abs(each.value - middle) >= Math.abs(far.value - middle) * (1 - 1e-12) ? each : far,
    )
    const others = presentVenues.filter((each) => each.venue !== venue).map((each) => each.value)
    const key = `${venue.exchange} ${venue.symbol} ${Math.floor(time / MS_PER_DAY)}`
    const known = findingByVenueDay.get(key)
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
    findingByVenueDay.set(key, finding)
    findings.push(finding)
  }
  return findings
}
