import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import * as z from '../../schemas/lazySchemas.ts'
import { addDays, parseDay } from '../../time.ts'
import { singleLine } from '../../units/fileNames.ts'
import type { ErrorShape } from '../errors.ts'
import type { Frame } from '../frame.ts'
import { selectionTexts as texts } from '../fieldTexts.ts'
import { serviceReply } from '../serviceReply.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import { listFilter } from './lists.ts'

const anyNames = z.array(z.string().min(1).max(300)).max(20_000)
const names = anyNames.min(1)
const day = z.string().refine((text) => parseDay(text) !== null, 'must be a day such as 2026-03-01')

const refresh = z.boolean().default(false).describe(texts.refresh)
const tryLocked = z.boolean().default(false).describe(texts.tryLocked)

/** All combinations of datasets, exchanges, symbols, intervals and timestamps. */
const selection = {
  connectionId,
  kind: z.enum(['metrics', 'raw']).default('metrics'),
  datasets: names,
  exchanges: anyNames.describe(texts.exchange),
  symbols: anyNames.describe(texts.symbol),
  /** List that a set follows when it changes. */
  list: listFilter,
  // Raw events ignore intervals and timestamps: their files have no interval and all timestamps.
  intervals: names.default(['1m']).describe(texts.interval),
  timestamps: names.default(['exchange']).describe(texts.timestamp),
}

interface NamedSymbols {
  exchanges: readonly string[]
  symbols: readonly string[]
  list?: string | undefined
}

const namesSymbolsOrList = ({ exchanges, symbols, list }: NamedSymbols) =>
  list === undefined ? exchanges.length > 0 && symbols.length > 0 : symbols.length === 0
const symbolsMissingMessage = 'must name venues and symbols, or a list'

/** A selection and a range of days. */
export const downloadRequest = z
  .strictObject({
    ...selection,
    startDay: day.describe(texts.start),
    endDay: day.describe(texts.end),
    refresh,
    tryLocked,
    /** True to also request files that the service refused before, because the key may have changed. */
    tryRefused: z.boolean().default(false),
    /** True to copy files from the connection's shared store without contacting any service. */
    storeOnly: z.boolean().optional(),
  })
  .refine(({ startDay, endDay }) => startDay <= endDay, 'the range ends before it starts')
  .refine(namesSymbolsOrList, symbolsMissingMessage)
export type DownloadRequest = z.output<typeof downloadRequest>

const setName = z.string().trim().min(1).max(100)
const newSetName = z.string().overwrite(singleLine).min(1).max(100)
/** Start of a set: a fixed day, or a number of days up to and including today. */
const setStart = z.union([
  z.strictObject({ day }),
  z.strictObject({
    lastDays: z
      .int()
      .min(1)
      .max(366 * 20)
      .describe(texts.lastDays),
  }),
])
/** A named selection with a start day and no end day; fetching it repeatedly keeps it up to date. */
export const downloadSetFields = z
  .strictObject({ ...selection, name: newSetName, start: setStart })
  .refine(namesSymbolsOrList, symbolsMissingMessage)
export type DownloadSetFields = z.output<typeof downloadSetFields>

export interface DownloadSet extends DownloadSetFields {
  savedAt: number
  /** Time at which the set was last queued; null if never. */
  enqueuedAt: number | null
}

/** Builds the request of a set; its last day is `today`, or the start day if that is later. */
export function requestOfSet(set: DownloadSetFields, today: string): DownloadRequest {
  const { connectionId, kind, datasets, exchanges, symbols, list, intervals, timestamps, start } = set
  const startDay = 'day' in start ? start.day : addDays(today, 1 - start.lastDays)
  const days = { startDay, endDay: startDay > today ? startDay : today }
  const selected = { connectionId, kind, datasets, exchanges, symbols, list, intervals, timestamps }
  return { ...selected, ...days, refresh: false, tryLocked: false, tryRefused: false }
}

/**
 * `cached`: complete on this machine. `partial`: incomplete, or downloaded before the period ended. `missing`: not on
 * this machine. `absent`: the service has no data. `gap`: the catalog of raw events names all of its days as missing.
 * `locked`: not included in the subscription. `unknown`: the service does not list the symbol, or not for these days.
 */
export const periodStates = ['cached', 'partial', 'missing', 'absent', 'gap', 'locked', 'unknown'] as const
export type PeriodState = (typeof periodStates)[number]

export interface LockedPart {
  dataset: string
  interval: string
  /** Minimum tier according to the documentation; null if it states none and the service itself refused. */
  neededTier: number | null
  /** Message and time of the service's refusal; null if the service has not refused. */
  refusal: { message: string | null; at: number } | null
}

