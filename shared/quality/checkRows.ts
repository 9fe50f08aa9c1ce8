import type { TimeRange } from '../time/ranges.ts'
import { columnRules, type QualityRules } from './columnRules.ts'
import { isPlausibleTime, isRising, nearestTime, qualityLimits, type RowFinding, splitByDay } from './findings.ts'

/** Rows of one file, in file order. */
export interface FileRows {
  dataset: string
  /** Milliseconds since the epoch. */
  times: Float64Array
  /** Values by column; NaN if missing. */
  columns: ReadonlyMap<string, Float64Array>
  intervalMs: number
  /** Times at which trades occurred, for the check of open interest; null if no trades are cached. */
  tradeTimes?: ReadonlySet<number> | null
  /** Period of the file; rows outside of it do not count. By default every row counts. */
  period?: TimeRange
}

/** Checks one file. Before columns are checked, rows are sorted and the last one of each time is kept. */
export function checkRows(allRows: FileRows): RowFinding[] {
  const { rows, findings: oddTimes } = plausibleRows(allRows)
  const { findings, order } = checkTimes(rows)
  const sorted = order === null ? rows : inOrder(rows, order)
  const rules = columnRules(sorted.dataset, sorted.columns.keys())
  return [
    ...oddTimes,
    ...findings,
    ...missingRows(sorted),
    ...impossibleRows(sorted, rules),
    ...staleRows(sorted, rules),
    ...spikes(sorted, rules.levels),
  ].sort((a, b) => a.from - b.from)
}

/** Tells whether a row counts: its time is plausible and inside the period of its file. */
export const countsInFile = (time: number, { period }: Pick<FileRows, 'period'>): boolean =>
  isPlausibleTime(time) && (!period || (time >= period.startMs && time < period.endMs))

/**
 * Drops rows whose times are missing, implausible or outside the period of the file. Faulty rows are reported at the
 * nearer edge of the period, those without a time at its start; each fault makes one finding per edge.
 */
function plausibleRows(rows: FileRows): { rows: FileRows; findings: RowFinding[] } {
  const { times, intervalMs, period } = rows
  // The first and last of ascending times are enough to check the ones between.
  const bounds = isRising(times) ? [times[0], times[times.length - 1]] : times
  if (times.length === 0 || bounds.every((time) => countsInFile(time, rows))) return { rows, findings: [] }
  const missing = new DayGroups()
  const implausibleTimes = new DayGroups()
  const timesOutsidePeriod = new DayGroups()
  for (const time of times) {
    // Splitting a finding by day up to a far-off time would make thousands of findings.
    if (Number.isNaN(time)) missing.add(period?.startMs ?? times.find(isPlausibleTime) ?? nearestTime(time))
    else if (!isPlausibleTime(time))
      implausibleTimes.add(nearestTime(time, period), Number.isFinite(time) ? time : null)
    else if (!countsInFile(time, rows)) timesOutsidePeriod.add(nearestTime(time, period), time)
  }
  const countedRows = Uint32Array.from(times.keys()).filter((row) => countsInFile(times[row], rows))
  return {
    rows: inOrder(rows, countedRows),
    findings: [
      ...missing.findings('impossible', intervalMs, 'rows without a time', 'time'),
      ...implausibleTimes.findings('impossible', intervalMs, 'times outside the years 1970 to 2199', 'time'),
      ...timesOutsidePeriod.findings('impossible', intervalMs, 'times outside the period of the file', 'time'),
    ],
  }
}

const withoutValues = { column: null, value: null, expected: null } as const

/** Finds duplicates and out-of-order rows, one finding per kind and day; the order is null if there are none. */
function checkTimes({ times, intervalMs }: FileRows): { findings: RowFinding[]; order: Uint32Array | null } {
  if (isRising(times)) return { findings: [], order: null }
  const repeated = new DayGroups()
  const early = new DayGroups()
  const lastRowAt = new Map<number, number>()
  let isSorted = true
  for (let row = 0; row < times.length; row++) {
    if (lastRowAt.has(times[row])) repeated.add(times[row])
    if (row > 0 && times[row] < times[row - 1]) early.add(times[row])
    if (row > 0 && times[row] <= times[row - 1]) isSorted = false
    lastRowAt.set(times[row], row)
  }
  const findings = [
    ...repeated.findings('duplicate', intervalMs, 'rows with the same time as another row'),
    ...early.findings('order', intervalMs, 'rows earlier than the row above'),
  ]
  return {
    findings,
    order: isSorted ? null : Uint32Array.from([...lastRowAt].sort((a, b) => a[0] - b[0]).map(([, row]) => row)),
  }
}

