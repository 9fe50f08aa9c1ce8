/**
 * Makes one attempt at a job: gets the file from a shared store or from the service, validates it and moves it into
 * place.
 */
import { createHash, type Hash } from 'node:crypto'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { periodDays, type DayNumber, type Period } from '#shared/time/periods.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import type { UnavailableStore } from '#core/store/unavailableStore.ts'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import type { FileRange, FileStore } from '#core/store/fileStore.ts'
import type { CachedFile, FileFacts, RecordedFile } from '#core/store/fileTable.ts'
import type { SharedStores, SharedStore } from '#core/sharedStore/sharedStores.ts'
import type { StoreCopy } from '#core/sharedStore/storeCatalog.ts'
import type { Job, JobOutcome } from '#core/store/jobTable.ts'
import type { KeptFiles } from '#core/store/keptFiles.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { mostBytesOf, periodLimitsOf } from './guardedValidation.ts'
import { statesOfPeriods } from './plan.ts'
import { refusalError, ServicePausedError, type ConnectionPauses, type Refusals } from './retryPolicy.ts'
import type { SignedUrls } from './signedUrls.ts'
import { createReceiver, refuseOversize, transfer, type TransferResult, type TransferDeps } from './transfer.ts'
import type { ValidationPool } from './validationPool.ts'
import type { ValidatedFile } from './verifyFile.ts'

/** The result of one attempt at a job; failures are thrown. */
export interface JobResult {
  outcome: JobOutcome
  file: RecordedFile | null
  /** Further periods to download: those that replace the job's period, or days of a month that have their own files. */
  otherPeriods: Period[]
  /** Shared store that the file was copied from. */
  store?: string
  /** Sentence about a shared store that failed before the service was used. */
  storeProblem?: string | null
}

export interface TransferJobDeps extends TransferDeps {
  urls: SignedUrls
  pool: ValidationPool
  files: FileStore
  unavailable: UnavailableStore
  refusals: Refusals
  orphanFiles: OrphanFiles
  kept: KeptFiles
  stores: SharedStores
  pauses: Pick<ConnectionPauses, 'shortPause'>
}

interface TransferJobOptions {
  signal: AbortSignal
  onBytes(doneBytes: number, totalBytes: number | null): void
  /** Called when all bytes have been received, so that another transfer can use the network. */
  onReceived(): void
  /** Called with a sentence about what is wrong with a shared store, before the service is used. */
  onStoreProblem(problem: string): void
}

const nothingElse = { file: null, otherPeriods: [] }

/** Makes one attempt to download, validate and store one file. */
export async function runTransferJob(deps: TransferJobDeps, job: Job, options: TransferJobOptions): Promise<JobResult> {
  const { series, period } = job
  const days = periodDays(period)
  if (!days) throw new AppError('bad-input', `“${period}” is not a period`)
  const cachedRanges = deps.files.ranges(series, days.start, days.end)
  if (!job.refresh && isCached(cachedRanges, period, days)) return { outcome: 'already here', ...nothingElse }
  const cachedFile = cachedRanges.length > 0 ? deps.files.find(series, period) : undefined
  if (!cachedFile && deps.orphanFiles.has(series, period)) {
    const adopted = await adoptOrphan(deps, job)
    if (adopted) return adopted
  }
  const store = deps.stores.storeOf(series.connectionId)
  const answer = store && !job.refresh ? await copyAndCommit(deps, store, job, cachedFile, options) : null
  if (store && answer?.validated) return copyResult(deps, store, job, cachedFile, answer.validated)
  if (answer?.problem) options.onStoreProblem(answer.problem)
  if (job.storeOnly) throw notInStoreError(store, answer)
  try {
    // A connection with a store goes on while its service is paused, with the files that the store has.
    const pause = deps.pauses.shortPause(series.connectionId)
    if (pause) throw new ServicePausedError(pause.error, pause.untilMs)
    return { ...(await download(deps, job, cachedFile, options)), storeProblem: answer?.problem ?? null }
  } catch (thrown) {
    throw answer?.problem ? withSentence(toAppError(thrown), answer.problem) : thrown
  }
}

function copyAndCommit(
  deps: TransferJobDeps,
  store: SharedStore,
  job: Job,
  cachedFile: CachedFile | undefined,
  { signal, onBytes, onReceived }: TransferJobOptions,
): Promise<StoreAnswer> {
  return copyFromSharedStore(deps, store, job, {
    signal,
    onBytes,
    commit(bytes) {
      onReceived()
      return commit(deps, job, cachedFile, bytes)
    },
  })
}

