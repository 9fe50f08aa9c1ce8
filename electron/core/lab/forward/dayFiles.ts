import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { DayArrival } from '#shared/lab/forward/forwardDays.ts'
import { dayOf, MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber, type Period } from '#shared/time/periods.ts'
import { createListings, firstDailyDayOf, plannedPeriods, statesOfPeriods } from '#core/downloads/plan.ts'
import { ownDatasetId } from '#shared/formula/ownData.ts'
import { planSeries } from '#core/series/planSeries.ts'
import type { Arrival } from '#core/store/arrivalStore.ts'
import type { Arrivals } from '#core/store/rowArrivals.ts'
import type { PanelSourceFile } from '#core/store/fileStore.ts'
import { lastWholeDay } from '#core/store/ownDataStore.ts'
import type { Store } from '#core/store/store.ts'
import type { ReadSource } from './forwardRuns.ts'

/** The files of one day that a run reads, with what they are. */
export interface DayFiles extends DayArrival {
  files: number
  /** Number that files of other content change. */
  content: number
}

type DayStore = Pick<Store, 'files' | 'arrivals' | 'rowArrivals' | 'unavailable' | 'coverage' | 'ownData'>

/** Finds the files of each day of some series, from a day on. */
export function dayFilesOf(
  store: DayStore,
  connectionId: string,
  source: ReadSource,
  fromDay: DayNumber,
  nowMs: number,
): (day: DayNumber) => DayFiles | undefined {
  const today = Math.floor(nowMs / MS_PER_DAY)
  const days = emptyDays(fromDay, today)
  for (const timestamp of source.timestamps)
    addSeries(days, { store, connectionId, source, timestamp, fromDay, today, nowMs })
  for (const name of source.own) {
    const record = store.ownData.find(name)?.record
    const wholeTo = record ? lastWholeDay(record) : null
    addRows(days, fromDay, store.rowArrivals.read(ownDatasetId(name)), wholeTo ?? -Infinity)
  }
  return (day) => days[day - fromDay]
}

/**
 * Finds what came of histories of the portfolio service on each day, from a day on.
 * @param wholeTo last day of which no row may still come
 */
export function dayRowsOf(
  { rowArrivals }: Pick<Store, 'rowArrivals'>,
  sources: readonly string[],
  fromDay: DayNumber,
  { nowMs, wholeTo = Infinity }: { nowMs: number; wholeTo?: DayNumber },
): (day: DayNumber) => DayFiles | undefined {
  const days = emptyDays(fromDay, Math.floor(nowMs / MS_PER_DAY))
  for (const source of sources) addRows(days, fromDay, rowArrivals.read(source), wholeTo)
  return (day) => days[day - fromDay]
}

const emptyDays = (fromDay: DayNumber, today: DayNumber): DayFiles[] =>
  Array.from({ length: Math.max(0, today - fromDay + 1) }, () => ({
    ...{ arrivedMs: Infinity, readMs: null, isWhole: true, files: 0, content: 0 },
  }))

interface Wanted {
  store: DayStore
  connectionId: string
  source: ReadSource
  timestamp: TimestampSource
  fromDay: DayNumber
  today: DayNumber
  nowMs: number
}

/** Adds the files of all series by one clock to the days. */
function addSeries(days: DayFiles[], wanted: Wanted): void {
  const { store, connectionId, source, timestamp, fromDay, today } = wanted
  const filter = { ...filterOf(source), timestamps: [timestamp] }
  const range = { startDay: fromDay, endDay: today + 1 }
  const files = Map.groupBy(store.files.withPanelFacts({ connectionId, kind: 'metrics', ...filter, ...range }), nameOf)
  const arrivals = Map.groupBy(store.arrivals.list({ ...filter, fromDay }), nameOf)
  const missingDays = createMissingDays(wanted)
  for (const series of source.series) {
    const name = nameOf(series)
    const own = files.get(name) ?? []
    const fileByDay = filesByDay(own, wanted)
    const arrivalByDay = arrivalsByDay(arrivals.get(name) ?? [], wanted)
    const isMissing = missingDays(series, own)
    days.forEach((day, at) =>
      addFile(day, fileByDay.get(fromDay + at), arrivalByDay.get(fromDay + at), isMissing, fromDay + at),
    )
  }
}

/**
 * Adds the rows of a source to the days. Of a day before the last row it is not known when each of its rows came, so all
 * of them came with the first later row.
 * @param wholeTo last day of which no row may still come
 */