/** Collects times of rows with the same fault, by day. */
class DayGroups {
  readonly #groupByDay = new Map<number, { from: number; to: number; count: number; value: number | null }>()

  add(time: number, value: number | null = null): void {
    const day = Math.floor(time / 86_400_000)
    const known = this.#groupByDay.get(day)
    if (!known) this.#groupByDay.set(day, { from: time, to: time, count: 1, value })
    else {
      known.from = Math.min(known.from, time)
      known.to = Math.max(known.to, time)
      known.count++
    }
  }

  findings(kind: RowFinding['kind'], intervalMs: number, detail: string, column: string | null = null): RowFinding[] {
    return [...this.#groupByDay].map(([day, { from, to, count, value }]) => {
      const end = Math.min(to + intervalMs, (day + 1) * 86_400_000)
      return { ...withoutValues, kind, column, from, to: Math.max(end, from + 1), count, value, detail }
    })
  }
}

export function inOrder(rows: FileRows, order: Uint32Array): FileRows {
  const pick = (values: Float64Array) => Float64Array.from(order, (row) => values[row])
  return {
    ...rows,
    times: pick(rows.times),
    columns: new Map([...rows.columns].map(([name, values]) => [name, pick(values)])),
  }
}

/** Reports the intervals without rows between two consecutive rows. */
export function missingBetween(lastMs: number, nextMs: number, intervalMs: number): RowFinding[] {
  const from = lastMs + intervalMs
  const intervals = (start: number, end: number) => Math.max(0, Math.round((end - start) / intervalMs))
  if (intervals(from, nextMs) === 0) return []
  return splitByDay(
    { ...withoutValues, kind: 'missing', from, to: nextMs, count: 0, detail: 'intervals without a row' },
    intervals,
  )
}

/**
 * Counts the rows of the longest run without events. In such a row, all values are missing or 0. Files have no such
 * rows before their first and after their last event, so this run shows how far a file's first and last row may
 * legitimately be from the edges of its period.
 */
export function longestEmptyRun({ times, columns }: Pick<FileRows, 'times' | 'columns'>): number {
  let empty: Uint32Array | null = null
  for (const values of columns.values()) {
    const stillEmpty: Uint32Array = empty ?? new Uint32Array(times.length)
    const count = empty?.length ?? times.length
    let keptCount = 0
    for (let at = 0; at < count; at++) {
      const row = empty === null ? at : empty[at]
      const value = values[row]
      if (value !== value || value === 0) stillEmpty[keptCount++] = row
    }
    empty = stillEmpty.subarray(0, keptCount)
    if (keptCount === 0) return 0
  }
  let [longest, run] = [0, 0]
  empty?.forEach((row, at) => {
    run = at > 0 && empty[at - 1] === row - 1 ? run + 1 : 1
    longest = Math.max(longest, run)
  })
  return longest
}

function missingRows({ times, intervalMs }: FileRows): RowFinding[] {
  const findings: RowFinding[][] = []
  for (let row = 1; row < times.length; row++)
    if (times[row] - times[row - 1] > intervalMs) findings.push(missingBetween(times[row - 1], times[row], intervalMs))
  return findings.flat()
}