/** Returns the result of a copy, which is final because a store has no files of unfinished periods. */
function copyResult(
  { clock }: TransferJobDeps,
  store: SharedStore,
  job: Job,
  cachedFile: CachedFile | undefined,
  validated: ValidatedFile,
): JobResult {
  const result = commitResult(clock.nowMs(), job, cachedFile, validated, null)
  if (result.file) result.file.file.state = 'final'
  return { ...result, outcome: 'copied', store: store.location }
}

/**
 * Creates the error that ends a job immediately if only the store was requested, so that the job does not wait for the
 * service.
 */
const notInStoreError = (store: SharedStore | null, answer: StoreAnswer | null) =>
  new AppError('not-here', answer?.problem ?? (store && `The store ${store.location} does not have this file.`))

/** Downloads the file of a job from the service. */
async function download(
  deps: TransferJobDeps,
  job: Job,
  cachedFile: CachedFile | undefined,
  options: TransferJobOptions,
): Promise<JobResult> {
  const { series, period } = job
  const refusal = deps.refusals.find(series)
  if (refusal && refusal.atMs >= job.createdAtMs) throw refusalError(refusal)
  const received = await receive(deps, job, options)
  if (received === 'absent') {
    deps.unavailable.recordAbsent(series, [period], deps.clock.nowMs())
    return { outcome: 'absent', ...nothingElse }
  }
  if (Array.isArray(received)) return { outcome: 'listed otherwise', file: null, otherPeriods: received }
  options.onReceived()
  const validated = await commit(deps, job, cachedFile, received.bytes).catch((thrown: unknown) => {
    const error = toAppError(thrown)
    // A complete file is never resumed, so its part would only take space.
    deps.parts.discard(series, period)
    throw error.code === 'corrupt-file' ? damagedDownloadError(period, error) : thrown
  })
  if (refusal) deps.refusals.clear(refusal)
  const result = commitResult(deps.clock.nowMs(), job, cachedFile, validated, received.etag)
  return { ...result, otherPeriods: received.ownDays }
}

/** Validates received bytes and moves them into place; if the old file is pinned, both are kept. */
async function commit(
  { folder, kept, pool }: TransferJobDeps,
  { series, period }: Job,
  cachedFile: CachedFile | undefined,
  bytes: TransferResult['bytes'],
): Promise<ValidatedFile> {
  const path = folder.pathOf(series, period)
  if (cachedFile?.pinned) kept.keep([{ path, sha256: cachedFile.sha256 }])
  const compares = cachedFile?.origin === 'import' && series.kind === 'metrics'
  const validated = await pool.commit({
    ...{ path, root: folder.root, bytes, ...periodLimitsOf(series, period) },
    ...(compares && { compares }),
  })
  if (validated.difference) kept.keepNote(validated.sha256, validated.difference)
  return validated
}

function isCached(
  cachedRanges: FileRange[],
  period: Period,
  { start, end }: { start: DayNumber; end: DayNumber },
): boolean {
  const knowledge = { cachedRanges, absent: new Set<Period>(), isLocked: false, mayExist: null }
  return statesOfPeriods([{ period, startDay: start, endDay: end }], knowledge)[0] === 'cached'
}

/**
 * Validates a file whose index row is missing because the program ended just after the file was moved into place.
 * Returns the result with the row to add; null if the file has to be downloaded again.
 */
async function adoptOrphan({ pool, folder, clock }: TransferJobDeps, job: Job): Promise<JobResult | null> {
  try {
    const limits = periodLimitsOf(job.series, job.period)
    const validated = await pool.validate(folder.pathOf(job.series, job.period), undefined, true, limits)
    const result = commitResult(clock.nowMs(), job, undefined, validated, null)
    // A file that may be incomplete is downloaded again, because its download time is unknown.
    if (result.file?.file.state !== 'final' || job.refresh) return null
    // It came with this job if it was written after the job was queued; otherwise nobody knows when it came.
    const { changedAtMs = -Infinity } = validated.facts
    const arrivedAtMs = changedAtMs >= job.createdAtMs ? Math.round(changedAtMs) : null
    return { ...result, file: { ...result.file, arrivedAtMs } }
  } catch (thrown) {
    if (toAppError(thrown).code === 'corrupt-file') return null
    throw thrown
  }
}

