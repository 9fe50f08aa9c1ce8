import { TimeGridTally } from '#core/downloads/timeGrid.ts'
import { type ValidatedFile, validateOpened } from '#core/downloads/verifyFile.ts'
import { ValueChecks } from '#core/parquet/checkValues.ts'
import { plausibleRows } from '#core/parquet/fileLimits.ts'
import { type ParquetColumn, ParquetFile } from '#core/parquet/parquetFile.ts'
import {
  isRawDatasetId,
  type RawColumn,
  rawColumns,
  rawDataset,
  type RawDatasetId,
} from '#shared/catalog/rawDatasets.ts'
import type { EventConditions, FileIssue, FileIdentity } from '#shared/contract/areas/raw.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { TIME_KIND } from '#shared/contract/identityIssues.ts'
import { dayFromNumber, type DayNumber, type Period, periodDays } from '#shared/time/periods.ts'
import { agree, plainPlural } from '#shared/units/plurals.ts'
import { readConditions } from './eventConditions.ts'
import { datasetOf, pathHints } from './pathHints.ts'

/**
 * Identity of a file as the user states it, which takes precedence over the recognised one, and the venues that its path
 * may name.
 */
export interface GivenIdentity {
  venues: readonly string[]
  dataset?: string | undefined
  exchange?: string | undefined
  symbol?: string | undefined
}

export interface Inspection extends Omit<FileIdentity, 'dataset'> {
  dataset: RawDatasetId | null
  rows: number | null
  hasTimeKind: boolean
  /** Problems that do not depend on the venue and the symbol. */
  contentIssues: FileIssue[]
  conditions: EventConditions | null
  /** What validation found, so that a copy of the same bytes need not be read again; null if the file is refused. */
  proof: ValidatedFile | null
}

function nothingKnown(path: string, given: GivenIdentity) {
  const hints = pathHints(path, given.venues)
  return {
    dataset: null,
    exchange: given.exchange ?? hints.exchange,
    symbol: given.symbol ?? hints.symbol,
    period: hints.period,
    rows: null,
    hasTimeKind: false,
    conditions: null,
    proof: null,
  }
}

/** Returns the inspection of a file that could not be read. */
export const unreadable = (path: string, given: GivenIdentity, message: string): Inspection => ({
  ...nothingKnown(path, given),
  contentIssues: [errorIssue(message)],
})

/** Inspects an event file completely. Problems of the file are reported as issues, never thrown. */
export function inspectFile(
  path: string,
  given: GivenIdentity,
  onRows: (done: number, total: number) => void = () => {},
): Inspection {
  const hints = pathHints(path, given.venues)
  const baseInspection = nothingKnown(path, given)
  try {
    using file = new ParquetFile(path, { remember: false })
    if (file.rows > plausibleRows(file.sizeBytes))
      return unreadable(
        path,
        given,
        `It claims ${plainPlural(file.rows, 'row')}, which is more than a file of ${plainPlural(file.sizeBytes, 'byte')} can have.`,
      )
    const columns = file.columns.map(({ name }) => name)
    const dataset = datasetOf(columns)
    const opened = { ...baseInspection, hasTimeKind: columns.includes(TIME_KIND), rows: file.rows }
    if (dataset === null) return { ...opened, contentIssues: [errorIssue(describeColumns(columns))] }
    const recognised = { ...opened, dataset }
    const expected = given.dataset ?? hints.dataset
    const issues = [
      ...datasetIssues(dataset, expected, given.dataset !== undefined),
      ...columnIssues(dataset, file.columns),
    ]
    if (file.rows === 0) issues.push(errorIssue('It has no rows.'))
    if (issues.some(({ level }) => level === 'error')) return { ...recognised, contentIssues: issues }
    const { eventFacts, known } = readEvents(file, dataset, onRows)
    const chosenPeriod = choosePeriod(hints.period, eventFacts.days)
    issues.push(...eventFacts.issues, ...chosenPeriod.issues, ...conditionIssues(eventFacts.conditions))
    const isRefused = issues.some(({ level }) => level === 'error')
    return {
      ...recognised,
      period: chosenPeriod.period,
      conditions: eventFacts.conditions,
      contentIssues: issues,
      proof: isRefused ? null : validateOpened(file, { deep: true }, known),
    }
  } catch (thrown) {
    const { detail, sentence } = toAppError(thrown)
    const message = (detail ?? sentence).replace(`${path}: `, '').replace(path, 'It')
    return { ...baseInspection, contentIssues: [errorIssue(message.charAt(0).toUpperCase() + message.slice(1))] }
  }
}