function addRows(days: DayFiles[], fromDay: DayNumber, { steps, changes }: Arrivals, wholeTo: DayNumber): void {
  days.forEach((day, at) => {
    const number = fromDay + at
    if (number > wholeTo) day.isWhole = false
    const arrivals = steps.filter(({ toDay }) => toDay >= number).map(({ arrivedAtMs }) => arrivedAtMs)
    if (arrivals.length === 0) return
    const arrivedMs = arrivals.reduce(earlier)
    day.arrivedMs = earlier(day.arrivedMs, arrivedMs)
    if (arrivedMs !== null) day.readMs = Math.min(day.readMs ?? Infinity, arrivedMs)
    day.files++
    mixContent(day, changes.get(number) ?? 0)
  })
}

/** Finds the series of a source, and a few more if its datasets are not the same for all symbols. */
export const filterOf = ({ series }: ReadSource) => ({
  datasets: distinct(series.map(({ dataset }) => dataset)),
  intervals: distinct(series.map(({ interval }) => interval)),
  pairs: series,
})

const distinct = (names: readonly string[]): string[] => [...new Set(names)]

const nameOf = ({ dataset, interval, exchange, symbol }: Omit<ReadSource['series'][number], never>): string =>
  `${dataset} ${interval} ${exchange}/${symbol}`

/** Adds one file to its day; an arrival that is not known makes that of the day unknown. */
function addFile(
  day: DayFiles,
  file: PanelSourceFile | undefined,
  arrivedMs: number | null | undefined,
  isMissing: (day: DayNumber) => boolean,
  number: DayNumber,
): void {
  if (arrivedMs !== undefined || file)
    day.arrivedMs = arrivedMs === undefined ? null : earlier(day.arrivedMs, arrivedMs)
  if (!file) {
    if (!isMissing(number)) day.isWhole = false
    return
  }
  day.readMs = Math.min(day.readMs ?? Infinity, file.fetchedAtMs)
  day.files++
  mixContent(day, Number.parseInt(file.sha256.slice(0, 11), 16))
}

/** So small that 31 times as much is a whole number without rounding. */
const CONTENT_LIMIT = 2 ** 48

function mixContent(day: DayFiles, content: number): void {
  day.content = (day.content * 31 + content) % CONTENT_LIMIT
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : Math.min(a, b)

/** Finds the file of which the rows of each day are read. */
function filesByDay(files: readonly PanelSourceFile[], { fromDay, today }: Wanted): Map<DayNumber, PanelSourceFile> {
  const range = { startMs: fromDay * MS_PER_DAY, endMs: (today + 1) * MS_PER_DAY }
  const byDay = new Map<DayNumber, PanelSourceFile>()
  for (const { file, startMs, endMs } of planSeries(files, range))
    for (let day = startMs / MS_PER_DAY; day < endMs / MS_PER_DAY; day++) byDay.set(day, file)
  return byDay
}

/** Finds the earliest arrival of any file of each day; null where one is not known. */
function arrivalsByDay(arrivals: readonly Arrival[], { fromDay, today }: Wanted): Map<DayNumber, number | null> {
  const byDay = new Map<DayNumber, number | null>()
  for (const { startDay, endDay, arrivedAtMs } of arrivals) {
    for (let day = Math.max(startDay, fromDay); day < Math.min(endDay, today + 1); day++) {
      byDay.set(day, byDay.has(day) ? earlier(byDay.get(day) ?? null, arrivedAtMs) : arrivedAtMs)
    }
  }
  return byDay
}

/** Creates a function that tells of which days the service is known to have no file of a series. */
function createMissingDays({ store, connectionId, timestamp, fromDay, today, nowMs }: Wanted) {
  const mayExist = createListings(store as Store, { connectionId, kind: 'metrics' })
  const firstDailyDay = firstDailyDayOf(store as Store, connectionId)
  const periods = plannedPeriods(dayFromNumber(fromDay), dayFromNumber(today), dayOf(nowMs), firstDailyDay)
  return (named: ReadSource['series'][number], files: readonly PanelSourceFile[]): ((day: DayNumber) => boolean) => {
    const series = { connectionId, kind: 'metrics' as const, timestamp, ...named }
    const absent = new Set<Period>()
    for (const { period, seenAtMs } of store.unavailable.absentPeriods(series, fromDay, today + 1)) {
      // What was asked for before its end may have come since.
      const end = periods.find((one) => one.period === period)?.endDay ?? Infinity
      if (seenAtMs >= end * MS_PER_DAY) absent.add(period)
    }
    const cachedRanges = files.map(({ isFinal, ...days }) => ({ ...days, isFinal: isFinal === 1 }))
    const states = statesOfPeriods(periods, { cachedRanges, absent, isLocked: false, mayExist: mayExist(series) })
    const missing = new Set<DayNumber>()
    periods.forEach(({ startDay, endDay }, at) => {
      if (!['absent', 'gap', 'unknown'].includes(states[at])) return
      for (let day = startDay; day < endDay; day++) missing.add(day)
    })
    return (day) => missing.has(day)
  }
}