/** Downloads the file by its signed URL; a refused URL is renewed once. */
async function receive(deps: TransferJobDeps, { series, period }: Job, { signal, onBytes }: TransferJobOptions) {
  for (const mustRenew of [false, true]) {
    const listing = await deps.urls.find(series, period, mustRenew, signal)
    if (listing.kind === 'absent') return 'absent'
    if (listing.kind === 'other periods') return listing.periods
    try {
      const { url, sizeBytes, listedBy, ownDays = [] } = listing
      return { ...(await transfer(deps, { series, period, url, sizeBytes, listedBy, signal, onBytes })), ownDays }
    } catch (thrown) {
      const error = toAppError(thrown)
      if (error.code !== 'forbidden') throw thrown
      if (mustRenew) throw urlRefusedError(period, error)
    }
  }
  throw new AppError('internal')
}

/**
 * Creates the error for a refused URL. Its code is not `forbidden`, because the URL says nothing about the key's access
 * to the dataset.
 */
const urlRefusedError = (period: Period, { service }: AppError) =>
  new AppError('rejected', `The download link for ${period} was refused, and so was a new one.`, {
    ...(service && { service }),
  })

/** Creates the error for a damaged download. Its code is not `corrupt-file`, because no cached file is damaged. */
function damagedDownloadError(period: Period, { detail }: AppError): AppError {
  const reason = detail?.split(': ').at(-1) ?? ''
  return new AppError('bad-answer', `The downloaded file for ${period} cannot be used: ${reason}`)
}

/** Builds the index row and the result for a file that has been moved into place. */
function commitResult(
  nowMs: number,
  { series, period, refresh }: Job,
  cachedFile: CachedFile | undefined,
  validated: ValidatedFile,
  etag: string | null,
): JobResult {
  const days = periodDays(period)!
  const isSame = cachedFile?.sha256 === validated.sha256
  const isImported = cachedFile?.origin === 'import'
  const isChanged = cachedFile?.state === 'final' && !isSame
  const file: CachedFile = {
    series,
    period,
    startDay: days.start,
    endDay: days.end,
    state: isFinal(series, days.end, validated.facts, nowMs) ? 'final' : 'partial',
    origin: 'service',
    sizeBytes: validated.sizeBytes,
    sha256: validated.sha256,
    etag,
    fetchedAtMs: nowMs,
    usedAtMs: cachedFile?.usedAtMs ?? nowMs,
    pinned: cachedFile?.pinned ?? false,
    changedUpstreamAtMs: isChanged ? nowMs : (cachedFile?.changedUpstreamAtMs ?? null),
  }
  const outcome = isChanged ? 'changed upstream' : isSame && (refresh || isImported) ? 'unchanged' : 'downloaded'
  return { outcome, file: { file, facts: validated.facts }, otherPeriods: [] }
}

/**
 * Tells whether a file will not change any more. The last rows of a day may be published a little late, but not more
 * than a day.
 */
function isFinal(series: OwnedSeries, endDay: number, { lastTimeMs }: FileFacts, nowMs: number): boolean {
  const endMs = endDay * MS_PER_DAY
  if (nowMs < endMs) return false
  const intervalMs = (parseInterval(series.interval) ?? 3600) * 1000
  return nowMs >= endMs + MS_PER_DAY || (lastTimeMs !== null && lastTimeMs + intervalMs >= endMs)
}

/**
 * Files that may have no row because the program ended just after they were moved into place. Each folder is listed
 * once, because from then on only this process adds files to it.
 */
interface OrphanFiles {
  has(series: OwnedSeries, period: Period): boolean
  forget(): void
}

export function createOrphanFiles(folder: CacheFolder): OrphanFiles {
  const periodsBySeries = new Map<string, ReadonlySet<Period>>()
  return {
    has(series, period) {
      const key = Object.values(series).join('\n')
      const periods = periodsBySeries.get(key) ?? folder.periodsOf(series)
      periodsBySeries.set(key, periods)
      // The file may have been removed since its folder was listed.
      return periods.has(period) && folder.sizeOf(series, period) !== null
    },
    forget: () => periodsBySeries.clear(),
  }
}

interface StoreCopyOptions {
  signal: AbortSignal
  onBytes(doneBytes: number, totalBytes: number | null): void
  /** Validates the received file and moves it into place. */
  commit(bytes: TransferResult['bytes']): Promise<ValidatedFile>
}

/** Result of looking for a file in a shared store. */
interface StoreAnswer {
  validated: ValidatedFile | null
  /** Sentence about what is wrong with the store or its files; null if nothing is. */
  problem: string | null
}

