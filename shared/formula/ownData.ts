import { parseSymbol } from '#shared/catalog/symbols.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { Grid } from './alignSeries.ts'
import type { Series } from './series.ts'

/** Own datasets: files of the user that formulas name like datasets of a service, as `own_NAME.column`. */

const OWN_PREFIX = 'own_'
const namePattern = /^[a-z][a-z0-9_]{0,30}$/

/** Endings of the files in a folder that a dataset is made of. */
export const OWN_DATA_ENDINGS: readonly string[] = ['.csv', '.tsv', '.txt', '.parquet', '.pq']

export const isOwnName = (name: string): boolean => namePattern.test(name)

export const ownDatasetId = (name: string): string => OWN_PREFIX + name

/** Returns the name of an own dataset in `own_NAME`; null for any other dataset. */
export function ownNameOf(dataset: string): string | null {
  const name = dataset.startsWith(OWN_PREFIX) ? dataset.slice(OWN_PREFIX.length) : ''
  return isOwnName(name) ? name : null
}

const unquotedPattern = /(?<!["\p{L}\p{N}_.])(own_[a-z0-9_]+)\.[^"]*$/u

/** Says how to write a column of an own dataset with blanks or signs, if the text that was read ends in such a name. */
export function unquotedNameHint(textBefore: string): string {
  const found = unquotedPattern.exec(textBefore)
  return found === null ? '' : ` A name with blanks or signs is quoted as a whole: "${found[1]}.…".`
}

/** What a formula reads of an own dataset: a column, the number of its events, or the time since the last one. */
export interface OwnReading {
  name: string
  /** The column; `EVENTS_COLUMN` or `SINCE_COLUMN` for what `events` and `since` count. */
  column: string
}

export const EVENTS_COLUMN = 'events()'
export const SINCE_COLUMN = 'since()'
/** Functions whose argument is the name of an own dataset of events. */
export const eventFunctions: readonly string[] = ['events', 'since']

const callPattern = /^(events|since)\((own_[a-z0-9_]+)\)$/

/** Returns the series that `events(own_NAME)` and `since(own_NAME)` read: its name is the call itself. */
export const eventSeriesName = (calledName: string, dataset: string): string => `${calledName}(${dataset})`

export const isEventSeriesName = (name: string): boolean => callPattern.test(name)

/** Reads the name of a series in a formula; null if it is none of an own dataset. */
export function ownReadingOf(seriesName: string): OwnReading | null {
  const called = callPattern.exec(seriesName)
  const dot = seriesName.indexOf('.')
  const dataset = called ? called[2] : seriesName.slice(0, Math.max(0, dot))
  const name = ownNameOf(dataset)
  if (name === null) return null
  return { name, column: called ? (called[1] === 'events' ? EVENTS_COLUMN : SINCE_COLUMN) : seriesName.slice(dot + 1) }
}

/** Writes the name of a series of an own dataset in formulas. */
export function ownSeriesName({ name, column }: OwnReading): string {
  const dataset = ownDatasetId(name)
  if (column === EVENTS_COLUMN) return eventSeriesName('events', dataset)
  return column === SINCE_COLUMN ? eventSeriesName('since', dataset) : `${dataset}.${column}`
}

/** Names a column of an own dataset for charts and tables: `flows: netflow`; null for any other dataset. */
export function ownColumnLabel(dataset: string, column: string): string | null {
  const name = ownNameOf(dataset)
  if (name === null) return null
  if (column === EVENTS_COLUMN) return `${name}: events`
  return column === SINCE_COLUMN ? `${name}: rows since the last event` : `${name}: ${column}`
}

/** Whose rows are: venue and symbol as the files write them, null where they have none. */
export interface OwnOwner {
  exchange: string | null
  symbol: string | null
}

/** Ranks how well the owner of rows matches an instrument: 0 for not at all. */
function matchRank({ exchange, symbol }: OwnOwner, instrument: { exchange: string; symbol: string }, base: string) {
  if (exchange !== null && exchange !== instrument.exchange) return 0
  const venueRank = exchange === null ? 0 : 1
  if (symbol === null) return 1 + venueRank
  // A spot pair has no colon and no base that could be told.
  if (symbol === instrument.symbol) return 5 + venueRank
  return symbol === base && !symbol.includes(':') ? 3 + venueRank : 0
}

/**
 * Finds whose rows stand beside an instrument: those of its symbol, else those of its base, else those of no symbol; of
 * equal ones those of its venue. Capitals count. Returns the place in the list; -1 if none do.
 */
export function ownerOf(owners: readonly OwnOwner[], instrument: { exchange: string; symbol: string }): number {
  const base = parseSymbol(instrument.symbol)?.base ?? ''
  let best = -1
  let bestRank = 0
  owners.forEach((owner, place) => {
    const rank = matchRank(owner, instrument, base)
    if (rank > bestRank) [best, bestRank] = [place, rank]
  })
  return best
}

/** When the rows of an own dataset are known. */
export interface OwnTiming {
  /** Interval of the rows; null for events. */
  intervalMs: number | null
  knownAfterMs: number
}

/** Returns the time from the label of a row to when it is known, in microseconds. */
export const knownDelayUs = ({ intervalMs, knownAfterMs }: OwnTiming): number =>
  ((intervalMs ?? 0) + knownAfterMs) * 1000

/** Returns the UTC day at whose end a row is known that is known at this time, in microseconds. */
export const knownDayOf = (knownUs: number): DayNumber => Math.ceil(knownUs / (MS_PER_DAY * 1000)) - 1

/** Bars of an own dataset after whose end a value is too old to stand. */
export const MOST_BARS_OLD = 3

/** Rows of one owner in time order; times are labels in microseconds. NaN and infinities are missing. */
export interface OwnRows {
  timesUs: Float64Array
  values: Float64Array
}

/**
 * Joins rows to a grid as they were known: a row of the grid gets the value of the last row that was known at its end
 * and, of regular rows, is at most three of their bars old. If that value is missing, no older one takes its place.
 * This is the only place that decides when own data is known.
 */
export function asKnown({ timesUs, values }: OwnRows, timing: OwnTiming, grid: Grid): Series {
  const joined = emptyOn(grid)
  const delayUs = knownDelayUs(timing)
  const mostAgeUs = timing.intervalMs === null ? Infinity : MOST_BARS_OLD * timing.intervalMs * 1000
  let next = 0
  for (let row = 0; row < grid.rows; row++) {
    const endUs = (grid.firstSlot + row + 1) * grid.intervalMs * 1000
    while (next < timesUs.length && timesUs[next] + delayUs <= endUs) next++
    if (next === 0 || endUs - (timesUs[next - 1] + delayUs) > mostAgeUs) continue
    const value = values[next - 1]
    if (value - value !== 0) continue
    joined.values[row] = value
    joined.valid[row] = 1
  }
  return joined
}

/** Counts the events that become known within each row of a grid; 0 where none do. */
export function countKnown(timesUs: Float64Array, timing: OwnTiming, grid: Grid): Series {
  const { values } = emptyOn(grid)
  const delayUs = knownDelayUs(timing)
  for (const timeUs of timesUs) {
    const row = Math.floor((timeUs + delayUs) / (grid.intervalMs * 1000)) - grid.firstSlot
    if (row >= 0 && row < grid.rows) values[row]++
  }
  return { ...gridOf(grid), values, valid: null }
}

/** Counts the rows of a grid since the one in which the last event became known; missing before the first. */
export function rowsSinceKnown(timesUs: Float64Array, timing: OwnTiming, grid: Grid): Series {
  const counted = emptyOn(grid)
  const delayUs = knownDelayUs(timing)
  const stepUs = grid.intervalMs * 1000
  let next = 0
  for (let row = 0; row < grid.rows; row++) {
    const slot = grid.firstSlot + row
    while (next < timesUs.length && timesUs[next] + delayUs < (slot + 1) * stepUs) next++
    if (next === 0) continue
    counted.values[row] = slot - Math.floor((timesUs[next - 1] + delayUs) / stepUs)
    counted.valid[row] = 1
  }
  return counted
}

/** Puts what a formula reads of an own dataset on a grid. */
export function readingAsKnown(column: string, rows: OwnRows, timing: OwnTiming, grid: Grid): Series {
  if (column === EVENTS_COLUMN) return countKnown(rows.timesUs, timing, grid)
  return column === SINCE_COLUMN ? rowsSinceKnown(rows.timesUs, timing, grid) : asKnown(rows, timing, grid)
}

const gridOf = ({ intervalMs, firstSlot }: Grid) => ({ intervalMs, firstSlot })

const emptyOn = (grid: Grid) => ({
  ...gridOf(grid),
  values: new Float64Array(grid.rows),
  valid: new Uint8Array(grid.rows),
})
