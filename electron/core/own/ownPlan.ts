import type { OwnDataset, OwnRecord } from '#core/store/ownDataStore.ts'
import type { Store } from '#core/store/store.ts'
import {
  EVENTS_COLUMN,
  knownDelayUs,
  MOST_BARS_OLD,
  type OwnOwner,
  ownerOf,
  type OwnReading,
  ownReadingOf,
  type OwnRows,
  ownSeriesName,
  type OwnTiming,
  readingAsKnown,
  SINCE_COLUMN,
} from '#shared/formula/ownData.ts'
import type { Grid } from '#shared/formula/alignSeries.ts'
import type { Series } from '#shared/formula/series.ts'
import { printName } from '#shared/formula/printFormula.ts'
import { suggestName } from '#shared/formula/suggestName.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { storedParts } from './ownFolder.ts'
import { type LabelRange, readOwners, type StoredPart } from './storedRows.ts'

/** What a thread needs to read columns of an own dataset. */
export interface PlannedOwn extends OwnTiming {
  name: string
  /** Columns to read, also those that count events. */
  columns: string[]
  /** Units by column; null where none was said. */
  units: Record<string, string | null>
  owners: readonly OwnOwner[]
  parts: (StoredPart & { month: string })[]
}

const isEventCount = (column: string): boolean => column === EVENTS_COLUMN || column === SINCE_COLUMN

/**
 * Returns the problem of a name in a formula that looks like one of an own dataset, as a sentence without its point; null
 * if it can be read.
 */
export function ownProblem({ ownData }: Pick<Store, 'ownData'>, { name, column }: OwnReading): string | null {
  const found = ownData.find(name)
  if (!found) {
    const names = ownData.list().map((each) => each.name)
    const nearest = suggestName(name, names)
    return `there is no dataset own_${name} of your own${nearest === null ? '' : `; did you mean own_${nearest}?`}`
  }
  if (ownData.parts(name).length === 0) return rowsAreElsewhere(found)
  const { columns, intervalMs, label, leftOut } = found.record
  const called = column.replace(/\(\)$/, '')
  if (isEventCount(column))
    return intervalMs === null
      ? null
      : `${called} counts events, and own_${name} is regular; only a dataset that was added as events has any`
  if (columns.some((each) => each.name === column)) return null
  const isColumn = (other: string) => other.toLowerCase() === column.toLowerCase()
  if (label !== null && isColumn(label)) return `${label} is the label of own_${name}, and formulas read only numbers`
  const left = leftOut.find((each) => isColumn(each.name))
  if (left) return `own_${name} was added without its column ${left.name}: ${left.why}`
  const names = columns.map((each) => each.name)
  const nearest = suggestName(column, names)
  if (nearest !== null)
    return `own_${name} has no column ${column}; did you mean ${printName(ownSeriesName({ name, column: nearest }))}?`
  const hint = columns.length === 0 ? `; it has only events(own_${name}) and since(own_${name})` : columnsText(names)
  return `own_${name} has no column ${column}${hint}`
}

const MOST_LISTED = 8

const columnsText = (names: readonly string[]): string =>
  `; its columns are ${names.slice(0, MOST_LISTED).join(', ')}${names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : ''}`

/** Writes the problem of a name as a sentence. */
export const ownProblemText = (seriesName: string, problem: string): string =>
  `${seriesName}: ${/[.?]$/.test(problem) ? problem : `${problem}.`}`

/** Says that a dataset was restored from a backup without its rows. */
export const rowsAreElsewhere = ({ name, record }: Pick<OwnDataset, 'name' | 'record'>): string =>
  `the rows of own_${name} are not on this machine; ${
    record.paths.length > 0
      ? `a refresh reads its files again: under Raw events → Your datasets, or with “perpscope data refresh ${name}”`
      : 'remove it and add its rows again'
  }`

/** Plans the reading of an own dataset for rows of a range; throws if there is none with this name. */
export function planOwn(
  store: Pick<Store, 'ownData' | 'folder'>,
  { name, columns }: { name: string; columns: readonly string[] },
  range: TimeRange,
): PlannedOwn {
  const { record } = store.ownData.read(name)
  const { intervalMs, knownAfterMs, owners } = record
  const timing = { intervalMs, knownAfterMs }
  const labels = labelsKnownIn(timing, range)
  return {
    name,
    ...timing,
    columns: [...columns],
    units: Object.fromEntries([
      ...record.columns.map(({ name: column, unit }) => [column, unit] as const),
      [EVENTS_COLUMN, 'events'] as const,
      [SINCE_COLUMN, 'none'] as const,
    ]),
    owners,
    parts: storedParts(store, { name }).filter(
      ({ startUs, endUs }) => endUs > labels.startUs && startUs < labels.endUs,
    ),
  }
}