/**
 * Copies the file of a job from a shared store. If the file is damaged or the store cannot be used, this is reported
 * and the file counts as absent, so the service is used.
 */
async function copyFromSharedStore(
  deps: TransferDeps,
  store: SharedStore,
  job: Job,
  options: StoreCopyOptions,
): Promise<StoreAnswer> {
  const { signal } = options
  const trouble = store.trouble()
  if (trouble) return { validated: null, problem: unusableStoreText(store, trouble) }
  let problem: string | null = null
  try {
    for (const copy of await store.catalog.find(job.series, job.period, signal)) {
      try {
        const validated = await copyOne(deps, store, job, copy, options)
        store.noteSuccess()
        return { validated, problem }
      } catch (thrown) {
        const error = toAppError(thrown)
        if (signal.aborted || !isFileProblem(error)) throw thrown
        if (error.code !== 'not-found') problem ??= damagedCopyText(store, copy, error)
        deps.parts.discard(job.series, job.period)
      }
    }
    store.noteSuccess()
    return { validated: null, problem }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (signal.aborted || isLocalProblem(error)) throw thrown
    return { validated: null, problem: unusableStoreText(store, store.noteTrouble(thrown)) }
  }
}

/** Tells whether a failure concerns one file of the store rather than the store itself. */
const isFileProblem = ({ code }: AppError) => ['corrupt-file', 'bad-answer', 'not-found', 'too-large'].includes(code)
/**
 * Tells whether a failure has its cause on this machine, so that downloading the file from the service would not help.
 */
const isLocalProblem = ({ code }: AppError) => ['disk-full', 'read-only', 'conflict', 'internal'].includes(code)

/** Removes the full stop of a clause, to quote it inside a sentence. */
const clause = (text: string) => text.replace(/\.$/, '')

const damagedCopyText = ({ location }: SharedStore, { path }: StoreCopy, { detail, sentence }: AppError) =>
  `The store ${location} has a damaged file, ${path}: ${clause(detail?.split(': ').at(-1) ?? sentence)}`

/** Builds the sentence about an unusable store; many errors of a store already begin with its name. */
function unusableStoreText({ location }: SharedStore, { detail, sentence }: AppError): string {
  const reason = clause(detail ?? sentence)
  return reason.startsWith(`The store ${location}`) ? reason : `The store ${location} could not be used: ${reason}`
}

async function copyOne(
  deps: TransferDeps,
  { files }: SharedStore,
  { series, period }: Job,
  { path, sizeBytes, sha256 }: StoreCopy,
  { signal, onBytes, commit }: StoreCopyOptions,
): Promise<ValidatedFile> {
  const request = { series, period }
  const mostBytes = mostBytesOf(series, period)
  if (sizeBytes > mostBytes) throw new AppError('too-large', `it has ${plainPlural(sizeBytes, 'byte')}`)
  await refuseOversize(deps.folder.root, request, sizeBytes, 0)
  const body = await files.read(path, mostBytes, signal)
  // A part downloaded from the service must not be continued with bytes of the store, or the other way round.
  deps.parts.discard(series, period)
  const receiver = createReceiver(deps, request, null, 0)
  const hash = createHash('sha256')
  onBytes(0, sizeBytes)
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      await receiver.add(chunk)
      onBytes(receiver.size(), sizeBytes)
      if (receiver.size() > mostBytes) throw new AppError('too-large', `it has more than ${mostBytes} bytes`)
    }
    const bytes = await receiver.finish()
    if (receiver.size() !== sizeBytes)
      throw new AppError('corrupt-file', `it has ${plainPlural(receiver.size(), 'byte')} instead of ${sizeBytes}`)
    refuseOtherContent(hash, sha256)
    return await commit(bytes)
  } catch (thrown) {
    await receiver.keep()
    throw thrown
  }
}

function refuseOtherContent(hash: Hash, expected: string | null): void {
  if (expected !== null && !hash.digest('hex').startsWith(expected))
    throw new AppError('corrupt-file', 'its SHA-256 differs from the one it had when it was published')
}

/** Appends a sentence to an error and keeps the error's class, because the consequence depends on the class. */
function withSentence(error: AppError, sentence: string): AppError {
  const detail = error.detail ? `${error.detail.replace(/\.$/, '')}. ${sentence}` : sentence
  const { message } = new AppError(error.code, detail)
  const changedProperties = { detail: { value: detail }, message: { value: message } }
  return Object.create(Object.getPrototypeOf(error) as object, {
    ...Object.getOwnPropertyDescriptors(error),
    ...changedProperties,
  }) as AppError
}