/** Reads the conditions of the events, and on the way what validation needs to know of the same values. */
function readEvents(file: ParquetFile, dataset: RawDatasetId, onRows: (done: number, total: number) => void) {
  const checks = new ValueChecks(file)
  const times = new TimeGridTally()
  const eventFacts = readConditions(
    file,
    dataset,
    (done, { timeUs, rows }) => {
      times.add(timeUs.subarray(0, rows), US_PER_MS)
      onRows(done, file.rows)
    },
    checks,
  )
  const { grid } = times
  return { eventFacts, known: { areExact: checks.areExact, times: grid && { column: 'exchange_timestamp', grid } } }
}

const US_PER_MS = 1000

const issueOf = (level: FileIssue['level'], message: string): FileIssue => ({ level, message })
const errorIssue = (message: string) => issueOf('error', message)
const warningIssue = (message: string) => issueOf('warning', message)

function describeColumns(names: readonly string[]): string {
  if (names.includes('time') && !names.includes('exchange_timestamp'))
    return 'These are rows of a metric (column time), not raw events.'
  return `Its columns match no raw dataset: ${names.slice(0, 8).join(', ').slice(0, 200) || 'it has none'}.`
}

function datasetIssues(dataset: RawDatasetId, expected: string | null, isGiven: boolean): FileIssue[] {
  if (expected === null || expected === dataset) return []
  if (!isRawDatasetId(expected)) return [errorIssue(`There is no raw dataset “${expected.slice(0, 60)}”.`)]
  if (isGiven) return [errorIssue(`Its columns are those of ${dataset}, not of ${expected}.`)]
  return [warningIssue(`Its path says ${expected}, but its columns are those of ${dataset}.`)]
}

const countText = (count: number, word: string) => agree(count, `One ${word}`, `${count} ${word}s`)
const shareText = (count: number, events: number) => `${((100 * count) / events).toPrecision(2)} %`

function conditionIssues(conditions: EventConditions): FileIssue[] {
  const { events, outOfOrder, duplicates, unusable, modelledArrivals } = conditions
  const issues: FileIssue[] = []
  if (outOfOrder > 0)
    issues.push(
      warningIssue(
        `${countText(outOfOrder, 'event')} (${shareText(outOfOrder, events)}) ${agree(outOfOrder, 'comes', 'come')} after a later one.`,
      ),
    )
  if (duplicates > 0)
    issues.push(warningIssue(`${countText(duplicates, 'event')} ${agree(duplicates, 'appears', 'appear')} twice.`))
  if (unusable > 0)
    issues.push(
      warningIssue(`${countText(unusable, 'value')} cannot be used: missing, negative, not finite, or a price of 0.`),
    )
  if (modelledArrivals > 0)
    issues.push(
      issueOf('note', `${shareText(modelledArrivals, events)} of the arrivals are modelled, so they give no latency.`),
    )
  return issues
}

type InspectedColumn = Pick<ParquetColumn, 'name' | 'type' | 'timestampUnit'>

/** Checks the columns of a file against the catalog, independently of the venue. */
function columnIssues(dataset: RawDatasetId, columns: readonly InspectedColumn[]): FileIssue[] {
  const issues: FileIssue[] = []
  for (const documentedColumn of rawDataset(dataset).columns) {
    const column = columns.find(({ name }) => name === documentedColumn.name)
    if (column) issues.push(...typeIssues(documentedColumn, column))
    else issues.push(columnIssue('error', `Column ${documentedColumn.name} is missing.`))
  }
  const knownNames = new Set(rawColumns(dataset, true).map(({ name }) => name))
  const otherNames = columns.map(({ name }) => name).filter((name) => !knownNames.has(name))
  if (otherNames.length > 0) {
    const message = otherNames.slice(0, 5).join(', ').slice(0, 200)
    issues.push(
      columnIssue(
        'note',
        `Columns that the catalog does not list are kept: ${message}${otherNames.length > 5 ? ' …' : ''}.`,
      ),
    )
  }
  return issues
}

