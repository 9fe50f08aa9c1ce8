import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { inferredFunding, joinedChanges, type MonthOfRates, type RateChanges } from '#shared/funding/inferredFunding.ts'
import { observedFunding } from '#shared/funding/observedFunding.ts'
import { type AnnouncedFunding, type ResolvedFunding, resolveFunding } from '#shared/funding/resolveFunding.ts'
import { datedInstruments } from '#shared/contract/instrumentHistory.ts'
import type { FundingPeriods } from '#shared/funding/fundingPeriods.ts'
import { MS_PER_DAY, parseDuration, parseInterval } from '#shared/time.ts'
import { dayFromNumber, periodDays } from '#shared/time/periods.ts'
import type { OpenTimeRange, TimeRange } from '#shared/time/ranges.ts'
import { unpackChanges } from '#core/series/fundingEvidence.ts'
import type { FundingTask } from '#core/series/readerTask.ts'
import type { SeriesReader } from '#core/series/seriesReader.ts'
import type { FileFilter } from '#core/store/fileFilter.ts'
import type { FundingFile, FundingSeries } from '#core/store/fundingStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'

export interface FundedInstrument {
  exchange: string
  symbol: string
}

export interface InstrumentFundingRequest {
  connectionId: string
  /** Instruments whose periods are wanted; null for all of which anything is known. */
  pairs: readonly FundedInstrument[] | null
  /** Range in which the periods are wanted; others may be left out. */
  range: OpenTimeRange
  /** Clock of the served rates from which periods are inferred; null for the one that is cached. */
  timestamp: TimestampSource | null
  /** Period to assume where nothing else is known, before the typed ones; null for none. */
  askedMs?: number | null
}

/** Funding periods of one instrument. */
export interface InstrumentFunding extends FundedInstrument, ResolvedFunding {}

/** Finds funding periods in the store of a service. */
export type FindFunding = (
  request: InstrumentFundingRequest,
  signal?: AbortSignal,
) => Promise<readonly InstrumentFunding[]>

export interface FundingDeps {
  store: Store
  reader: Pick<SeriesReader, 'run'>
}

/**
 * Finds the funding periods of instruments in what the cache has of raw events and served rates, and in what the user
 * said. Files that were not read for it before are read in threads, and what they tell is kept.
 */
export async function fundingOf(
  deps: FundingDeps,
  request: InstrumentFundingRequest,
  signal?: AbortSignal,
  onProgress?: OnFilesRead,
): Promise<readonly InstrumentFunding[]> {
  const remembered = answersOf(deps.store)
  const key = JSON.stringify(request)
  const known = remembered.get(key)
  if (known) return known
  const found = await resolveAll(deps, request, { signal, onProgress })
  if (remembered.size < MOST_REMEMBERED) remembered.set(key, found)
  return found
}

/** Finds the funding periods of all instruments of a connection, at any time. */
export const allFunding = (
  deps: FundingDeps,
  connectionId: string,
  signal?: AbortSignal,
): Promise<readonly InstrumentFunding[]> =>
  fundingOf(deps, { connectionId, pairs: null, range: { startMs: null, endMs: null }, timestamp: null }, signal)

/** Number of answers that are remembered until the index changes. */
const MOST_REMEMBERED = 50

const answersByStore = new WeakMap<Store, { version: number; answers: Map<string, readonly InstrumentFunding[]> }>()

/** Returns the answers by request that were found since the index last changed. */
function answersOf(store: Store): Map<string, readonly InstrumentFunding[]> {
  const version = store.database.version()
  const remembered = answersByStore.get(store)
  if (remembered?.version === version) return remembered.answers
  const answers = new Map<string, readonly InstrumentFunding[]>()
  answersByStore.set(store, { version, answers })
  return answers
}

async function resolveAll(
  deps: FundingDeps,
  request: InstrumentFundingRequest,
  options: ReadOptions,
): Promise<readonly InstrumentFunding[]> {
  const { store } = deps
  const told = await toldByFiles(deps, request, options)
  const typed = typedPeriods(store)
  const announced = announcedFunding(store)
  const pairs = request.pairs ?? knownInstruments(store, request.connectionId)
  return pairs.map(({ exchange, symbol }) => {
    const key = keyOf({ exchange, symbol })
    const { observed, inferred } = told.get(key) ?? NOTHING_TOLD
    const resolved = resolveFunding({
      observed,
      announced: announced.get(key) ?? [],
      inferred,
      askedMs: request.askedMs ?? typed(exchange, symbol),
    })
    return { exchange, symbol, ...resolved }
  })
}

/** What the files of an instrument tell. */
interface Told {
  observed: FundingPeriods
  inferred: FundingPeriods
}

const NOTHING_TOLD: Told = { observed: [], inferred: [] }

/** What was found last of an instrument, with the list of the files from which it was found. */
interface RememberedTold extends Told {
  listed: string
}

const toldByStore = new WeakMap<Store, Map<string, RememberedTold>>()

