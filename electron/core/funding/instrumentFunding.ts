import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { inferredFunding, joinedChanges, type MonthOfRates } from '#shared/funding/inferredFunding.ts'
import { observedFunding } from '#shared/funding/observedFunding.ts'
import { type AnnouncedFunding, type ResolvedFunding, resolveFunding } from '#shared/funding/resolveFunding.ts'
import { datedInstruments } from '#shared/contract/instrumentHistory.ts'
import type { FundingPeriods } from '#shared/funding/fundingPeriods.ts'
import { MS_PER_DAY, parseDuration, parseInterval } from '#shared/time.ts'
import { dayFromNumber, periodDays } from '#shared/time/periods.ts'
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import { unpackChanges } from '#core/series/fundingEvidence.ts'
import type { FundingTask } from '#core/series/readerTask.ts'
import type { SeriesReader } from '#core/series/seriesReader.ts'
import type { FileFilter } from '#core/store/fileFilter.ts'
import type { FundingFile } from '#core/store/fundingStore.ts'
import type { Store } from '#core/store/store.ts'

export interface Instrument {
  exchange: string
  symbol: string
}

export interface FundingRequest {
  connectionId: string
  /** Instruments whose periods are wanted; null for all of which anything is known. */
  pairs: readonly Instrument[] | null
  /** Range in which the periods are wanted; others may be left out. */
  range: OpenTimeRange
  /** Clock of the served rates from which periods are inferred; null for the one that is cached. */
  timestamp: TimestampSource | null
  /** Period to assume where nothing else is known, before the typed ones; null for none. */
  askedMs?: number | null
}

/** Funding periods of one instrument. */
export interface InstrumentFunding extends Instrument, ResolvedFunding {}

/** Finds funding periods in the store of a service. */
export type FindFunding = (request: FundingRequest, signal?: AbortSignal) => Promise<readonly InstrumentFunding[]>

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
  request: FundingRequest,
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
  request: FundingRequest,
  options: ReadOptions,
): Promise<readonly InstrumentFunding[]> {
  const { store } = deps
  const filesByPair = Map.groupBy(await readFiles(deps, request, options), ({ series }) => keyOf(series))
  const typed = typedPeriods(store)
  const announced = announcedFunding(store)
  const pairs = request.pairs ?? knownInstruments(store, request.connectionId)
  return pairs.map(({ exchange, symbol }) => {
    const key = keyOf({ exchange, symbol })
    const files = filesByPair.get(key) ?? []
    const resolved = resolveFunding({
      observed: observedIn(files),
      announced: announced.get(key) ?? [],
      inferred: inferredIn(files, request.timestamp),
      askedMs: request.askedMs ?? typed(exchange, symbol),
    })
    return { exchange, symbol, ...resolved }
  })
}

const keyOf = ({ exchange, symbol }: Instrument): string => `${exchange}\n${symbol}`

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

/** Lists the files that tell about the periods of a range, each with what it tells. */
async function readFiles(
  { store, reader }: FundingDeps,
  { connectionId, pairs, range }: FundingRequest,
  options: ReadOptions,
): Promise<ReadFile[]> {
  const common: FileFilter = { connectionId, ...(pairs && { pairs: [...pairs] }) }
  const days = (start: number | null, end: number | null) => ({
    ...(start !== null && { startDay: start }),
    ...(end !== null && { endDay: end }),
  })
  const startDay = range.startMs === null ? null : Math.floor(range.startMs / MS_PER_DAY)
  const endDay = range.endMs === null ? null : Math.ceil(range.endMs / MS_PER_DAY)
  const raw = store.funding.files({
    ...common,
    kind: 'raw',
    datasets: ['funding_rate'],
    ...days(startDay === null ? null : startDay - MARGIN_DAYS, endDay === null ? null : endDay + MARGIN_DAYS),
  })
  // All days of a month count, whichever of them are wanted.
  const served = store.funding.files({
    ...common,
    kind: 'metrics',
    datasets: ['funding'],
    ...days(
      startDay === null ? null : monthAround(startDay).start,
      endDay === null ? null : monthAround(endDay - 1).end,
    ),
  })
  const found = [...raw, ...served.filter(({ series }) => isShort(series.interval))]
  const isInside = insideLonger(found)
  const wanted = found.filter((file) => !isInside(file))
  await readUnread(store, reader, wanted, options)
  return wanted.filter((file): file is ReadFile => file.evidence !== null)
}