const columnIssue = (level: FileIssue['level'], message: string): FileIssue => ({ level, message })

function typeIssues({ name, type }: RawColumn, column: InspectedColumn): FileIssue[] {
  const subject = `Column ${name} is ${describeType(column)}`
  if (type === 'timestamp') {
    if (column.timestampUnit === null) return [columnIssue('error', `${subject}, not a timestamp.`)]
    return column.timestampUnit === 'us'
      ? []
      : [columnIssue('note', `Column ${name} is in ${column.timestampUnit}, not microseconds.`)]
  }
  const isNumber = column.timestampUnit === null && column.type !== 'text' && column.type !== 'boolean'
  if (type === 'float64') {
    if (column.type === 'double') return []
    return [columnIssue(isNumber ? 'note' : 'error', `${subject}, not ${isNumber ? 'double' : 'numbers'}.`)]
  }
  if (column.type === 'text') return []
  return [columnIssue(isNumber && name === 'id' ? 'note' : 'error', `${subject}, not text.`)]
}

function describeType({ type, timestampUnit }: InspectedColumn): string {
  if (timestampUnit !== null) return 'a timestamp'
  return type === 'other' ? 'of an unusual type' : type
}

interface ChosenPeriod {
  period: Period | null
  issues: FileIssue[]
}

/**
 * Chooses the day or month that an event file covers: the period in its name if most events lie in it, otherwise the
 * shortest period that contains nearly all events. A few events beyond midnight do not make it a file of two days.
 */
export function choosePeriod(namedPeriod: Period | null, days: ReadonlyMap<DayNumber, number>): ChosenPeriod {
  const events = sum(days.values())
  if (namedPeriod !== null) {
    const eventsOutside = events - eventsIn(namedPeriod, days)
    if (eventsOutside === 0) return { period: namedPeriod, issues: [] }
    if (eventsOutside < events / 2)
      return {
        period: namedPeriod,
        issues: [outsideIssue(eventsOutside, namedPeriod)],
      }
  }
  const byContent = contentPeriod(days, events)
  if (namedPeriod === null || byContent.period === null) return byContent
  const message = `Its name says ${namedPeriod}, but its events are of ${byContent.period}.`
  return { ...byContent, issues: [{ level: 'warning', message }, ...byContent.issues] }
}

const outsideIssue = (events: number, period: Period): FileIssue => ({
  level: 'warning',
  message: `${agree(events, 'One event is', `${events} events are`)} not of ${period}.`,
})

/** Maximum share of the events that may lie outside the period. */
const MAX_OTHER_SHARE = 0.001

function contentPeriod(days: ReadonlyMap<DayNumber, number>, events: number): ChosenPeriod {
  const texts = [...days.keys()].toSorted((a, b) => a - b).map(dayFromNumber)
  const candidates = [...new Set([...texts, ...texts.map((day) => day.slice(0, 7))])]
  const fittingPeriods = candidates.filter((period) => eventsIn(period, days) >= events * (1 - MAX_OTHER_SHARE))
  // The shortest period that fits: days come before months.
  const period = fittingPeriods.at(0) ?? null
  if (period === null) {
    const message = `Its events range from ${texts[0]} to ${texts.at(-1)}, which is more than one month. Split the file.`
    return { period, issues: [{ level: 'error', message }] }
  }
  const eventsOutside = events - eventsIn(period, days)
  return {
    period,
    issues: eventsOutside === 0 ? [] : [outsideIssue(eventsOutside, period)],
  }
}

function eventsIn(period: Period, days: ReadonlyMap<DayNumber, number>): number {
  const range = periodDays(period)
  if (!range) return 0
  return sum([...days].map(([day, events]) => (day >= range.start && day < range.end ? events : 0)))
}

const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0)