export function impossibleRows(
  { times, columns, intervalMs, tradeTimes }: FileRows,
  rules: Readonly<Record<'nonNegative' | 'prices' | 'shares', readonly string[]>>,
): RowFinding[] {
  const findings: RowFinding[] = []
  const check = (column: string, detail: string, isBad: (value: number, row: number) => boolean) => {
    const values = columns.get(column)
    if (!values) return
    const bad = new DayGroups()
    for (let row = 0; row < values.length; row++) {
      const value = values[row]
      if (value === value && isBad(value, row)) bad.add(times[row], Number.isFinite(value) ? value : null)
    }
    findings.push(...bad.findings('impossible', intervalMs, detail, column))
  }
  const bounds = new Map([...columns].map(([column, values]) => [column, boundsOf(values)]))
  const minimumOf = (column: string) => bounds.get(column)?.min ?? 0
  const maximumOf = (column: string) => bounds.get(column)?.max ?? 0
  for (const column of columns.keys())
    if (minimumOf(column) === -Infinity || maximumOf(column) === Infinity)
      check(column, 'infinite', (value) => !Number.isFinite(value))
  for (const column of rules.nonNegative) if (minimumOf(column) < 0) check(column, 'below 0', (value) => value < 0)
  for (const column of rules.prices) if (minimumOf(column) <= 0) check(column, 'not above 0', (value) => value <= 0)
  for (const column of rules.shares)
    if (minimumOf(column) < -1e-9 || maximumOf(column) > 1 + 1e-6)
      check(column, 'outside 0 to 1', (value) => value < -1e-9 || value > 1 + 1e-6)
  const [bid, ask] = [columns.get('bid_price'), columns.get('ask_price')]
  if (bid && ask) check('bid_price', 'bid above ask', (value, row) => value > ask[row])
  const [high, low] = [columns.get('high'), columns.get('low')]
  if (high && low) {
    check('high', 'high below low', (value, row) => value < low[row])
    const isOutside = (value: number, row: number) => high[row] >= low[row] && (value > high[row] || value < low[row])
    for (const column of ['open', 'close']) check(column, 'outside low to high', isOutside)
  }
  if (tradeTimes)
    check('open_interest', 'open interest 0 despite trades', (value, row) => value === 0 && tradeTimes.has(times[row]))
  return findings
}

/** Finds the minimum and maximum without NaN; in most columns they already show that no value is out of bounds. */
function boundsOf(values: Float64Array): { min: number; max: number } {
  let [min, max] = [Infinity, -Infinity]
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (value < min) min = value
    if (value > max) max = value
  }
  // A column without values has nothing out of bounds.
  return min > max ? { min: 1, max: 1 } : { min, max }
}

/** Finds runs of rows in which a column stays constant despite activity. */
function staleRows({ times, columns, intervalMs }: FileRows, rules: QualityRules): RowFinding[] {
  const activity = rules.activity.flatMap((name) => columns.get(name) ?? [])
  const isActive = new Uint8Array(times.length).fill(activity.length === 0 ? 1 : 0)
  for (const values of activity) for (let row = 0; row < values.length; row++) if (values[row] > 0) isActive[row] = 1
  const active = activeRows(isActive)
  return rules.moving.flatMap((column) => {
    const values = columns.get(column)
    if (!values || !mayBeStale(values, active)) return []
    return staleColumn(column, { times, values, intervalMs, isActive, isAmount: !rules.levels.includes(column) })
  })
}

function activeRows(isActive: Uint8Array): Uint32Array {
  const rows = new Uint32Array(isActive.length)
  let count = 0
  for (let row = 0; row < isActive.length; row++) {
    rows[count] = row
    count += isActive[row]
  }
  return rows.subarray(0, count)
}

/**
 * Tells whether a column can have a stale run, by sampling every tenth active row: a stale run contains at least two
 * consecutive sampled rows.
 */
function mayBeStale(values: Float64Array, active: Uint32Array): boolean {
  const step = qualityLimits.staleRows / 2
  for (let at = step; at < active.length; at += step) if (values[active[at]] === values[active[at - step]]) return true
  return false
}

interface StaleCheck {
  times: Float64Array
  values: Float64Array
  intervalMs: number
  /** Activity by row: 1 if the market was active, 0 if not. */
  isActive: Uint8Array
  /** True for amounts, which legitimately repeat common values such as the minimum lot. */
  isAmount: boolean
}

interface Run {
  first: number
  last: number
  /** Number of active rows in the run. */
  rows: number
}