/** Finds what files tell about each instrument, again only for those of which other files are listed than before. */
async function toldByFiles(
  { store, reader }: FundingDeps,
  request: InstrumentFundingRequest,
  options: ReadOptions,
): Promise<Map<string, Told>> {
  const remembered = toldByStore.get(store) ?? new Map<string, RememberedTold>()
  toldByStore.set(store, remembered)
  const told = new Map<string, Told>()
  const changed: { key: string; id: string; listed: string; all: SeriesFiles<FundingFile>[] }[] = []
  for (const [key, all] of Map.groupBy(listSeries(store, request), ({ series }) => keyOf(series))) {
    const id = [request.connectionId, request.timestamp, key].join('\n')
    const listed = all
      .map(({ series: { kind, interval, timestamp }, ...each }) => `${kind} ${interval} ${timestamp} ${each.listed}`)
      .join('\n')
    const known = remembered.get(id)
    if (known?.listed === listed) told.set(key, known)
    else changed.push({ key, id, listed, all: all.map(({ series, files }) => ({ series, files: outermost(files()) })) })
  }
  const files = changed.flatMap(({ all }) => all)
  await readUnread(store, reader, files, options)
  for (const { key, id, listed, all } of changed) {
    const read = all.flatMap(readFilesOf)
    const found = { observed: observedIn(read), inferred: inferredIn(read, request.timestamp), listed }
    told.set(key, found)
    if (all.every(({ files }) => files.every(wasRead))) remembered.set(id, found)
  }
  return told
}

/** Tells whether the list of files said what a file tells. */
const wasRead = ({ evidence, unread }: FundingFile): boolean => evidence !== null && unread === null

const keyOf = ({ exchange, symbol }: FundedInstrument): string => `${exchange}\n${symbol}`

/** Days around a range whose files tell about the periods at its ends: funding times may be a day apart. */
const MARGIN_DAYS = 2
/** Longest interval of served rates from which a period is inferred. */
const LONGEST_INTERVAL_S = 3600

/** Called with the number of files read and of those to read. */
type OnFilesRead = (progress: { done: number; total: number }) => void

interface ReadOptions {
  signal: AbortSignal | undefined
  onProgress: OnFilesRead | undefined
}

/** Lists the series whose files tell about the periods of a range. */
function listSeries({ funding }: Store, { connectionId, pairs, range }: InstrumentFundingRequest): FundingSeries[] {
  const common: FileFilter = { connectionId, ...(pairs && { pairs: [...pairs] }) }
  const days = (start: number | null, end: number | null) => ({
    ...(start !== null && { startDay: start }),
    ...(end !== null && { endDay: end }),
  })
  const startDay = range.startMs === null ? null : Math.floor(range.startMs / MS_PER_DAY)
  const endDay = range.endMs === null ? null : Math.ceil(range.endMs / MS_PER_DAY)
  const raw = funding.series({
    ...common,
    kind: 'raw',
    datasets: ['funding_rate'],
    ...days(startDay === null ? null : startDay - MARGIN_DAYS, endDay === null ? null : endDay + MARGIN_DAYS),
  })
  // All days of a month count, whichever of them are wanted.
  const served = funding.series({
    ...common,
    kind: 'metrics',
    datasets: ['funding'],
    ...days(
      startDay === null ? null : monthAround(startDay).start,
      endDay === null ? null : monthAround(endDay - 1).end,
    ),
  })
  return [...raw, ...served.filter(({ series }) => isShort(series.interval))]
}

interface SeriesFiles<File> {
  series: OwnedSeries
  files: File[]
}

type ReadFile = FundingFile & { evidence: Float64Array }

/** Leaves out the files that could not be read, and the series if it has no other. */
function readFilesOf({ series, files }: SeriesFiles<FundingFile>): SeriesFiles<ReadFile> | [] {
  const read = files.filter((file): file is ReadFile => file.evidence !== null)
  return read.length === 0 ? [] : { series, files: read }
}

const isShort = (interval: string) => (parseInterval(interval) ?? Infinity) <= LONGEST_INTERVAL_S

const monthAround = (day: number) => periodDays(dayFromNumber(day).slice(0, 7))!

/** Leaves out the files whose days another file of the series covers, which is before them in the list. */
function outermost(files: readonly FundingFile[]): FundingFile[] {
  let coveredDay = -Infinity
  return files.filter(({ endDay }) => {
    const isOutermost = endDay > coveredDay
    if (isOutermost) coveredDay = endDay
    return isOutermost
  })
}

const FILES_PER_TASK = 32