export interface DownloadPreview {
  files: Record<PeriodState, number>
  /** Number of files that a download would fetch. */
  toFetch: number
  /**
   * Approximate total size of these files, from the catalog of raw events, the sizes of similar cached files, or else
   * from their rows and columns.
   */
  bytes: number
  /** Number of these files whose size cannot be estimated. */
  withoutSize: number
  /**
   * Number of files that the plan leaves out because they are wholly before the day on which their symbol was listed,
   * or after the one on which it was delisted, by the user's instruments.
   */
  outsideListing: number
  locked: LockedPart[]
  /** Earliest and latest period of the range; null if it has none. */
  firstPeriod: string | null
  lastPeriod: string | null
}

export const jobStates = ['queued', 'running', 'waiting', 'paused', 'done', 'failed', 'cancelled'] as const
export type DownloadState = (typeof jobStates)[number]

/** One file of the queue or of its history. */
export interface Download extends SeriesKey {
  id: number
  connectionId: string
  period: string
  state: DownloadState
  priority: number
  /** Reason why the job is waiting or failed. */
  error: ErrorShape | null
  /** Earliest time of the next attempt while the download waits. */
  notBefore: number | null
  attempts: number
  doneBytes: number
  totalBytes: number | null
  /** Milliseconds since the epoch, like `endedAt`. */
  createdAt: number
  endedAt: number | null
  /** Path of the file; null while it is not cached. */
  path: string | null
  /** `listed otherwise`: the service has the data in other files, which were queued instead. */
  outcome:
    | 'downloaded'
    | 'copied'
    | 'unchanged'
    | 'changed upstream'
    | 'absent'
    | 'already here'
    | 'listed otherwise'
    | null
  /** Shared store that the file was copied from; null if it was not. */
  store: string | null
  /** Sentence about a shared store that failed before the service was asked; null if none did. */
  storeProblem: string | null
  /** Where the file differs from the imported one that it replaced; null if it replaced none, or is the same. */
  difference: string | null
}

const downloadPause = z.strictObject({
  /** Id of the paused connection; empty if all downloads are paused because of this machine (full disk, no network). */
  connectionId: z.string(),
  code: z.string(),
  sentence: z.string(),
  remedy: z.string(),
  detail: z.string().nullable(),
  /** Original message of the service; null if the service did not cause the pause. */
  service: serviceReply.nullable(),
  /** Time at which the pause ends; null if only the user can end it. */
  until: z.number().nullable(),
})
export type DownloadPause = z.infer<typeof downloadPause>

const count = z.number()
const counts = z.strictObject({
  queued: count,
  running: count,
  waiting: count,
  paused: count,
  done: count,
  failed: count,
  cancelled: count,
})

/** Progress of the queue, sent at most ten times a second while files download. */
export const downloadProgress = z.strictObject({
  counts,
  bytesPerSecond: z.number(),
  /** Estimated time left in seconds; 0 if no files are left, null while it cannot be estimated. */
  secondsLeft: z.number().nullable(),
  running: z.array(z.strictObject({ id: z.int(), doneBytes: z.number(), totalBytes: z.number().nullable() })),
  holds: z.array(downloadPause),
  /** True if this process runs the queue; false if it watches another process. */
  here: z.boolean(),
})
export type DownloadProgress = z.infer<typeof downloadProgress>

const id = z.int().min(1)
const filter = z.strictObject({
  states: z.array(z.enum(jobStates)).max(jobStates.length).optional(),
  text: z.string().max(300).optional(),
  batchId: id.optional(),
  connectionId: z.string().max(100).optional(),
  /** Error code of the failed or waiting jobs. */
  errorCode: z.string().max(100).optional(),
  /** Ids of the jobs to list; omitted for all. */
  ids: z.array(id).max(1000).optional(),
})
/** Jobs by id, or all jobs that match a filter (an empty filter matches all). */
const which = z.union([z.strictObject({ ids: z.array(id).max(200_000) }), z.strictObject({ filter })])
export type WhichDownloads = z.infer<typeof which>

/** Result of adding the files of a request to the queue. */
export interface EnqueueResult {
  batchId: number
  /** Number of files of this request that are in the queue now. */
  files: number
  /** Number of files that were not queued before. */
  added: number
}

/** Result of publishing files to a shared store. */
export interface PublishedFiles {
  /** Number of files that the store lacked. */
  published: number
  /** Number of files that were damaged in the store. */
  rewritten: number
  /** Number of files that were already in the store and intact. */
  there: number
  bytes: number
  /** Sentences about unpublished files; the first hundred. */
  problems: string[]
}

const endedSortKeys = [
  'dataset',
  'exchange',
  'symbol',
  'interval',
  'timestamp',
  'period',
  'state',
  'totalBytes',
  'outcome',
  'attempts',
  'endedAt',
] as const
/** A column by which the history of downloads can be sorted. */
export type EndedSortKey = (typeof endedSortKeys)[number]
export const isEndedSortKey = (key: string): key is EndedSortKey => endedSortKeys.some((each) => each === key)

const label = z.string().max(200).default('')
const priority = z.int().min(-1000).max(1000)