/** Finds runs of equal values over active rows; 0 and missing values end a run. */
function runsOf({ values, isActive }: StaleCheck): { runs: Run[]; activeCount: number } {
  const runs: Run[] = []
  let run: Run | null = null
  let activeCount = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (value !== value || value === 0) {
      run = null
      continue
    }
    if (isActive[row] === 0) continue
    activeCount++
    if (run && values[run.first] === value) {
      run.last = row
      run.rows++
      if (run.rows === 2) runs.push(run)
    } else run = { first: row, last: row, rows: 1 }
  }
  return { runs, activeCount }
}

function staleColumn(column: string, check: StaleCheck): RowFinding[] {
  const { times, values, intervalMs } = check
  const { runs, activeCount } = runsOf(check)
  const repeatCount = runs.reduce((sum, { rows }) => sum + rows - 1, 0)
  return runs.flatMap(({ first, last, rows }) => {
    if (rows < qualityLimits.staleRows) return []
    // The probability that a row repeats its predecessor is estimated outside of this run.
    const rowsOutside = Math.max(1, activeCount - rows)
    const chance = Math.max(1, repeatCount - (rows - 1)) / rowsOutside
    if (chance >= 0.9 || activeCount * chance ** (rows - 1) > qualityLimits.staleChance) return []
    if (check.isAmount && isCommon(check, first, last)) return []
    const finding = {
      ...withoutValues,
      kind: 'stale' as const,
      column,
      from: times[first],
      to: times[last] + intervalMs,
      count: rows,
    }
    const rowsIn = (from: number, to: number) => Math.round((to - from) / intervalMs)
    return splitByDay({ ...finding, value: values[first], detail: 'rows with the same value despite activity' }, rowsIn)
  })
}

/**
 * Tells whether the value of a run is also common elsewhere; in busy times the minimum lot recurs minute after minute.
 */
function isCommon({ values, isActive }: StaleCheck, first: number, last: number): boolean {
  let [active, equal] = [0, 0]
  for (let row = 0; row < values.length; row++) {
    if (isActive[row] === 0 || (row >= first && row <= last)) continue
    active++
    if (values[row] === values[first]) equal++
  }
  return equal > qualityLimits.commonShare * active
}

/** Finds short runs of rows that deviate from the rolling median, in these columns. */
export function spikes({ times, columns, intervalMs }: FileRows, levels: readonly string[]): RowFinding[] {
  return levels.flatMap((column) => {
    const values = columns.get(column)
    return values ? spikesOf(column, times, values, intervalMs) : []
  })
}

function spikesOf(column: string, times: Float64Array, values: Float64Array, intervalMs: number): RowFinding[] {
  const { spikeReach, spikeDeviations, spikeLeast } = qualityLimits
  const presentRows = positiveRows(values)
  if (presentRows.length < 4 * spikeReach || !hasRowFarFromMedian(values, presentRows)) return []
  const logs = new Float64Array(presentRows.length)
  for (let at = 0; at < logs.length; at++) logs[at] = Math.log(values[presentRows[at]])
  const medians = rollingMedian(logs, spikeReach)
  const distances = logs.map((log, at) => Math.abs(log - medians[at]))
  const candidates: number[] = []
  for (let at = 0; at < distances.length; at++) if (distances[at] > spikeLeast) candidates.push(at)
  if (candidates.length === 0) return []
  const nonZeroDistances = distances.filter((distance) => distance > 0).sort()
  const deviation = 1.4826 * (nonZeroDistances[nonZeroDistances.length >> 1] ?? 0)
  const threshold = Math.max(spikeLeast, spikeDeviations * deviation)
  const findings: RowFinding[] = []
  let before: { at: number; finding: RowFinding } | null = null
  for (const at of candidates) {
    if (distances[at] <= threshold) continue
    const time = times[presentRows[at]]
    const isNext = before !== null && before.at === at - 1 && time % 86_400_000 !== 0
    if (before && isNext) {
      before.finding.to = time + intervalMs
      before.finding.count++
      before.at = at
      continue
    }
    const expected = Math.exp(medians[at])
    const detail = `${distanceText(distances[at])} from the rolling median; the threshold is ${distanceText(threshold)}`
    const finding = {
      kind: 'spike' as const,
      column,
      from: time,
      to: time + intervalMs,
      count: 1,
      value: values[presentRows[at]],
      expected,
      detail,
    }
    findings.push(finding)
    before = { at, finding }
  }
  return findings
}