/** Reads the files that were not read before, and keeps what they tell. */
async function readUnread(
  store: Store,
  reader: Pick<SeriesReader, 'run'>,
  all: readonly SeriesFiles<FundingFile>[],
  { signal, onProgress }: ReadOptions,
): Promise<void> {
  const unread = all.flatMap(({ series, files }) =>
    files.flatMap((file) => (file.unread ? { series, file, known: file.unread } : [])),
  )
  const batches = [...Map.groupBy(unread, ({ series }) => (series.kind === 'raw' ? '' : series.interval))].flatMap(
    ([interval, files]) =>
      Array.from({ length: Math.ceil(files.length / FILES_PER_TASK) }, (_, at) => ({
        intervalMs: interval === '' ? null : parseInterval(interval)! * 1000,
        files: files.slice(at * FILES_PER_TASK, (at + 1) * FILES_PER_TASK),
      })),
  )
  let done = 0
  await Promise.all(
    batches.map(async ({ files: batch, intervalMs }) => {
      const task: FundingTask = {
        intervalMs,
        files: batch.map(({ series, file, known }) => ({
          path: store.folder.pathOf(series, file.period),
          known: { ...known },
        })),
      }
      const answers = await reader.run('funding', task, signal)
      for (const [at, evidence] of answers.entries()) batch[at].file.evidence = evidence
      // A file that had changed was validated meanwhile, and its hash in the task was corrected.
      store.funding.save(
        task.files.flatMap(({ known }, at) => {
          const evidence = answers[at]
          return known && evidence ? [{ sha256: known.sha256, evidence }] : []
        }),
      )
      done += batch.length
      onProgress?.({ done, total: unread.length })
    }),
  )
}

function observedIn(all: readonly SeriesFiles<ReadFile>[]): FundingPeriods {
  const raw = all.flatMap(({ series, files }) => (series.kind === 'raw' ? files : []))
  if (raw.length === 0) return []
  const pairs = raw.flatMap(({ evidence }) => [...evidence])
  const announcements = {
    publishedMs: pairs.filter((_, at) => at % 2 === 0),
    nextMs: pairs.filter((_, at) => at % 2 === 1),
  }
  return observedFunding(
    announcements,
    raw.map(({ startDay, endDay }) => ({ start: startDay, end: endDay })),
  )
}

/** Infers the period of each month from the served rates of the shortest interval that it has. */
function inferredIn(all: readonly SeriesFiles<ReadFile>[], timestamp: TimestampSource | null): FundingPeriods {
  const served = all.filter(({ series }) => series.kind === 'metrics')
  const clock = timestamp ?? (served.some(({ series }) => series.timestamp === 'exchange') ? 'exchange' : 'true')
  const byMonth = new Map<string, RateChanges>()
  for (const { series, files } of served) {
    if (series.timestamp !== clock) continue
    for (const { period, evidence } of files) {
      const changes = unpackChanges(evidence)
      if (changes.first === null) continue
      const month = period.slice(0, 7)
      const known = byMonth.get(month)
      if (!known || changes.intervalMs < known.intervalMs) byMonth.set(month, changes)
      else if (changes.intervalMs === known.intervalMs) byMonth.set(month, joinedChanges(known, changes))
    }
  }
  const months = Array.from(byMonth, ([month, changes]): MonthOfRates => ({ ...timesOfMonth(month), changes }))
  return inferredFunding(months.sort((a, b) => a.startMs - b.startMs))
}

const timesByMonth = new Map<string, TimeRange>()

function timesOfMonth(month: string): TimeRange {
  const known = timesByMonth.get(month)
  if (known) return known
  const { start, end } = periodDays(month)!
  const times = { startMs: start * MS_PER_DAY, endMs: end * MS_PER_DAY }
  timesByMonth.set(month, times)
  return times
}

const durationOf = (text: string | null): number | null => (text === null ? null : parseDuration(text))

/** Returns what the user said about the funding of each instrument, from each of its dates on. */
function announcedFunding({ instruments }: Store): Map<string, AnnouncedFunding[]> {
  const byPair = Map.groupBy(instruments.list(), keyOf)
  return new Map(
    [...byPair].map(([key, rows]) => [
      key,
      datedInstruments(rows).map((row) => ({
        fromMs: row.fromMs,
        everyMs: durationOf(row.funding_every),
        offsetMs: durationOf(row.funding_offset) ?? 0,
        ratePerMs: durationOf(row.funding_rate_per),
      })),
    ]),
  )
}

/** Returns a function that finds the period that the user typed for an instrument or its venue; null without one. */
function typedPeriods({ fundingDefaults }: Store): (exchange: string, symbol: string) => number | null {
  const typed = fundingDefaults.list()
  return (exchange, symbol) => {
    const ofVenue = typed.filter((each) => each.exchange === exchange)
    const found = ofVenue.find((each) => each.symbol === symbol) ?? ofVenue.find((each) => each.symbol === null)
    return durationOf(found?.every ?? null)
  }
}

/** Lists the instruments of the cache, and those of which the user said something, by venue and symbol. */
export function knownInstruments(
  { funding, instruments, fundingDefaults }: Store,
  connectionId: string,
): FundedInstrument[] {
  const typed = fundingDefaults
    .list()
    .flatMap(({ exchange, symbol }) => (symbol === null ? [] : [{ exchange, symbol }]))
  const cached = funding.instruments({ connectionId })
  const keys = new Set([...cached, ...instruments.list(), ...typed].map(keyOf))
  return [...keys].sort().map((key) => {
    const [exchange, symbol] = key.split('\n')
    return { exchange, symbol }
  })
}