/** A request that has unfinished files. */
export interface OpenRequest {
  batchId: number
  label: string
  /** Milliseconds since the epoch. */
  createdAt: number
  /** Number of files of the request by state, finished ones included. */
  files: Record<DownloadState, number>
  /** Bytes received so far. */
  doneBytes: number
  /** Total size of the files whose size the service has reported. */
  knownBytes: number
}

/** A reason why downloads failed, with the number of files. */
export interface FailureReason {
  code: string
  sentence: string
  remedy: string
  files: number
}

/** Number of jobs that changed. */
export interface ChangedJobs {
  jobs: number
}

export const downloadCalls = {
  'downloads.preview': call(z.strictObject({ request: downloadRequest }))<DownloadPreview>(),
  /**
   * Previews a download file by file: dataset, exchange, symbol, interval, timestamp, period, state, path (missing
   * unless the period is cached as one file), bytes (of the cached files), fetch (1 if a download would fetch it).
   */
  'downloads.plan': call(z.strictObject({ request: downloadRequest }))<Frame>(),
  /**
   * Returns the address of the connection's shared store; fails if there is none, it cannot be read, or publishing is
   * forbidden.
   */
  'downloads.publishTarget': call(z.strictObject({ connectionId }))<{ store: string }>(),
  /**
   * Copies cached files of a request to the shared store of its connection: the complete ones that came from the
   * service itself. `partial` counts files of unfinished periods, which are left out.
   */
  'downloads.publish': call(z.strictObject({ request: downloadRequest }))<PublishedFiles & { partial: number }>(),
  /** Queues the files that a preview of the request counts in `toFetch`. */
  'downloads.enqueue': call(
    z.strictObject({ request: downloadRequest, label, priority: priority.default(0) }),
  )<EnqueueResult>(),
  /** Lists the download sets of a connection, by name. */
  'downloads.sets': call(z.strictObject({ connectionId }))<DownloadSet[]>(),
  /** Saves a set, replacing one with the same name. */
  'downloads.saveSet': call(z.strictObject({ set: downloadSetFields }))<DownloadSet>(),
  /** Removes a set and keeps its files. */
  'downloads.removeSet': call(z.strictObject({ connectionId, name: setName }))<null>(),
  /** Queues the files that a set lacks today. */
  'downloads.enqueueSet': call(
    z.strictObject({
      connectionId,
      name: setName,
      priority: priority.default(0),
      refresh,
      tryLocked,
      tryRefused: z.boolean().default(false),
      storeOnly: z.boolean().optional(),
    }),
  )<EnqueueResult>(),
  'downloads.list': call(
    z.strictObject({
      filter: filter.default({}),
      offset: z.int().min(0),
      limit: z.int().min(1).max(1000),
      /** Sort order of finished jobs; null for newest first. Active jobs keep their order. */
      sort: z
        .strictObject({ key: z.enum(endedSortKeys), descending: z.boolean() })
        .nullable()
        .default(null),
    }),
  )<{ total: number; downloads: Download[] }>(),
  /** Returns the ids of the given jobs that are in one of the given states. */
  'downloads.idsIn': call(
    z.strictObject({ ids: z.array(id).max(200_000), states: z.array(z.enum(jobStates)).max(jobStates.length) }),
  )<{ ids: number[] }>(),
  /** Lists the latest requests with unfinished files, newest first. */
  'downloads.requests': call(z.strictObject({ limit: z.int().min(1).max(100) }))<OpenRequest[]>(),
  /** Lists the reasons why downloads failed, the most frequent first. */
  'downloads.failures': call(z.strictObject({}))<FailureReason[]>(),
  'downloads.progress': call(z.strictObject({}))<DownloadProgress>(),
  /**
   * Lists the finished jobs of a batch in the order in which they finished, after the given one (null: from the first).
   */
  'downloads.results': call(
    z.strictObject({
      batchId: id,
      after: z.strictObject({ endedAt: z.number(), id }).nullable(),
      limit: z.int().min(1).max(5000),
    }),
  )<{ downloads: Download[]; files: number }>(),
  'downloads.pause': call(z.strictObject({ which }))<ChangedJobs>(),
  /** Resumes paused and waiting jobs, and ends the pauses of all connections. */
  'downloads.resume': call(z.strictObject({ which }))<ChangedJobs>(),
  'downloads.cancel': call(z.strictObject({ which }))<ChangedJobs>(),
  /** Retries failed and cancelled jobs. */
  'downloads.retry': call(z.strictObject({ which }))<ChangedJobs>(),
  /** Sets the priority; higher numbers go first. */
  'downloads.prioritise': call(z.strictObject({ which, priority }))<ChangedJobs>(),
  /** Moves jobs before another one, or to the end. */
  'downloads.reorder': call(
    z.strictObject({ ids: z.array(id).min(1).max(1000), beforeId: id.nullable() }),
  )<ChangedJobs>(),
  /** Clears the history; the queue stays. */
  'downloads.forgetEnded': call(z.strictObject({}))<ChangedJobs>(),
}