/** Lists the rows with a value above 0. */
function positiveRows(values: Float64Array): Uint32Array {
  const rows = new Uint32Array(values.length)
  let count = 0
  for (let row = 0; row < values.length; row++) if (values[row] > 0) rows[count++] = row
  return rows.subarray(0, count)
}

/**
 * Tells whether any row is far from its rolling median. A median lies between the minimum and the maximum of its
 * window, so it is computed only if these two are far apart. In most files they never are.
 */
function hasRowFarFromMedian(values: Float64Array, presentRows: Uint32Array): boolean {
  const { spikeReach, spikeLeast } = qualityLimits
  const blocks = Math.ceil(presentRows.length / spikeReach)
  const blockMinima = new Float64Array(blocks).fill(Infinity)
  const blockMaxima = new Float64Array(blocks)
  for (let at = 0, block = 0; at < presentRows.length; at++) {
    if (at >= (block + 1) * spikeReach) block++
    const value = values[presentRows[at]]
    if (value < blockMinima[block]) blockMinima[block] = value
    if (value > blockMaxima[block]) blockMaxima[block] = value
  }
  // The ratio is slightly below the limit, so that rounding in the logarithms does not hide a row.
  const ratioLimit = Math.exp(spikeLeast) * (1 - 1e-9)
  for (let block = 0; block < blocks; block++) {
    // The window of a row extends into the adjacent blocks.
    const [before, after] = [Math.max(0, block - 1), Math.min(blocks - 1, block + 1)]
    const low = Math.min(blockMinima[before], blockMinima[block], blockMinima[after])
    const high = Math.max(blockMaxima[before], blockMaxima[block], blockMaxima[after])
    if (high <= low * ratioLimit) continue
    const end = Math.min(presentRows.length, (block + 1) * spikeReach)
    for (let at = block * spikeReach; at < end; at++) if (isFarFromMedian(values, presentRows, at)) return true
  }
  return false
}

/** Sorted values of one window; the buffer is reused, because a file has many windows. */
const sortedWindow = new Float64Array(2 * qualityLimits.spikeReach + 1)

/** Tells whether one row is far from the median of its window. */
function isFarFromMedian(values: Float64Array, presentRows: Uint32Array, at: number): boolean {
  const { spikeReach, spikeLeast } = qualityLimits
  const end = Math.min(presentRows.length, at + spikeReach + 1)
  let count = 0
  for (let each = Math.max(0, at - spikeReach); each < end; each++) {
    const value = values[presentRows[each]]
    let place = count++
    for (; place > 0 && sortedWindow[place - 1] > value; place--) sortedWindow[place] = sortedWindow[place - 1]
    sortedWindow[place] = value
  }
  const half = count >> 1
  const [low, high] = [sortedWindow[count % 2 === 1 ? half : half - 1], sortedWindow[half]]
  const logMedian = low === high ? Math.log(high) : (Math.log(low) + Math.log(high)) / 2
  return Math.abs(Math.log(values[presentRows[at]]) - logMedian) > spikeLeast
}

const distanceText = (log: number) => `${(100 * Math.expm1(log)).toPrecision(3)} %`

/** Computes the median of the values at most `reach` rows away; the window is shorter at the ends. */
function rollingMedian(values: Float64Array, reach: number): Float64Array {
  const window: number[] = []
  const insert = (value: number) => window.splice(placeOf(window, value), 0, value)
  const remove = (value: number) => window.splice(placeOf(window, value), 1)
  for (let at = 0; at < Math.min(reach, values.length); at++) insert(values[at])
  return values.map((_, at) => {
    if (at + reach < values.length) insert(values[at + reach])
    if (at - reach - 1 >= 0) remove(values[at - reach - 1])
    const half = window.length >> 1
    return window.length % 2 === 1 ? window[half] : (window[half - 1] + window[half]) / 2
  })
}

/** Finds the first index in the window whose value is at least `value`; linear, because the window is small. */
function placeOf(window: readonly number[], value: number): number {
  let at = 0
  while (at < window.length && window[at] < value) at++
  return at
}