type ReadFile = FundingFile & { evidence: Float64Array }

const isShort = (interval: string) => (parseInterval(interval) ?? Infinity) <= LONGEST_INTERVAL_S

const monthAround = (day: number) => periodDays(dayFromNumber(day).slice(0, 7))!

/** Returns a predicate for files whose days another file of the series covers, which is before them in the list. */
function insideLonger(files: readonly FundingFile[]): (file: FundingFile) => boolean {
  const inside = new Set<FundingFile>()
  let [id, endDay] = ['', -Infinity]
  for (const file of files) {
    const { interval, timestamp } = file.series
    const own = `${keyOf(file.series)}\n${interval}\n${timestamp}\n${file.series.kind}`
    if (own !== id) endDay = -Infinity
    id = own
    if (file.endDay <= endDay) inside.add(file)
    endDay = Math.max(endDay, file.endDay)
  }
  return (file) => inside.has(file)
}

const FILES_PER_TASK = 32

/** Reads the files that were not read before, and keeps what they tell. */
async function readUnread(
  store: Store,
  reader: Pick<SeriesReader, 'run'>,
  files: readonly FundingFile[],
  { signal, onProgress }: ReadOptions,
): Promise<void> {
  const unread = files.flatMap((file) => (file.unread ? [{ file, known: file.unread }] : []))
  const batches = [
    ...Map.groupBy(unread, ({ file: { series } }) => (series.kind === 'raw' ? '' : series.interval)),
  ].flatMap(([interval, all]) =>
    Array.from({ length: Math.ceil(all.length / FILES_PER_TASK) }, (_, at) => ({
      intervalMs: interval === '' ? null : parseInterval(interval)! * 1000,
      files: all.slice(at * FILES_PER_TASK, (at + 1) * FILES_PER_TASK),
    })),
  )
  let done = 0
  await Promise.all(
    batches.map(async ({ files: batch, intervalMs }) => {
      const task: FundingTask = {
        intervalMs,
        files: batch.map(({ file: { series, period }, known }) => ({
          path: store.folder.pathOf(series, period),
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

function observedIn(files: readonly ReadFile[]): FundingPeriods {
  const raw = files.filter(({ series }) => series.kind === 'raw')
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
function inferredIn(files: readonly ReadFile[], timestamp: TimestampSource | null): FundingPeriods {
  const served = files.filter(({ series }) => series.kind === 'metrics')
  const clock = timestamp ?? (served.some(({ series }) => series.timestamp === 'exchange') ? 'exchange' : 'true')
  const byMonth = Map.groupBy(
    served.filter(({ series }) => series.timestamp === clock),
    ({ period }) => period.slice(0, 7),
  )
  const months = [...byMonth].flatMap(([month, all]): MonthOfRates[] => {
    const parts = all.map(({ evidence }) => unpackChanges(evidence)).filter(({ first }) => first !== null)
    const intervalMs = Math.min(...parts.map((part) => part.intervalMs))
    const days = periodDays(month)
    if (parts.length === 0 || !days) return []
    const changes = parts.filter((part) => part.intervalMs === intervalMs).reduce(joinedChanges)
    return [{ startMs: days.start * MS_PER_DAY, endMs: days.end * MS_PER_DAY, changes }]
  })
  return inferredFunding(months.sort((a, b) => a.startMs - b.startMs))
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
export function knownInstruments({ funding, instruments, fundingDefaults }: Store, connectionId: string): Instrument[] {
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