/** Returns the labels of the rows that may stand in a range: those of events reach back without end. */
export function labelsKnownIn(timing: OwnTiming, { startMs, endMs }: TimeRange): LabelRange {
  const delayUs = knownDelayUs(timing)
  const mostAgeUs = timing.intervalMs === null ? Infinity : MOST_BARS_OLD * timing.intervalMs * 1000
  return { startUs: startMs * 1000 - delayUs - mostAgeUs, endUs: endMs * 1000 - delayUs + 1 }
}

const DAY_MS = 86_400_000

/** Tells whether a file without a delay was modified more than a day after its last row was known. */
export const mayBePublishedLater = ({ intervalMs, knownAfterMs, lastTimeUs, files }: OwnRecord): boolean =>
  knownAfterMs === 0 &&
  lastTimeUs !== null &&
  files.some(
    ({ modifiedAtMs }) => modifiedAtMs - (lastTimeUs + knownDelayUs({ intervalMs, knownAfterMs })) / 1000 > DAY_MS,
  )

/** Text that changes with the rows that a plan reads. */
export const ownKey = ({ name, columns, knownAfterMs, parts }: PlannedOwn): string =>
  `own_${name} ${columns.join(',')} ${knownAfterMs} ${parts.map(({ sha256 }) => sha256).join(',')}`

/** Reads columns of own datasets as they were known, with one copy for all instruments that share rows. */
export class OwnColumns {
  readonly #planned: readonly PlannedOwn[]
  readonly #grid: Grid
  readonly #instruments: readonly { exchange: string; symbol: string }[]
  readonly #joined = new Map<string, { bySymbol: Int32Array; byOwner: Map<number, Series> }>()

  constructor(
    planned: readonly PlannedOwn[],
    grid: Grid,
    instruments: readonly { exchange: string; symbol: string }[],
  ) {
    this.#planned = planned
    this.#grid = grid
    this.#instruments = instruments
  }

  /** Names of the columns in formulas. */
  get names(): string[] {
    return this.#planned.flatMap(({ name, columns }) => columns.map((column) => ownSeriesName({ name, column })))
  }

  /** Reads a column beside an instrument; null if there is no such column. */
  series(seriesName: string, instrument: number): Series | null {
    const column = this.column(seriesName)
    return column && (column.byOwner.get(column.bySymbol[instrument]) ?? this.#absent(seriesName))
  }

  /** Reads a column for all instruments: which owner's rows stand beside each, and these rows on the grid. */
  column(seriesName: string): { bySymbol: Int32Array; byOwner: Map<number, Series> } | null {
    const known = this.#joined.get(seriesName)
    if (known) return known
    const reading = ownReadingOf(seriesName)
    const planned = this.#planned.find(({ name }) => name === reading?.name)
    if (!reading || !planned?.columns.includes(reading.column)) return null
    const bySymbol = Int32Array.from(this.#instruments, (instrument) => ownerOf(planned.owners, instrument))
    const wanted = new Set([...bySymbol].filter((owner) => owner >= 0))
    const { intervalMs, firstSlot, rows } = this.#grid
    const range = { startMs: (firstSlot + 1) * intervalMs, endMs: (firstSlot + rows) * intervalMs }
    const read = readOwners(planned.parts, wanted, reading.column, labelsKnownIn(planned, range))
    const byOwner = new Map(
      [...read].map(([owner, ownRows]) => [owner, readingAsKnown(reading.column, ownRows, planned, this.#grid)]),
    )
    const joined = { bySymbol, byOwner }
    this.#joined.set(seriesName, joined)
    return joined
  }

  /** Returns what stands beside an instrument that has no rows: no value, and no event. */
  #absent(seriesName: string): Series {
    const { column } = ownReadingOf(seriesName)!
    const noRows: OwnRows = { timesUs: new Float64Array(0), values: new Float64Array(0) }
    return readingAsKnown(column, noRows, { intervalMs: null, knownAfterMs: 0 }, this.#grid)
  }
}
